// The options of `record` and `broadcast` as keys of the configuration file: which may be set, and when a value that is
// set is used. The keys of `[shortcuts]` are the actions that a key on the keyboard starts; `[studio]` has the browser of the
// studio's window. ConfigurationLayersTests holds the table against the declarations of the options.
import KineProgram
import KineText

/// A command with sections in the file.
package enum ConfiguredCommand: String, CaseIterable, Sendable {
    case record, broadcast, shortcuts, studio

    /// Whether the section has the command's options, and profiles.
    package var hasOptions: Bool { self == .record || self == .broadcast }

    /// All options of the section, and labels. kinecast.conf may not set some of the options.
    package var keys: [ConfigurationKey] {
        switch self {
        case .record: ConfigurationKey.record
        case .broadcast: ConfigurationKey.broadcast
        case .shortcuts: ConfigurationKey.shortcuts
        case .studio: ConfigurationKey.studio
        }
    }

    /// The option that names the file to write; empty if there is none.
    package var outputOption: String {
        switch self {
        case .record: "output"
        case .broadcast: "record"
        case .shortcuts, .studio: ""
        }
    }
}

package struct ConfigurationKey: Sendable {
    /// `list`: may be given several times.
    package enum Kind: Sendable { case flag, value, list }

    /// The case in which a configured value is used. In other cases the command would refuse it, so it is left out.
    package enum Use: Sendable {
        case always
        /// Only with one of these options, typed or set.
        case with([String])
        /// Only if a file is written, not standard output.
        case file
        /// Only if the live page is among the destinations.
        case livePage
        /// Never: it is what people read.
        case label
        /// Never, for this reason, which is a clause.
        case refused(String)
    }

    /// The option's name without dashes.
    package let name: String
    package let kind: Kind
    package let short: Character?
    /// Whether `~/` at the value's beginning means the home directory.
    package let isPath: Bool
    /// The options that replace this one if they are typed, or set in a higher layer.
    package let rivals: [String]
    package let use: Use

    /// The reason why the option may not be configured with this value; nil if it may. Does not repeat the value, which may
    /// be a secret.
    func problem(_ value: String) -> String? {
        if case .refused(let reason) = use { return "\(name) cannot be set here; \(reason)" }
        if value.isEmpty { return "\(name) has no value; give it one, or remove it" }
        if value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) {
            return "the value of \(name) has a control character; remove that"
        }
        if kind == .flag, value != "true", value != "false" { return "\(name) is a flag; give it true or false" }
        switch name {
        case "to":
            let isName = value.hasPrefix("@") || value.hasPrefix("env:")
            return isName && !value.contains("://") ? nil : Self.secretAddress
        case "set":
            let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[1].hasPrefix("@"), !parts[1].hasPrefix("@@") { return nil }
            return "a setting may be a secret; write it into a private file, and set to KEY=@FILE here"
        // Texts for viewers, in which addresses are no destinations.
        case "title", "shown-name", "public-url": return nil
        default: return DestinationAddress(value) == nil ? nil : Self.secretAddress
        }
    }

    /// The advice for secrets.
    package static let secretsPlace = "put the address with its key into ~/.config/kinecast/destinations"
    private static let secretAddress = "an address may hold a stream key; \(secretsPlace), and give to = @NAME"
}

// The table.
extension ConfigurationKey {
    static let record: [ConfigurationKey] = [
        keys("output", short: "o", isPath: true), keys("full-range", .flag), keys("chroma"),
        keys("toggle", .flag, use: .refused("it is for a key, so type it there")), keys("shown-name", use: .label),
        shared,
    ].flatMap(\.self)

    static let broadcast: [ConfigurationKey] = [
        keys("record", short: "o", isPath: true, rivals: ["check"]),
        keys("share-encode", .flag, use: .with(["record"])),
        keys("to service set", .list, rivals: targets), keys("to-file", .list, isPath: true, rivals: targets),
        keys("stream-key-file", use: .refused("it belongs to one address; \(secretsPlace)")),
        keys("listen public-url title", use: .livePage), keys("player-link", .flag, use: .livePage),
        keys("tls-cert tls-key", isPath: true, use: .livePage),
        keys("max-reconnects", use: .with(targets)), keys("ca-file", isPath: true, use: .with(targets)),
        keys("min-bitrate max-bitrate"),
        keys("check", .flag, use: .refused("it is about one broadcast, so type it")),
        keys("require-sandbox", .flag, use: .refused("the sandbox is not configured, so type it")),
        keys("full-range", .flag, use: .refused("it is for recordings alone")),
        keys("chroma", use: .refused("it is for recordings alone")), shared,
    ].flatMap(\.self)

    static let shortcuts: [ConfigurationKey] = keys(
        DesktopAction.allCases.map(\.rawValue).joined(separator: " "))

    static let studio: [ConfigurationKey] = keys("browser")

    private static let shared: [ConfigurationKey] = [
        keys("monitor region window app virtual pattern", rivals: screens), keys("backend exclude-how"),
        keys("exclude", .list, rivals: ["window", "pattern"]),
        keys("no-cursor", .flag, rivals: ["cursor-scale"]), keys("cursor-scale", rivals: ["no-cursor", "pattern"]),
        keys("show-clicks", .flag, rivals: ["pattern"]), keys("show-keys", rivals: ["pattern"]),
        keys("no-input-track", .flag),
        keys("wait", use: .refused("it is about the window of one COMMAND, so type it")),
        keys("ask", .flag, use: .refused("permissions are not configured, so type it")),
        keys("camera", isPath: true), keys("camera-mirror", .flag, use: .with(["camera"])),
        keys("camera-at camera-size camera-shape camera-border", use: .with(["camera"])),
        // A private screen has no microphone.
        keys("audio", short: "a"), keys("mic", rivals: ["virtual"]), keys("audio-bitrate"),
        keys("separate-tracks", .flag, use: .with(["mic"])), keys("mic-channels", use: .with(["mic"])),
        keys("fps", short: "r"), keys("size crop rotate preset settings keyframe-interval"), keys("cfr", .flag),
        keys("quality", rivals: ["bitrate"]), keys("bitrate", rivals: ["quality"]),
        keys(
            "no-damage-optimization no-skip-unchanged no-macroblock-info", .flag,
            use: .refused("it is for measurements, so type it")),
        // A profile may set a duration; the end of the take then gives that as its reason.
        keys("duration", short: "t"), keys("clip-buffer when-locked when-unplugged countdown"),
        keys("sounds let-idle", .flag),
        keys("verbose", .flag, short: "v"),
        keys("overwrite faststart", .flag, use: .file), keys("split", use: .file),
        keys("json", .flag, use: .refused("a program that reads JSON asks for it, so type it")),
        keys("no-indicator", .flag, use: .refused("the indicator is not configured, so type it")),
        keys("profile", use: .refused("it is chosen each time, so type it")),
    ].flatMap(\.self)

    private static let screens = ["monitor", "region", "window", "app", "virtual", "pattern"]
    private static let targets = ["to", "to-file", "service"]

    /// Keys that differ in their names alone.
    private static func keys(
        _ names: String, _ kind: Kind = .value, short: Character? = nil, isPath: Bool = false, rivals: [String] = [],
        use: Use = .always
    ) -> [ConfigurationKey] {
        names.split(separator: " ").map {
            ConfigurationKey(name: String($0), kind: kind, short: short, isPath: isPath, rivals: rivals, use: use)
        }
    }
}
