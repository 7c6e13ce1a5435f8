// Everything that a client asks of an engine for one take.
import KineMedia

/// One take, as the client wants it. What the sources need of the client's environment (DISPLAY, XAUTHORITY, PULSE_SERVER …) is in
/// the engine's own.
public struct TakeConfiguration: Codable, Sendable, Equatable {
    /// What to record.
    public enum Source: Codable, Sendable, Equatable {
        /// An X screen: all of it, or the monitor of that RandR name.
        case screen(monitor: String?)
        /// A rectangle of the X screen, in root coordinates.
        case region(PixelRect)
        /// One top-level window, by its X id.
        case window(UInt32)
        /// A private X server of that size and a private audio server, ended with the take.
        case virtual(PixelSize)
        /// A generated frame with a counter and a beep: needs nothing of the machine.
        case pattern(PixelSize)
    }

    /// Which of the machine's audio goes on the app track.
    public enum AppAudio: Codable, Sendable, Equatable {
        case none
        /// What the machine plays. `required`: the user asked for it, so a machine without audio is an error.
        case system(required: Bool)
        /// What one application plays, by its PulseAudio `application.name` or binary.
        case application(String)
    }

    public enum Microphone: Codable, Sendable, Equatable {
        case none
        case defaultDevice
        /// A PulseAudio source by name.
        case named(String)
    }

    public enum RateControl: Codable, Sendable, Equatable {
        /// x264's constant rate factor: 0 best, 51 worst.
        case constantQuality(Int)
        /// Bits a second, on average.
        case averageBitrate(Int)
        /// Bits a second, on average, for each pixel of the file's frame. Used before the frame's size is known.
        case bitsPerSecondPerPixel(Double)
    }

    public struct Video: Codable, Sendable, Equatable {
        public var framesPerSecond = 30
        public var rateControl = RateControl.constantQuality(Video.defaultQuality)
        /// Nil: the encoder's own settings for text on a desktop.
        public var preset: EncoderPreset?
        /// The longest time between keyframes while the screen changes.
        public var keyframeInterval = MediaTime.seconds(10)
        /// The largest number of frames between keyframes; nil: only time limits it.
        public var keyframeFrames: Int?
        /// Frames are repeated so that they are evenly spaced.
        public var constantFrameRate = false
        /// The user chose the bitrate or quality of the file: it has that, whatever the destinations expect.
        public var isRateChosen = false
        /// The file keeps its quality and every frame whatever a destination asks of the encoder; a second encoder works
        /// meanwhile. Otherwise the file gets what the destinations get.
        public var keepsRecordingQuality = true
        /// Bits a second that destinations get at most; nil: what their services expect.
        public var maximumBitrate: Int?
        /// Bits a second below which no destination can bring the encoder.
        public var minimumBitrate = Video.defaultMinimumBitrate
        /// The size of the file's frames; nil: the source's own.
        public var size: PixelSize?
        public var showsCursor = true

        public static let defaultQuality = 23
        public static let defaultMinimumBitrate = 400_000

        public init() {}
    }

    public struct Audio: Codable, Sendable, Equatable {
        public var app = AppAudio.system(required: false)
        public var microphone = Microphone.none
        /// App and microphone each have a track; otherwise they are mixed into one.
        public var separateTracks = false
        public var sampleRate = 48000
        public var channels = 2
        /// Bits a second for each track.
        public var bitrate = 160_000

        public init() {}
    }

    /// Switches for measuring the effect of each optimisation. All are on except in benchmarks.
    public struct Optimizations: Codable, Sendable, Equatable {
        /// Read only what the X server says has changed; off: the whole screen, every frame.
        public var damage = true
        /// Encode nothing when nothing changed.
        public var skipUnchanged = true
        /// Tell the encoder which macroblocks are as they were.
        public var macroblockInfo = true

        public init() {}
    }

    /// One destination.
    public struct Destination: Codable, Sendable, Equatable {
        /// The id of the service, which the engine looks up in its `ServiceCatalog`.
        public var service: String
        /// What the user set, secrets among it. The address of `--to` is under the key "url".
        public var setupInfo: [String: String]
        /// How it is shown to a person, without secrets.
        public var label: String

        public init(service: String, setupInfo: [String: String] = [:], label: String) {
            self.service = service
            self.setupInfo = setupInfo
            self.label = label
        }
    }

    public var source: Source
    public var video = Video()
    public var audio = Audio()
    /// Absolute path of the file to write; nil: no recording, only destinations.
    public var output: String?
    /// Only its owner may read the file, whatever the umask.
    public var isOutputPrivate = false
    /// Where to broadcast: an extension for each.
    public var destinations: [Destination] = []
    /// When an extension counts as stalled.
    public var supervision = SupervisionLimits()
    /// How extensions are confined.
    public var confinement = ConfinementRequest()
    /// Replace an existing file.
    public var overwrite = false
    /// Move the index to the front once the file is finished.
    public var fastStart = false
    /// End the take after this much recorded time.
    public var durationLimit: MediaTime?
    /// Send progress once a second. Otherwise the engine stays silent, to sleep longer.
    public var wantsProgress = false
    public var optimizations = Optimizations()
    /// The app that asked for the take; nil: a person, at the command line.
    public var app: AppIdentity?
    /// The take goes on when the client that started it is gone; otherwise the engine finishes it then.
    public var outlivesClient: Bool {
        get { outlives ?? false }
        set { outlives = newValue ? true : nil }
    }
    /// Absent where it is false, as in messages of older clients.
    private var outlives: Bool?

    public init(source: Source, output: String?) {
        self.source = source
        self.output = output
    }
}

extension TakeConfiguration.Source: CustomStringConvertible {
    /// For a person to read, as `kinecast status` shows it.
    public var description: String {
        switch self {
        case .screen(nil): "screen"
        case .screen(let monitor?): "screen \(monitor)"
        case .region(let rect): "region \(rect.width)x\(rect.height)+\(rect.x)+\(rect.y)"
        case .window(let id): "window 0x\(String(id, radix: 16))"
        case .virtual(let size): "virtual screen \(size.width)x\(size.height)"
        case .pattern(let size): "pattern \(size.width)x\(size.height)"
        }
    }
}
