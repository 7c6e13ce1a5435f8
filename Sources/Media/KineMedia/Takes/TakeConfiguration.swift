// A client's request to an engine for one take.
import KinePlatform

/// The settings of one take. DISPLAY, PULSE_SERVER and the like are not among them: the engine inherits the client's environment.
public struct TakeConfiguration: Codable, Sendable, Equatable {
    /// The source of the frames.
    public enum Source: Codable, Sendable, Equatable {
        /// An X screen: all of it, or the monitor of that RandR name.
        case screen(monitor: String?)
        /// A rectangle of the X screen, in root coordinates.
        case region(PixelRect)
        /// A rectangle of the X screen that the person at it draws with the mouse when the source is opened.
        case drawnRegion
        /// One top-level window, by its X id.
        case window(UInt32)
        /// The top-level window that has the focus when the source is opened.
        case focusedWindow
        /// The one window whose title is this text; where there is none, the one whose title holds it. Case does not matter.
        case windowTitled(String)
        /// A window that the person at a Wayland desktop chooses in the desktop's dialog when the source is opened.
        case chosenWindow
        /// The windows of one application, by its WM_CLASS, and no other: those on the whole screen, or on the monitor of that RandR name.
        /// Case does not matter.
        case application(String, monitor: String?)
        /// A window that is waited for: the program that the client starts opens it.
        case commandWindow(CommandWindow)
        /// A private X server of that size and a private audio server, which end with the take.
        case virtual(PixelSize)
        /// The same with a private Wayland compositor.
        case virtualWayland(PixelSize)
        /// A generated frame with a counter and a beep: needs nothing of the machine.
        case pattern(PixelSize)
    }

    /// The way to the frames of a screen, where the session has several.
    public enum Backend: String, Codable, Sendable, CaseIterable {
        case x11
        /// A Wayland compositor's own protocol for copies of its outputs: wlr-screencopy or ext-image-copy-capture.
        case wlr
        /// The portal of a Wayland desktop, which asks the person, and PipeWire.
        case portal
    }

    /// Windows that must not be seen.
    public enum WindowRule: Codable, Sendable, Hashable {
        /// A window, by its X id.
        case id(UInt32)
        /// Every window whose title holds this text. Case does not matter.
        case titled(String)
        /// Every window of an application, by its WM_CLASS. Case does not matter.
        case application(String)

        /// As `--exclude` takes it: `0x3a00007`, `title:TEXT` or `app:NAME`.
        public var optionValue: String {
            switch self {
            case .id(let id): "0x\(String(id, radix: 16))"
            case .titled(let text): "title:\(text)"
            case .application(let name): "app:\(name)"
            }
        }
    }

    /// The audio of the app track.
    public enum AppAudio: Codable, Sendable, Equatable {
        case none
        /// Everything that the machine plays. `required`: a machine without audio is an error, since the user asked for it.
        case system(required: Bool)
        /// The audio of one output, by its PulseAudio name.
        case output(String)
        /// One application's audio, by its PulseAudio `application.name` or binary.
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

    /// What becomes of a take of a person's screen while that is locked. Virtual screens and patterns go on.
    public enum WhenLocked: String, Codable, Sendable, CaseIterable {
        /// The take pauses, and goes on when the screen is unlocked.
        case pause
        /// The take goes on, and shows a plain card instead of the lock screen.
        case keepRunning
    }

    /// A camera over the picture.
    public struct Camera: Codable, Sendable, Equatable {
        /// "default", "pattern" for a generated picture, a camera's name or the path of its device, or the absolute path of a file with
        /// video, which is shown again and again.
        public var device: String
        public var layout: CameraLayout

        public init(device: String = "default", layout: CameraLayout = CameraLayout()) {
            self.device = device
            self.layout = layout
        }
    }

    /// Keys that are shown in the frames as they are pressed.
    public enum ShownKeys: String, Codable, Sendable, CaseIterable {
        /// Combinations with Ctrl, Alt or Super, function keys and Esc.
        case shortcuts
        /// Typed keys too, but never while a password field or a terminal has the focus, or while that is not known.
        case all
    }

    public struct Video: Codable, Sendable, Equatable {
        public var framesPerSecond = 30
        /// Whether frames come at 1000/1001 of that rate, as NTSC's do: 29.97 a second instead of 30.
        public var isNTSCRate = false
        /// Nanoseconds in which `framesPerSecond` frames come.
        public var framePeriod: Int64 { isNTSCRate ? 1_001_000_000 : 1_000_000_000 }
        public var rateControl = RateControl.constantQuality(Video.defaultQuality)
        /// Nil: the encoder's own settings for text on a desktop.
        public var preset: EncoderPreset?
        /// The longest time between keyframes while the screen changes.
        public var keyframeInterval = MediaTime.seconds(10)
        /// The largest number of frames between keyframes; nil: only time limits it.
        public var keyframeFrames: Int?
        /// Whether frames are repeated so that they are evenly spaced.
        public var constantFrameRate = false
        /// Whether the user chose the file's bitrate or quality, which it then has, whatever the destinations expect.
        public var isRateChosen = false
        /// Whether the file keeps its quality and every frame when a destination asks for less, by means of a second encoder.
        /// Otherwise the file gets what the destinations get.
        public var keepsRecordingQuality = true
        /// The most bits a second for destinations; nil: the most that their services expect.
        public var maximumBitrate: Int?
        /// The fewest bits a second that a destination can bring the encoder down to.
        public var minimumBitrate = Video.defaultMinimumBitrate
        /// The size of the file's frames; nil: the source's own.
        public var size: PixelSize?
        /// The part of the upright source that the file shows.
        public var crop = PictureGeometry.Crop.fit
        /// The turn that makes the source upright.
        public var orientation = Orientation.up
        /// The chroma and the range of the file's frames. Only a take without destinations can have others than the standard ones.
        public var colour = ColourFormat.standard
        /// The windows that are painted over in frames of a screen or a part of it.
        public var excludedWindows: [WindowRule] = []
        /// Nil: none. It may come later, too.
        public var camera: Camera?
        public var showsCursor = true
        /// The factor by which the pointer's image is enlarged.
        public var cursorScale = 1.0
        /// Whether clicks of the mouse have rings round them.
        public var showsClicks = false
        /// The keys that are shown; nil: none.
        public var shownKeys: ShownKeys?

        public static let defaultQuality = 23
        public static let defaultMinimumBitrate = 400_000

        public init() {}
    }

    public struct Audio: Codable, Sendable, Equatable {
        public var app = AppAudio.system(required: false)
        public var microphone = Microphone.none
        /// The microphone is not recorded until a client turns it on.
        public var isMicrophoneOff = false
        /// The take goes on without its microphone where there is none, and a warning says so; otherwise it cannot begin.
        public var isMicrophoneOptional = false
        /// Whether app and microphone have a track each; otherwise they are mixed into one.
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
        /// The user's settings, secrets included. The address of `--to` is under the key "url".
        public var setupInfo: [String: String]
        /// The destination's name for a person, without secrets.
        public var label: String

        public init(service: String, setupInfo: [String: String] = [:], label: String) {
            self.service = service
            self.setupInfo = setupInfo
            self.label = label
        }
    }

    public var source: Source
    /// Nil: the one that fits the session.
    public var backend: Backend?
    /// The desktop's portal asks the person again, although they have permitted it before.
    public var asksAnew = false
    public var video = Video()
    public var audio = Audio()
    /// Absolute path of the file to write, or `standardOutput`; nil: no recording, only destinations.
    public var output: String?
    /// The `output` of a take that is written to its client's standard output, here and in the messages about it.
    public static let standardOutput = "-"
    /// The path of the file to write; nil: there is none.
    public var file: String? { writesToStandardOutput ? nil : output }
    public var writesToStandardOutput: Bool { output == Self.standardOutput }
    /// Whether only its owner may read the file, whatever the umask.
    public var isOutputPrivate = false
    /// The file gets the next free name if `output` is taken: Kinecast has chosen it.
    public var isOutputNumbered = false
    /// The destinations of the broadcast, with an extension for each.
    public var destinations: [Destination] = []
    /// The samples that the client will ask for itself: what they need is made from the beginning.
    public var expectedSamples: [SampleRequest] = []
    /// The times after which an extension counts as stalled.
    public var supervision = SupervisionLimits()
    /// The confinement of extensions.
    public var confinement = ConfinementRequest()
    /// Replace an existing file.
    public var overwrite = false
    /// Move the index to the front once the file is finished.
    public var fastStart = false
    /// End the take after this much recorded time.
    public var durationLimit: MediaTime?
    /// Keep the last so much recorded time, for clips; nil: there are none.
    public var clipBuffer: MediaTime?
    /// Send progress once a second. Otherwise the engine sends none, so that it can sleep longer.
    public var wantsProgress = false
    public var optimizations = Optimizations()
    /// The app that asked for the take; nil: a person, at the command line.
    public var app: AppIdentity?
    /// The take goes on when the client that started it is gone; otherwise the engine finishes it then.
    public var outlivesClient = false
    /// A person sees on the desktop what is captured, and can stop it there. Only a person at the command line can do without: the
    /// engine sets it for every other program.
    public var isIndicated = true
    /// The client can ask a person in its terminal, where there is no desktop to do so.
    public var asksInTerminal = false
    public var whenLocked = WhenLocked.pause

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
        case .drawnRegion: "drawn region"
        case .window(let id): "window 0x\(String(id, radix: 16))"
        case .focusedWindow: "focused window"
        case .windowTitled(let title): "window \"\(title.printable(limit: 100))\""
        case .chosenWindow: "chosen window"
        case .application(let name, nil): "application \"\(name.printable(limit: 100))\""
        case .application(let name, let monitor?): "application \"\(name.printable(limit: 100))\" on \(monitor)"
        case .commandWindow(let window): window.description
        case .virtualWayland(let size): "virtual Wayland screen \(size.width)x\(size.height)"
        case .virtual(let size): "virtual screen \(size.width)x\(size.height)"
        case .pattern(let size): "pattern \(size.width)x\(size.height)"
        }
    }
}

/// The times that an extension must keep, in seconds; its manifest has further limits (memory, finishing, restarts). Only tests
/// change them, to recognise a faulty extension sooner.
public struct SupervisionLimits: Codable, Sendable, Equatable {
    /// From the `start` message to the return of `broadcastStarted`.
    public var start = 10.0
    /// Without a heartbeat: two of its periods, so that one may be late.
    public var heartbeat = 30.0
    /// For one sample, unread or held by the handler.
    public var held = 5.0
    /// From the end of a faulty process to the start of the next.
    public var restartDelay = 0.5

    public init() {}
}

/// A client's request for the confinement. By default every layer that the kernel has is used.
public struct ConfinementRequest: Codable, Sendable, Equatable {
    /// Whether the take is refused if a layer is missing.
    public var isRequired = false
    /// Layers that are not used: for tests and measurements of what each layer stops and costs.
    public var leftOut: Set<Sandbox.Layer> = []

    public init() {}

    /// The layers that hold on this machine.
    public var layers: Set<Sandbox.Layer> { Sandbox.available.subtracting(leftOut) }
}
