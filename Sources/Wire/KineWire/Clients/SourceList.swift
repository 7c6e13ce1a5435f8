// The sources of a machine. The engine gathers them, and `kinecast sources` prints them, as JSON or as a text whose lines begin
// with the option to type.
import KineMedia
import KinePlatform

public struct SourceList: Codable, Sendable, Equatable {
    public struct Monitor: Codable, Sendable, Equatable {
        public var name: String
        public var bounds: PixelRect
        public var isPrimary: Bool
        public init(name: String, bounds: PixelRect, isPrimary: Bool) {
            self.name = name
            self.bounds = bounds
            self.isPrimary = isPrimary
        }
    }

    public struct Window: Codable, Sendable, Equatable {
        public var id: UInt32
        public var title: String
        public var application: String
        public var bounds: PixelRect
        /// The process that says the window is its own; nil if none does.
        public var processID: Int32?
        public init(
            id: UInt32, title: String, application: String, bounds: PixelRect, processID: Int32? = nil
        ) {
            self.id = id
            self.title = title
            self.application = application
            self.bounds = bounds
            self.processID = processID
        }
    }

    public struct AudioDevice: Codable, Sendable, Equatable {
        /// PulseAudio's name, which `--audio output:NAME` or `--mic` takes.
        public var name: String
        public var description: String
        public var isDefault: Bool
        public init(name: String, description: String, isDefault: Bool) {
            self.name = name
            self.description = description
            self.isDefault = isDefault
        }
    }

    public struct Camera: Codable, Sendable, Equatable {
        /// The name that `--camera` takes.
        public var name: String
        /// The path of its device.
        public var path: String
        public init(name: String, path: String) {
            self.name = name
            self.path = path
        }
    }

    /// A kind of source that the desktop's dialog offers when a take begins.
    public enum Dialog: String, Codable, Sendable, Equatable {
        case monitor
        case window
    }

    /// The way to screens and regions; nil: they cannot be recorded here.
    public var screenBackend: TakeConfiguration.Backend?
    /// What the dialog of a Wayland desktop offers; empty on X11, and where the desktop has no dialog.
    public var dialogs: [Dialog] = []
    public var monitors: [Monitor] = []
    public var windows: [Window] = []
    public var outputs: [AudioDevice] = []
    public var microphones: [AudioDevice] = []
    /// The names of the applications that play audio, which `--audio app:NAME` takes.
    public var applications: [String] = []
    public var cameras: [Camera] = []
    /// One sentence for each kind of source that could not be listed.
    public var problems: [String] = []

    public init() {}
}

extension SourceList {
    /// The sources of one kind, in columns.
    public struct Section: Sendable, Equatable {
        public var title: String
        public var rows: [[String]]
    }

    /// The lists for a person, in the order in which they are printed. The first column is the option to type.
    public var sections: [Section] {
        [
            Section(
                title: "Monitors",
                rows: monitors.map {
                    [
                        "--monitor \($0.name.shellWord)", Self.text($0.bounds), "at \($0.bounds.x),\($0.bounds.y)",
                        $0.isPrimary ? "primary" : "",
                    ]
                }),
            Section(
                title: "Windows",
                rows: windows.map {
                    ["--window 0x\(String($0.id, radix: 16))", Self.text($0.bounds), $0.application, $0.title]
                } + (dialogs.contains(.window) ? [Self.chosenWindow] : [])),
            Section(
                title: "Applications with windows",
                rows: Set(windows.map(\.application)).subtracting([""]).sorted().map { ["--app \($0.shellWord)"] }),
            Section(
                title: "Applications with audio", rows: applications.map { ["--audio \("app:\($0)".shellWord)"] }),
            Section(
                title: "System audio",
                rows: (outputs.isEmpty ? [] : [["--audio system", "", "the default, whichever output it is"]])
                    + outputs.map {
                        ["--audio \("output:\($0.name)".shellWord)", $0.isDefault ? "default" : "", $0.description]
                    }),
            Section(
                title: "Microphones",
                rows: microphones.map {
                    ["--mic \($0.name.shellWord)", $0.isDefault ? "default" : "", $0.description]
                }),
            Section(title: "Cameras", rows: cameras.map { ["--camera \($0.name.shellWord)", $0.path] }),
        ]
    }

    private static let chosenWindow = ["--window ask", "", "", "the one you choose in the desktop's dialog"]

    private static func text(_ rect: PixelRect) -> String { "\(rect.width)x\(rect.height)" }
}
