// Choices with names: the profiles of kinecast.conf, as far as a page can show them.
import KineConfiguration
import KineMedia
import KineProgram

/// A profile's section for `record`.
struct RecordingProfile: Encodable, Equatable, Sendable {
    let name: String
    let choice: RecordingChoice
    /// The options of the section that a choice cannot hold, as the file has them. `--profile` puts them in force.
    let others: [String]

    init(name: String, _ options: [ConfiguredOption]) {
        self.name = name
        let (choice, held) = RecordingChoice.reading(options)
        self.choice = choice
        others = options.filter { !held.contains($0.key.name) }.map { "\($0.key.name) = \($0.value)" }
    }
}

/// The recordings of the user's kinecast.conf.
struct RecordingProfiles: Encodable, Equatable, Sendable {
    /// In force without a profile, from the file and the environment.
    let configured: RecordingChoice
    let profiles: [RecordingProfile]

    init(_ layers: ConfigurationLayers) throws(CommandFailure) {
        configured = RecordingChoice.reading(try layers.options(of: .record, profile: nil)).choice
        profiles = layers.file.profiles(of: .record).map { name in
            RecordingProfile(name: name, layers.file.options(of: ConfigurationSection(command: .record, profile: name)))
        }
    }
}

extension ConfigurationFile {
    /// The file with a choice under a name. Options that a choice cannot hold stay, and those of the choice's own profile
    /// come along.
    func keeping(_ choice: RecordingChoice, as name: String) throws(CommandFailure) -> ConfigurationFile {
        var options: [ConfiguredOption] = []
        for (option, value) in choice.options {
            options.append(try ConfiguredOption(.record, option, value, from: .name(name)))
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
        for (name, values) in values where hasOneSource || Source(rawValue: name) == nil {
            if choice.set(name, values) { held.insert(name) }
        }
        return (choice, held)
    }

    /// Returns false for an option or a value that a choice cannot hold.
    private mutating func set(_ option: String, _ values: [String]) -> Bool {
        guard let value = values.last else { return false }
        var changed = self
        switch option {
        case "audio": changed.audio = value
        case "mic": changed.microphone = value
        case "mic-channels":
            changed.microphoneChannels = TakeConfiguration.MicrophoneChannels(rawValue: value)
        case "camera": changed.camera = value
        case "camera-at":
            guard let place = CameraLayout.place(option: value) else { return false }
            changed.changeLayout { ($0.x, $0.y) = place }
        case "camera-size":
            guard let size = Double(value) else { return false }
            changed.changeLayout { $0.size = size }
        case "camera-shape":
            guard let shape = CameraLayout.Shape(rawValue: value) else { return false }
            changed.changeLayout { $0.shape = shape }
        case "camera-mirror": changed.changeLayout { $0.isMirrored = value == "true" }
        case "clip-buffer": changed.clipBuffer = Int(value.hasSuffix("s") ? String(value.dropLast()) : value)
        case "fps": changed.fps = Int(value)
        case "size":
            let sides = value.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard sides.count == 2, let width = sides[0], let height = sides[1] else { return false }
            changed.size = PixelSize(width: width, height: height)
        case "quality": changed.quality = Int(value)
        case "show-keys": changed.showKeys = ShownKeys(rawValue: value)
        case "show-clicks": changed.showClicks = value == "true"
        case "no-cursor": changed.noCursor = value == "true"
        case "exclude": changed.exclude = values == ["none"] ? [] : values
        case "countdown": changed.countdown = Int(value)
        default: (changed.source, changed.name) = (Source(rawValue: option), value)
        }
        // A look that equals the default changes nothing.
        guard changed != self || option.hasPrefix("camera-"), changed.isValid else { return false }
        self = changed
        return true
    }

    private mutating func changeLayout(_ change: (inout CameraLayout) -> Void) {
        var layout = cameraLayout ?? CameraLayout()
        change(&layout)
        cameraLayout = layout
    }
}
