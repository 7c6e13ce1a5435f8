// A setting in a manifest: the keys of all format versions, and those of version 2.
import KineText

extension ServiceManifest.SetupField {
    private enum Keys: CodingKey, CaseIterable {
        case key, title, required, secret, file, `default`
        case type, hint, advanced, choices, minimum, maximum, whole, minimumLength, maximumLength, pattern, format
    }

    private enum ChoiceKeys: CodingKey { case value, title }
    private enum TypeName: String, CaseIterable { case text, secret, choice, number }
    private static let form2Keys: [Keys] = [
        .type, .hint, .advanced, .choices, .minimum, .maximum, .whole, .minimumLength, .maximumLength, .pattern,
        .format,
    ]

    /// `form`: the manifest's format version.
    init(from decoder: any Decoder, form: Int) throws {
        let field = try decoder.object(Keys.self)
        let key = try field.decode(String.self, forKey: .key)
        guard key.isServiceID else { throw field.problem(.key, String.serviceIDRule) }
        self.init(
            key: key, title: try field.line(.title) ?? key,
            isRequired: try field.decodeIfPresent(Bool.self, forKey: .required) ?? false,
            isSecret: try field.decodeIfPresent(Bool.self, forKey: .secret) ?? false,
            isFile: try field.decodeIfPresent(Bool.self, forKey: .file) ?? false,
            defaultValue: try field.line(.default, limit: 1000))
        if isFile, defaultValue != nil {
            throw field.problem(.default, "is that of a file, which only a person names; leave it out")
        }
        guard form >= 2 else {
            decoder.noteUnknown(Self.form2Keys, in: field)
            return
        }
        hint = try field.line(.hint, limit: 500)
        isAdvanced = try field.decodeIfPresent(Bool.self, forKey: .advanced) ?? false
        if isAdvanced, isRequired, defaultValue ?? "" == "" {
            throw field.problem(.advanced, "is for a setting that may stay empty; give this one a default")
        }
        let type: TypeName = try field.choice(.type) ?? .text
        if type == .secret { isSecret = true }
        switch type {
        case .text, .secret: kind = .text(try Self.textRule(field))
        case .choice: kind = .choice(try Self.choices(field))
        case .number: kind = .number(try Self.numberRule(field))
        }
        try Self.refuseKeys(ofOtherTypesThan: type, in: field)
        if isFile, type != .text { throw field.problem(.file, "is for a setting of the type \"text\"") }
        if let defaultValue, let problem = problem(with: defaultValue) {
            throw field.problem(.default, "\(problem)")
        }
    }

    private static func textRule(_ field: KeyedDecodingContainer<Keys>) throws -> TextRule {
        let (least, most) = (
            try field.whole(.minimumLength, 0...valueLimit), try field.whole(.maximumLength, 1...valueLimit)
        )
        var rule = TextRule()
        if least != nil || most != nil {
            guard least ?? 0 <= most ?? valueLimit else {
                throw field.problem(.minimumLength, "is more than maximumLength")
            }
            rule.lengths = (least ?? 0)...(most ?? valueLimit)
        }
        if let text = try field.line(.pattern, limit: SetupPattern.limit) {
            guard let pattern = SetupPattern(text) else {
                throw field.problem(.pattern, "has a [ without what belongs to it; write one such as [a-z0-9]")
            }
            rule.pattern = pattern
        }
        rule.format = try field.choice(.format)
        return rule
    }

    private static func numberRule(_ field: KeyedDecodingContainer<Keys>) throws -> NumberRule {
        let range = -1e15...1e15
        let rule = NumberRule(
            minimum: try field.number(.minimum, range), maximum: try field.number(.maximum, range),
            isWhole: try field.decodeIfPresent(Bool.self, forKey: .whole) ?? false)
        if let minimum = rule.minimum, let maximum = rule.maximum, minimum > maximum {
            throw field.problem(.minimum, "is more than maximum")
        }
        return rule
    }

    private static func choices(_ field: KeyedDecodingContainer<Keys>) throws -> [Choice] {
        let choices = try field.members(.choices) { decoder in
            if let word = try? decoder.singleValueContainer().decode(String.self) { return Choice(value: word) }
            let choice = try decoder.object(ChoiceKeys.self)
            return Choice(value: try choice.decode(String.self, forKey: .value), title: try choice.line(.title))
        }
        guard !choices.isEmpty else { throw field.problem(.choices, "has to list the values of a choice") }
        let values = choices.map(\.value)
        for value in values where value.isEmpty || value.printable(limit: 200) != value {
            throw field.problem(.choices, "has a value that is not one line of 1 to 200 characters")
        }
        guard Set(values).count == values.count else { throw field.problem(.choices, "has a value twice") }
        return choices
    }

    /// An ignored limit would look like a limit that is checked.
    private static func refuseKeys(
        ofOtherTypesThan type: TypeName, in field: KeyedDecodingContainer<Keys>
    ) throws {
        let owners: [(Keys, [TypeName])] = [
            (.choices, [.choice]), (.minimum, [.number]), (.maximum, [.number]), (.whole, [.number]),
            (.minimumLength, [.text, .secret]), (.maximumLength, [.text, .secret]), (.pattern, [.text, .secret]),
            (.format, [.text, .secret]),
        ]
        for (key, types) in owners where field.contains(key) && !types.contains(type) {
            let names = types.map(\.rawValue.quoted).joined(separator: " or ")
            throw field.problem(key, "is for a setting of the type \(names)")
        }
    }
}

// Checks a setting's value: in an app's form, on the command line, and in the engine before an extension starts.
extension ServiceManifest.SetupField {
    /// The most characters of a value.
    public static let valueLimit = 10_000

    /// The problem with a value. It does not contain the value, which may be a secret.
    public enum ValueProblem: Error, Sendable, Equatable, CustomStringConvertible {
        case notAChoice([String])
        case notANumber(whole: Bool)
        case outOfRange(minimum: Double?, maximum: Double?)
        /// The value's number of characters.
        case length(Int, allowed: ClosedRange<Int>)
        case pattern(String)
        /// Of a text with a format.
        case blank, scheme, host, application, address, page

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
            case .blank: "has a blank in it; leave that out"
            case .scheme: "has to begin with rtmp:// or rtmps://"
            case .host: "needs a host behind ://, such as rtmp://live.example.org/app"
            case .application: "needs an application behind the host, such as rtmp://live.example.org/app"
            case .address: "is an address; give only the key, which stands behind its last slash"
            case .page: "has to begin with http:// or https:// and a host, and has no ? and no #"
            }
        }
    }

    /// Nil if the value is valid. An empty value means that the setting is not set, and is always valid.
    public func problem(with value: String) -> ValueProblem? {
        if value.isEmpty { return nil }
        let count = value.unicodeScalars.count
        if count > Self.valueLimit { return .length(count, allowed: 0...Self.valueLimit) }
        switch kind {
        case .text(let rule):
            if let lengths = rule.lengths, !lengths.contains(count) { return .length(count, allowed: lengths) }
            if let pattern = rule.pattern, !pattern.matches(value) { return .pattern(pattern.text) }
            return rule.format?.problem(with: value)
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
