// What can be recorded on a machine, as `kinecast sources` prints it. The engine makes the list; the names are those that the
// options take.
import KineMedia

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
        public init(id: UInt32, title: String, application: String, bounds: PixelRect) {
            self.id = id
            self.title = title
            self.application = application
            self.bounds = bounds
        }
    }

    public struct AudioDevice: Codable, Sendable, Equatable {
        /// PulseAudio's name, which `--mic` takes.
        public var name: String
        public var description: String
        public var isDefault: Bool
        public init(name: String, description: String, isDefault: Bool) {
            self.name = name
            self.description = description
            self.isDefault = isDefault
        }
    }

    public var monitors: [Monitor] = []
    public var windows: [Window] = []
    public var outputs: [AudioDevice] = []
    public var microphones: [AudioDevice] = []
    /// The names of the applications that play audio, which `--audio app:NAME` takes.
    public var applications: [String] = []
    /// Why a list is empty: one sentence for each that could not be made.
    public var problems: [String] = []

    public init() {}
}
