// Checks the value of a setting: in an app's form, on the command line, and in the engine before an extension starts.

extension ServiceManifest.SetupField {
    /// The most characters of a value.
    public static let valueLimit = 10_000

    /// What is wrong with a value. The value itself may be a secret, so it is in none of them.
    public enum ValueProblem: Error, Sendable, Equatable {
        case notAChoice([String])
        case notANumber(whole: Bool)
        case outOfRange(minimum: Double?, maximum: Double?)
        /// Its number of characters.
        case length(Int, allowed: ClosedRange<Int>)
        case pattern(String)
    }

    /// Nil: the value can be used. An empty value is that of a setting that is not set, and always can.
    public func problem(with value: String) -> ValueProblem? {
        if value.isEmpty { return nil }
        let count = value.unicodeScalars.count
        if count > Self.valueLimit { return .length(count, allowed: 0...Self.valueLimit) }
        switch kind {
        case .text(let rule):
            if let lengths = rule.lengths, !lengths.contains(count) { return .length(count, allowed: lengths) }
            if let pattern = rule.pattern, !pattern.matches(value) { return .pattern(pattern.text) }
        case .choice(let choices):
            if !choices.contains(where: { $0.value == value }) { return .notAChoice(choices.map(\.value)) }
        case .number(let rule):
            guard let number = Double(value), number.isFinite, !rule.isWhole || number == number.rounded() else {
                return .notANumber(whole: rule.isWhole)
            }
            if number < rule.minimum ?? number || number > rule.maximum ?? number {
                return .outOfRange(minimum: rule.minimum, maximum: rule.maximum)
            }
        }
        return nil
    }
}

extension ServiceManifest.SetupField.ValueProblem: CustomStringConvertible {
    /// The end of a sentence that begins with the setting.
    public var description: String {
        switch self {
        case .notAChoice(let values): "has to be \(values.map(\.quoted).joined(separator: " or "))"
        case .notANumber(whole: true): "has to be a whole number"
        case .notANumber(whole: false): "has to be a number"
        case .outOfRange(let minimum?, let maximum?):
            "has to be a number from \(minimum.plain) to \(maximum.plain)"
        case .outOfRange(let minimum?, nil): "has to be \(minimum.plain) or more"
        case .outOfRange(nil, let maximum?): "has to be \(maximum.plain) or less"
        case .outOfRange(nil, nil): "has to be a number"
        case .length(let count, let allowed) where allowed.lowerBound == allowed.upperBound:
            "has \(count) characters and has to have \(allowed.lowerBound)"
        case .length(let count, let allowed):
            "has \(count) characters and has to have \(allowed.lowerBound) to \(allowed.upperBound)"
        case .pattern(let pattern): "has to look like \(pattern.quoted)"
        }
    }
}
