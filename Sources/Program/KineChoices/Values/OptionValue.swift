// What a person types as a value, read without a command line.

/// The value of an option.
package protocol OptionValue {
    /// The form of an accepted value, in the imperative: "give WxH".
    static var form: String { get }

    /// Nil if the text has another form.
    init?(argument: String)
}
