// A field and a right in the messages to the studio.
import FoundationEssentials
import KineWire

extension SetupQuestionField {
    /// The default of a secret is left out, and such a field is not required.
    public init(_ field: ServiceManifest.SetupField) {
        let value = field.defaultValue.flatMap { $0.isEmpty ? nil : $0 }
        self.init(
            key: field.key, title: field.title,
            required: field.isRequired && !(field.isSecret && value != nil))
        hint = field.hint
        advanced = field.isAdvanced ? true : nil
        if !field.isSecret { `default` = value }
        switch field.kind {
        case .text(let rule):
            type = field.isSecret ? .secret : .text
            (minimumLength, maximumLength) = (rule.lengths?.lowerBound, rule.lengths?.upperBound)
            (pattern, format) = (rule.pattern?.text, rule.format?.rawValue)
        case .choice(let choices):
            type = .choice
            self.choices = choices.map { Choice(value: $0.value, title: $0.title) }
        case .number(let rule):
            type = .number
            (minimum, maximum) = (rule.minimum, rule.maximum)
            whole = rule.isWhole ? true : nil
        }
    }
}

extension ServiceManifest.SetupField {
    /// Nil: it cannot be a field. The rules are those of a manifest.
    public init?(_ question: SetupQuestionField) {
        guard let json = try? JSONEncoder().encode(question),
            let field = try? JSONDecoder().decode(FieldOfForm2.self, from: json)
        else { return nil }
        self = field.field
    }

    /// A field with the keys of a manifest of format version 2.
    struct FieldOfForm2: Decodable {
        let field: ServiceManifest.SetupField

        init(from decoder: any Decoder) throws { field = try .init(from: decoder, form: 2) }
    }
}

extension SheetRight {
    public init(_ right: ServiceRight) {
        switch right {
        case .connect: self.init(Kind.connect)
        case .bindUDP: self.init(Kind.bindUDP)
        case .listen(let setting): self.init(Kind.listen, setting)
        case .read(let path): self.init(Kind.read, path)
        case .group(let group): self.init(Kind.group, group)
        case .environment(let variable): self.init(Kind.environment, variable)
        }
    }
}
