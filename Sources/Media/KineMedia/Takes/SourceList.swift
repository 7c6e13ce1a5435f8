// An engine's reports on its machine: the sources, for `kinecast sources`, and the checks for `kinecast doctor`.

public struct SourceList: Codable, Sendable, Equatable {
    public struct Monitor: Codable, Sendable, Equatable {
        public var name: String
        public var bounds: PixelRect
        public var isPrimary: Bool
        /// Its maker and model, or its model, as the desktop says them.
        public var description: String?
        public init(name: String, bounds: PixelRect, isPrimary: Bool, description: String? = nil) {
            self.name = name
            self.bounds = bounds
            self.isPrimary = isPrimary
            self.description = description
        }
    }

    public struct Window: Codable, Sendable, Equatable {
        public var id: UInt32
        public var title: String
        public var application: String
        public var bounds: PixelRect
        /// The process that claims the window as its own, if any.
        public var processID: Int32?
        /// Its name for a person: the title and the application.
        public var description: String?
        public init(
            id: UInt32, title: String, application: String, bounds: PixelRect, processID: Int32? = nil,
            description: String? = nil
        ) {
            self.id = id
            self.title = title
            self.application = application
            self.bounds = bounds
            self.processID = processID
            self.description = description
        }
    }

    public struct AudioDevice: Codable, Sendable, Equatable {
        /// PulseAudio's name, for `--audio output:NAME` or `--mic`.
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
        /// The name for `--camera`.
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

    /// The backend for screens and regions; nil: they cannot be recorded here.
    public var screenBackend: TakeConfiguration.Backend?
    /// Whether `--exclude-how beneath` works now; nil: it does not.
    public var canShowBeneath: Bool?
    /// The choices of a Wayland desktop's dialog; empty on X11, and without a dialog.
    public var dialogs: [Dialog] = []
    public var monitors: [Monitor] = []
    public var windows: [Window] = []
    public var outputs: [AudioDevice] = []
    public var microphones: [AudioDevice] = []
    /// The names of applications that play audio, for `--audio app:NAME`.
    public var applications: [String] = []
    public var cameras: [Camera] = []
    /// One sentence for each kind of source that could not be listed.
    public var problems: [String] = []

    public init() {}
}

/// The result of one check. `kinecast-engine --doctor` prints an array of these as JSON.
public struct DoctorCheck: Codable, Sendable, Equatable {
    /// The subject, in a word or two: "display", "audio", "encoder", "disk" …
    public var name: String
    public var ok: Bool
    /// Whether nothing can be recorded without it, not even the pattern.
    public var essential: Bool
    /// The finding, in one sentence or less.
    public var detail: String
    /// The thing to install or set, if any.
    public var remedy: String?

    public init(name: String, ok: Bool, essential: Bool, detail: String, remedy: String? = nil) {
        self.name = name
        self.ok = ok
        self.essential = essential
        self.detail = detail
        self.remedy = remedy
    }

    package static func passed(_ name: String, _ detail: String, essential: Bool = false) -> DoctorCheck {
        DoctorCheck(name: name, ok: true, essential: essential, detail: detail)
    }

    package static func failed(_ name: String, _ detail: String, essential: Bool = false, remedy: String) -> DoctorCheck
    {
        DoctorCheck(name: name, ok: false, essential: essential, detail: detail, remedy: remedy)
    }

    /// A failed check. The error's sentence says what happened and, after a semicolon or a full stop, what to do, which
    /// is the default remedy.
    package static func failed(
        _ name: String, sentence: String, essential: Bool = false, remedy: String? = nil
    ) -> DoctorCheck {
        let end = ["; ", ". "].compactMap { sentence.firstRange(of: $0) }.min { $0.lowerBound < $1.lowerBound }
        let advice = end.map { String(sentence[$0.upperBound...]) } ?? ""
        return .failed(
            name, withoutStop(String(sentence[..<(end?.lowerBound ?? sentence.endIndex)])), essential: essential,
            remedy: remedy ?? withoutStop(advice.prefix(1).lowercased() + advice.dropFirst()))
    }

    private static func withoutStop(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}
