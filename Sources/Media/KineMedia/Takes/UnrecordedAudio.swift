// The report to a person about sound that a take misses.
import KineText

/// Something is heard on an output that is not recorded, while the recorded one is silent.
public struct UnrecordedAudio: Codable, Sendable, Equatable {
    /// The application that plays; empty if it does not say its name.
    public var application: String
    /// The output's name for `--audio output:NAME`.
    public var output: String
    /// The output's description.
    public var description: String

    public init(application: String, output: String, description: String) {
        (self.application, self.output, self.description) = (application, output, description)
    }

    /// A sentence: what plays where, and what to do.
    public var sentence: String {
        let subject = application.isEmpty ? "Something" : application.printable(limit: 100)
        return "\(subject) plays on '\(description.printable(limit: 100))', which is not recorded; "
            + "--audio output:\(output.printable(limit: 200)) records it."
    }
}
