// Choices with names: the profiles of kinecast.conf, as far as a page can show them.
import KineConfiguration
import KineMedia
import KineProgram
import KineText

/// A profile's section for `record`.
struct RecordingProfile: Encodable, Equatable, Sendable {
    fileprivate static let titleKey = "shown-name"
    /// Characters.
    static let longestTitle = 100

    let name: String
    /// The name that people see.
    let title: String
    let choice: RecordingChoice
    /// The options of the section that a choice cannot hold, as the file has them. `--profile` puts them in force.
    let others: [String]

    init(name: String, _ options: [ConfiguredOption]) {
        self.name = name
        title = options.last { $0.key.name == Self.titleKey }?.value ?? name
        let (choice, held) = RecordingChoice.reading(options)
        self.choice = choice
        others = options.filter { !held.contains($0.key.name) && $0.key.name != Self.titleKey }
            .map { "\($0.key.name) = \($0.value)" }
    }

    /// Whether people can be shown that name.
    static func isTitle(_ text: String) -> Bool {
        !text.isEmpty && text.count <= longestTitle && text == text.printable(limit: .max)
    }
}

/// The recordings of the user's kinecast.conf.
struct RecordingProfiles: Encodable, Equatable, Sendable {
    /// In force without a profile, from the file and the environment.
    let configured: RecordingChoice
    let profiles: [RecordingProfile]

    init(_ layers: ConfigurationLayers) throws(CommandFailure) {
        configured = RecordingChoice.reading(try layers.options(of: .record, profile: nil)).choice
        profiles = layers.file.recordingProfiles
    }
}

extension ConfigurationFile {
    fileprivate var recordingProfiles: [RecordingProfile] {
        profiles(of: .record).map { name in
            RecordingProfile(name: name, options(of: ConfigurationSection(command: .record, profile: name)))
        }
    }

    /// The file with a choice under a name that people see. A section's header has no blanks and few characters, so the section may
    /// get another name.
    func keeping(_ choice: RecordingChoice, titled title: String) throws(CommandFailure) -> ConfigurationFile {
        let name = profile(titled: title)
        let file = try keeping(choice, as: name)
        let section = ConfigurationSection(command: .record, profile: name)
        return name == title ? file : try file.setting(RecordingProfile.titleKey, to: [title], in: section)
    }

    /// The profile with this title; a new one has a name that no other has.
    private func profile(titled title: String) -> String {
        let profiles = recordingProfiles
        if let same = profiles.first(where: { $0.title == title }) { return same.name }
        let known = profiles.map(\.name)
        if RecordingChoice.isProfile(title), !known.contains(title) { return title }
        let words = title.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
        let stem = words.isEmpty ? "preset" : String(words.prefix(RecordingChoice.longestProfile - 5))
        let numbered = (2...).lazy.map { "\(stem)-\($0)" }
        return known.contains(stem) ? numbered.first { !known.contains($0) } ?? stem : stem
    }

    /// The file with a choice under a name. Options that a choice cannot hold stay, and those of the choice's own profile
    /// come along.
    func keeping(_ choice: RecordingChoice, as name: String) throws(CommandFailure) -> ConfigurationFile {
        var options: [ConfiguredOption] = []
        for (option, value) in choice.options {
            options.append(try ConfiguredOption(.record, option.name, value, from: .name(name)))
        }
        let section = ConfigurationSection(command: .record, profile: name)
        var file = self
        if let profile = choice.profile, profile != name {
            let own = self.options(of: ConfigurationSection(command: .record, profile: profile))
            let held = RecordingChoice.reading(own).held
            file = try file.setting(own.filter { !held.contains($0.key.name) }, inPlaceOf: [], in: section)
        }
        let held = RecordingChoice.reading(file.options(of: section)).held
        return try file.setting(options, inPlaceOf: held, in: section)
    }

    func removing(_ profile: String) throws(CommandFailure) -> ConfigurationFile {
        try removing(ConfigurationSection(command: .record, profile: profile))
    }
}

extension RecordingChoice {
    /// A choice with those options that it can hold, and their names.
    static func reading(_ options: [ConfiguredOption]) -> (choice: RecordingChoice, held: Set<String>) {
        var choice = RecordingChoice()
        var held: Set<String> = []
        let values = Dictionary(grouping: options, by: \.key.name).mapValues { $0.map(\.value) }
        // An application on one monitor is two options.
        let hasOneSource = Source.allCases.filter { values[$0.rawValue] != nil }.count == 1
        for option in RecordingOption.all where hasOneSource || Source(rawValue: option.name) == nil {
            var changed = choice
            if let given = values[option.name], option.write(&changed, given) != nil, changed.isValid {
                choice = changed
                held.insert(option.name)
            }
        }
        return (choice, held)
    }
}
