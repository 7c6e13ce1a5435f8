// The `manifest.json` of an extension's bundle: it describes the extension and the samples that it requests.
import KineMedia

/// A service as its bundle describes it. Written by hand or by `kinecast extension new`.
public struct ServiceManifest: Sendable, Equatable {
    /// The extension's access to the network.
    public enum Network: String, Sendable, CaseIterable {
        /// Connect to other hosts by TCP and UDP.
        case connect
        /// Only accept connections on the socket that the engine passes.
        case none
    }

    /// A setting that the user provides: `--set KEY=VALUE`.
    public struct SetupField: Sendable, Equatable {
        public var key: String
        /// A title for a person.
        public var title: String
        public var isRequired: Bool
        /// Whether the value must never be shown, logged, or visible to another process.
        public var isSecret: Bool
        /// Whether the value names a file. The engine opens and passes it, since the extension cannot open it.
        public var isFile: Bool
        /// Whether forms show it among the settings that few people need. It has a default, or may be left empty.
        public var isAdvanced: Bool
        public var defaultValue: String?
        /// Help for a person who fills in the setting: where to find the value, how it looks.
        public var hint: String?
        public var kind = Kind.text(TextRule())

        /// The kind of values that a setting accepts.
        public enum Kind: Sendable, Equatable {
            case text(TextRule)
            /// One of these values.
            case choice([Choice])
            case number(NumberRule)
        }

        /// A value to choose, and its title for a person.
        public struct Choice: Sendable, Equatable {
            public var value: String
            public var title: String

            public init(value: String, title: String? = nil) {
                self.value = value
                self.title = title ?? value
            }
        }

        /// The texts that a setting accepts.
        public struct TextRule: Sendable, Equatable {
            /// In characters.
            public var lengths: ClosedRange<Int>?
            /// A shell pattern with `*`, `?` and `[a-z]`; the whole text has to match.
            public var pattern: SetupPattern?
            public var format: TextFormat?

            public init(
                lengths: ClosedRange<Int>? = nil, pattern: SetupPattern? = nil, format: TextFormat? = nil
            ) {
                self.lengths = lengths
                self.pattern = pattern
                self.format = format
            }
        }

        /// What a text is, so that each of its parts is judged. The raw value is the word in a manifest.
        public enum TextFormat: String, Sendable, CaseIterable {
            /// A server that takes streams, with its application: `rtmp://HOST[:PORT]/APPLICATION`, or `rtmps://`.
            case server
            /// A stream key: one word, which is no address.
            case key
            /// An address that a browser opens, without a query and a fragment.
            case page
        }

        /// The numbers that a setting accepts.
        public struct NumberRule: Sendable, Equatable {
            /// Nil: no limit.
            public var minimum: Double?
            public var maximum: Double?
            /// Whether the number must not have a fraction.
            public var isWhole: Bool

            public init(minimum: Double? = nil, maximum: Double? = nil, isWhole: Bool = false) {
                self.minimum = minimum
                self.maximum = maximum
                self.isWhole = isWhole
            }
        }

        public init(
            key: String, title: String, isRequired: Bool = false, isSecret: Bool = false, isFile: Bool = false,
            isAdvanced: Bool = false, defaultValue: String? = nil
        ) {
            self.key = key
            self.title = title
            self.isRequired = isRequired
            self.isSecret = isSecret
            self.isFile = isFile
            self.isAdvanced = isAdvanced
            self.defaultValue = defaultValue
        }
    }

    /// The highest memory limit of an extension in bytes, and the default.
    public static let memoryLimit = 50 << 20

    /// Unique among services: letters, digits, `.`, `-` and `_`.
    public var id: String
    /// A name for a person.
    public var name: String
    public var version: String?
    /// The file name of its icon inside the bundle, PNG or SVG, if there is one.
    public var icon: String?
    /// The file name of the executable, inside the bundle.
    public var executable: String
    /// The file name of a program inside the bundle that asks for the settings; nil: a person fills in `setup`.
    public var setupProgram: String?
    /// Nil: no frames.
    public var video: SampleRequirements.Video?
    /// Nil: no audio of the applications.
    public var appAudio: AudioCodec?
    public var micAudio: AudioCodec?
    public var samples: SampleRequirements { SampleRequirements(video: video, appAudio: appAudio, micAudio: micAudio) }
    public var setup: [SetupField] = []
    /// Names of environment variables that the extension needs; it gets no others.
    public var environment: [String] = []
    /// Absolute paths of further files and directories that the extension reads or executes.
    public var readable: [String] = []
    public var network = Network.connect
    /// Whether the extension receives UDP at ports that it chooses. Only with `Network.connect`.
    public var bindsUDP = false
    /// The groups whose container the extension shares with apps.
    public var groups: [String] = []
    /// The key of the setting with ADDRESS:PORT; the engine listens there and passes the socket. Nil: no listening.
    public var listen: String?
    /// Whether the engine opens this setting's value with its user's rights: a file, or an address to listen at. Only a
    /// person, or the app that asks them, may provide the value.
    public func engineOpens(_ key: String) -> Bool { key == listen || setup.contains { $0.key == key && $0.isFile } }

    /// The address schemes that this service accepts with `--to`: "rtmp" …
    public var urlSchemes: [String] = []
    /// Whether a person gives the address in two settings, `server` and `key`. One of `--to` stands for both. Built-in
    /// services alone.
    public var hasServerAndKey = false
    /// Whether the executable asks the server of such an address if it would take the stream, with the argument `--check`
    /// (`DestinationReport`). Only with `urlSchemes` and `Network.connect`.
    public var hasCheck = false
    /// Bytes of resident memory, including touched shared frames; at most `ServiceManifest.memoryLimit`.
    public var memoryLimit = ServiceManifest.memoryLimit
    /// The seconds that `broadcastFinished` may take.
    public var finishSeconds = 5.0
    /// How often a crashed or stalled extension is restarted in one take.
    public var restarts = 1

    public init(id: String, name: String, executable: String) {
        self.id = id
        self.name = name
        self.executable = executable
    }

    /// The `NAME=value` entries that an extension gets: search path, language, home, and those in its manifest. Never
    /// those of the display, the audio server or the session.
    public func childEnvironment(from environment: [String]) -> [String] {
        environment.filter { entry in
            let name = String(entry.prefix { $0 != "=" })
            guard !Self.isWithheld(name) else { return false }
            return ["PATH", "LANG", "TZ", "HOME"].contains(name) || name.hasPrefix("LC_")
                || self.environment.contains(name)
        }
            // Swift's crash reporter would delay the process's end by seconds.
            + ["SWIFT_BACKTRACE=enable=no"]
    }

    /// Whether a variable gives access to the display, the audio or the session, or makes the loader run other code. No
    /// extension gets it, even if its manifest requests it.
    public static func isWithheld(_ variable: String) -> Bool {
        ["DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"].contains(variable)
            || ["WAYLAND", "PULSE_", "PIPEWIRE", "DBUS_", "LD_", "KINECAST_"].contains(where: variable.hasPrefix)
    }
}
