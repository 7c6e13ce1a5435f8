// The `manifest.json` of an extension's bundle: it describes the extension and the samples that it wants.
import KineMedia

/// A service as its bundle describes it. Written by hand or by `kinecast extension new`.
public struct ServiceManifest: Sendable, Equatable {
    /// The extension's access to the network.
    public enum Network: String, Sendable, CaseIterable {
        /// Connect to others, by TCP and UDP.
        case connect
        /// Only accept connections on the socket that it is given.
        case none
    }

    /// One setting of the user's: `--set KEY=VALUE`.
    public struct SetupField: Sendable, Equatable {
        public var key: String
        /// For a person to read.
        public var title: String
        public var isRequired: Bool
        /// Never shown, logged, or visible to another process.
        public var isSecret: Bool
        /// Names a file, which the engine opens and passes on, since the extension cannot open it.
        public var isFile: Bool
        public var defaultValue: String?
        /// More words for a person who has to fill it in: where the value is found, what it looks like.
        public var hint: String?
        public var kind = Kind.text(TextRule())

        /// What values a setting takes.
        public enum Kind: Sendable, Equatable {
            case text(TextRule)
            /// One of these values.
            case choice([Choice])
            case number(NumberRule)
        }

        /// A value to choose, and its name for a person.
        public struct Choice: Sendable, Equatable {
            public var value: String
            public var title: String

            public init(value: String, title: String? = nil) {
                self.value = value
                self.title = title ?? value
            }
        }

        /// The texts that a setting takes.
        public struct TextRule: Sendable, Equatable {
            /// Characters.
            public var lengths: ClosedRange<Int>?
            /// As for the names of files: `*`, `?` and `[a-z]`; the whole text has to match.
            public var pattern: SetupPattern?

            public init(lengths: ClosedRange<Int>? = nil, pattern: SetupPattern? = nil) {
                self.lengths = lengths
                self.pattern = pattern
            }
        }

        /// The numbers that a setting takes.
        public struct NumberRule: Sendable, Equatable {
            /// Nil: as small as it likes.
            public var minimum: Double?
            public var maximum: Double?
            /// Without a fraction.
            public var isWhole: Bool

            public init(minimum: Double? = nil, maximum: Double? = nil, isWhole: Bool = false) {
                self.minimum = minimum
                self.maximum = maximum
                self.isWhole = isWhole
            }
        }

        public init(
            key: String, title: String, isRequired: Bool = false, isSecret: Bool = false, isFile: Bool = false,
            defaultValue: String? = nil
        ) {
            self.key = key
            self.title = title
            self.isRequired = isRequired
            self.isSecret = isSecret
            self.isFile = isFile
            self.defaultValue = defaultValue
        }
    }

    /// The most resident memory of an extension in bytes, and the limit if the manifest has none.
    public static let memoryLimit = 50 << 20

    /// Unique among services: letters, digits, `.`, `-` and `_`.
    public var id: String
    /// For a person to read.
    public var name: String
    public var version: String?
    /// The file name of a picture of it inside the bundle, PNG or SVG; nil: none.
    public var icon: String?
    /// The file name of the executable, inside the bundle.
    public var executable: String
    /// The file name of a program inside the bundle that asks for the settings; nil: a person fills in `setup`.
    public var setupProgram: String?
    /// nil: no frames.
    public var video: SampleRequirements.Video?
    /// nil: not this audio.
    public var appAudio: AudioCodec?
    public var micAudio: AudioCodec?
    public var samples: SampleRequirements { SampleRequirements(video: video, appAudio: appAudio, micAudio: micAudio) }
    public var setup: [SetupField] = []
    /// Names of environment variables that the extension needs; every other is left out.
    public var environment: [String] = []
    /// Absolute paths of files and directories that the extension reads or executes, beyond those of every extension.
    public var readable: [String] = []
    public var network = Network.connect
    /// Whether it receives UDP at ports of its choice. Only with `Network.connect`.
    public var bindsUDP = false
    /// The groups whose container the extension shares with apps.
    public var groups: [String] = []
    /// The key of the setting that holds ADDRESS:PORT: the engine listens there and passes the socket on. nil: no listening.
    public var listen: String?
    /// Whether the engine opens what this setting names, with its user's rights: a file, or an address to listen at. Only a person, or
    /// the app that asks them, gives its value.
    public func engineOpens(_ key: String) -> Bool { key == listen || setup.contains { $0.key == key && $0.isFile } }

    /// Schemes of the addresses that this service takes with `--to`: "rtmp" …
    public var urlSchemes: [String] = []
    /// Bytes of resident memory, touched shared frames included; `ServiceManifest.memoryLimit` at most.
    public var memoryLimit = ServiceManifest.memoryLimit
    /// Seconds that `broadcastFinished` may take.
    public var finishSeconds = 5.0
    /// The number of times that a crashed or stalled extension is started again in one take.
    public var restarts = 1

    public init(id: String, name: String, executable: String) {
        self.id = id
        self.name = name
        self.executable = executable
    }
}

// The environment variables that an extension gets.
extension ServiceManifest {
    /// The `NAME=value` entries that an extension gets: search path, language, home, and those that its manifest asks for.
    /// Never anything of the display, the audio server or the session.
    public func childEnvironment(from environment: [String]) -> [String] {
        environment.filter { entry in
            let name = String(entry.prefix { $0 != "=" })
            guard !Self.isWithheld(name) else { return false }
            return ["PATH", "LANG", "TZ", "HOME"].contains(name) || name.hasPrefix("LC_")
                || self.environment.contains(name)
        }
            // Swift's own crash reporter would delay the death of a process by seconds.
            + ["SWIFT_BACKTRACE=enable=no"]
    }

    /// Whether a variable leads to the display, the audio or the session, or makes the loader run something else: no extension
    /// gets it, whatever its manifest asks for.
    public static func isWithheld(_ variable: String) -> Bool {
        ["DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"].contains(variable)
            || ["WAYLAND", "PULSE_", "PIPEWIRE", "DBUS_", "LD_", "KINECAST_"].contains(where: variable.hasPrefix)
    }
}
