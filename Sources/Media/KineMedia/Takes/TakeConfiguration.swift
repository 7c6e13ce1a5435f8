// A client's request to an engine for one take.
import KineText

/// The settings of one take. Not DISPLAY, PULSE_SERVER and the like: the engine inherits the client's environment.
public struct TakeConfiguration: Codable, Sendable, Equatable {
    /// The source of the frames.
    public enum Source: Codable, Sendable, Equatable, CustomStringConvertible {
        /// An X screen: all of it, or the monitor of that RandR name.
        case screen(monitor: String?)
        /// A rectangle of the X screen, in root coordinates.
        case region(PixelRect)
        /// A rectangle of the X screen that the person draws with the mouse when the source is opened.
        case drawnRegion
        /// One top-level window, by its X id.
        case window(UInt32)
        /// The top-level window that has the focus when the source is opened.
        case focusedWindow
        /// The window with exactly this title, or else the one whose title contains it. Case does not matter.
        case windowTitled(String)
        /// A window that the person chooses in a Wayland desktop's dialog when the source is opened.
        case chosenWindow
        /// Only the windows of one application, by its WM_CLASS, on the whole screen or on the monitor of that RandR
        /// name. Case does not matter.
        case application(String, monitor: String?)
        /// A window of the program that the client starts. The take waits for it.
        case commandWindow(CommandWindow)
        /// A private X server of that size and a private audio server, which end with the take.
        case virtual(PixelSize)
        /// As `virtual`, with a private Wayland compositor.
        case virtualWayland(PixelSize)
        /// A generated frame with a counter and a beep. Has no requirements.
        case pattern(PixelSize)

        /// A description for `kinecast status`.
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

    /// The way to capture a screen, if the session has several.
    public enum Backend: String, Codable, Sendable, CaseIterable {
        case x11
        /// A Wayland compositor's own protocol to copy its outputs: wlr-screencopy or ext-image-copy-capture.
        case wlr
        /// The portal of a Wayland desktop, which asks the person, and PipeWire.
        case portal
    }

    /// Selects windows that must not be visible.
    public enum WindowRule: Codable, Sendable, Hashable {
        /// A window, by its X id.
        case id(UInt32)
        /// The same; the take also keeps it above other windows, as fits what controls the take.
        case above(UInt32)
        /// Every window whose title contains this text. Case does not matter.
        case titled(String)
        /// Every window of an application, by its WM_CLASS, and its menus and tips, often without one. Ignores case.
        case application(String)
        /// Every window of a process, by its number: its menus, popups and tips too.
        case process(Int32)

        /// In the form of `--exclude`: `0x3a00007`, `above:0x3a00007`, `title:TEXT`, `app:NAME` or `process:PID`.
        public var optionValue: String {
            switch self {
            case .id(let id): "0x\(String(id, radix: 16))"
            case .above(let id): "above:0x\(String(id, radix: 16))"
            case .titled(let text): "title:\(text)"
            case .application(let name): "app:\(name)"
            case .process(let process): "process:\(process)"
            }
        }
    }

    /// How frames hide excluded windows.
    public enum ExcludeHow: String, Codable, Sendable, CaseIterable {
        /// A plain rectangle.
        case cover
        /// The other windows, without a compositing manager's shadows and transparency; a plain rectangle where they are
        /// not known.
        case beneath
    }

    /// The audio of the app track.
    public enum AppAudio: Codable, Sendable, Equatable {
        case none
        /// All audio that the machine plays. `required`: without audio the take fails, since the user requested it.
        case system(required: Bool)
        /// The audio of one output, by its PulseAudio name.
        case output(String)
        /// The audio of all outputs, each sound once.
        case everything
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

    /// How a take of a person's screen reacts to its lock. Takes of virtual screens and patterns continue.
    public enum WhenLocked: String, Codable, Sendable, CaseIterable {
        /// Pause, and resume when the screen is unlocked.
        case pause
        /// Continue, and show a plain card instead of the lock screen.
        case keepRunning
    }

    /// How a take reacts when the recorded monitor is unplugged or turned off.
    public enum WhenUnplugged: String, Codable, Sendable, CaseIterable {
        /// Show its last picture until it is back; sound goes on.
        case wait
        /// End the take.
        case stop
    }

    /// A camera over the picture.
    public struct Camera: Codable, Sendable, Equatable {
        /// "default", "pattern" for a generated picture, a camera's name or the path of its device, or the absolute
        /// path of a video file, which repeats.
        public var device: String
        public var layout: CameraLayout

        public init(device: String = "default", layout: CameraLayout = CameraLayout()) {
            self.device = device
            self.layout = layout
        }
    }

    /// Keys that are shown in the frames when they are pressed.
    public enum ShownKeys: String, Codable, Sendable, CaseIterable {
        /// Combinations with Ctrl, Alt or Super, function keys and Esc.
        case shortcuts
        /// Typed keys too, but never while a password field or a terminal has the focus, or while the focus is unknown.
        case all
    }

    public struct Video: Codable, Sendable, Equatable {
        public var framesPerSecond = 30
        /// Whether the rate is multiplied by 1000/1001, as for NTSC: 29.97 frames a second instead of 30.
        public var isNTSCRate = false
        /// Nanoseconds of `framesPerSecond` frames.
        public var framePeriod: Int64 { isNTSCRate ? 1_001_000_000 : 1_000_000_000 }
        public var rateControl = RateControl.constantQuality(Video.defaultQuality)
        /// Nil: the encoder's own settings for text on a desktop.
        public var preset: EncoderPreset?
        /// The longest time between keyframes while the screen changes.
        public var keyframeInterval = MediaTime.seconds(10)
        /// The most frames between keyframes; nil: only time limits it.
        public var keyframeFrames: Int?
        /// Whether frames are repeated so that they are evenly spaced.
        public var constantFrameRate = false
        /// Whether the user chose the file's bitrate or quality; the destinations' limits then do not change it.
        public var isRateChosen = false
        /// Whether the file keeps its quality and every frame when a destination requests less, by a second encoder.
        /// Otherwise the file has the destinations' frames.
        public var keepsRecordingQuality = true
        /// The most bits a second for destinations; nil: the limits of their services.
        public var maximumBitrate: Int?
        /// The lowest bits a second that a destination can request.
        public var minimumBitrate = Video.defaultMinimumBitrate
        /// The size of the file's frames; nil: the source's own.
        public var size: PixelSize?
        /// The part of the upright source in the file.
        public var crop = PictureGeometry.Crop.fit
        /// The rotation that makes the source upright.
        public var orientation = Orientation.up
        /// The sample format of the file's frames. Takes with destinations need the standard one.
        public var colour = ColourFormat.standard
        /// The windows that are not seen in frames of a screen or a part of it.
        public var excludedWindows: [WindowRule] = []
        public var excludeHow = ExcludeHow.cover
        /// The initial camera. A client can set one later.
        public var camera: Camera?
        public var showsCursor = true
        /// The factor by which the pointer's image is enlarged.
        public var cursorScale = 1.0
        /// Whether mouse clicks get rings around them.
        public var showsClicks = false
        /// The keys that are shown, if any.
        public var shownKeys: ShownKeys?
        /// Whether recordings have the track of what a person does (docs/input-track.md). Only those of a screen get one.
        public var recordsInput = false

        public static let defaultQuality = 23
        public static let defaultMinimumBitrate = 400_000

        public init() {}
    }

    /// What becomes of the two channels of a microphone.
    public enum MicrophoneChannels: String, Codable, Sendable, CaseIterable {
        /// As they are, but a voice in one channel alone goes to both.
        case auto
        /// The left, or the right channel goes to both.
        case left, right
        /// As they are.
        case stereo
        /// Both, mixed.
        case mono
    }

    public struct Audio: Codable, Sendable, Equatable {
        public var app = AppAudio.system(required: false)
        public var microphone = Microphone.none
        /// The microphone is off until a client turns it on.
        public var isMicrophoneOff = false
        public var microphoneChannels = MicrophoneChannels.auto
        /// Without a microphone, the take continues with a warning; otherwise it cannot begin.
        public var isMicrophoneOptional = false
        /// Whether app and microphone have separate tracks; otherwise they are mixed into one.
        public var separateTracks = false
        public var sampleRate = 48000
        public var channels = 2
        /// Bits a second for each track.
        public var bitrate = 160_000

        public init() {}
    }

    /// Switches to measure the effect of each optimisation. All are on except in benchmarks.
    public struct Optimizations: Codable, Sendable, Equatable {
        /// Read only the changes that the X server reports; off: the whole screen, every frame.
        public var damage = true
        /// Encode nothing when nothing changed.
        public var skipUnchanged = true
        /// Tell the encoder which macroblocks are unchanged.
        public var macroblockInfo = true

        public init() {}
    }

    /// The most that one file of a split recording holds.
    public enum SplitLimit: Codable, Sendable, Equatable {
        case duration(MediaTime)
        /// Bytes of the finished file.
        case bytes(Int64)
    }

    /// A destination of the broadcast. Each has its own extension.
    public struct Destination: Codable, Sendable, Equatable {
        /// The ID of the service, which the engine looks up in its `ServiceCatalog`.
        public var service: String
        /// The user's settings, with secrets. The address of `--to` has the key "url".
        public var setupInfo: [String: String]
        /// The destination's display name, without secrets.
        public var label: String

        public init(service: String, setupInfo: [String: String] = [:], label: String) {
            self.service = service
            self.setupInfo = setupInfo
            self.label = label
        }
    }

    public var source: Source
    /// Nil: the session's best one.
    public var backend: Backend?
    /// The desktop's portal asks the person again, even if they have permitted it before.
    public var asksAnew = false
    public var video = Video()
    public var audio = Audio()
    /// Absolute path of the file to write, or `standardOutput`; nil: only destinations.
    public var output: String?
    /// The `output` of a take that its client's standard output receives, here and in messages.
    public static let standardOutput = "-"
    /// The path of the file to write, if any.
    public var file: String? { writesToStandardOutput ? nil : output }
    public var writesToStandardOutput: Bool { output == Self.standardOutput }
    /// Whether only its owner may read the file, whatever the umask.
    public var isOutputPrivate = false
    /// Use the next free name if `output` is taken: Kinecast has chosen it.
    public var isOutputNumbered = false
    public var destinations: [Destination] = []
    /// The samples that the client will request itself; the take prepares them from the start.
    public var expectedSamples: [SampleRequest] = []
    /// The time limits of the extensions.
    public var supervision = SupervisionLimits()
    /// Replace an existing file.
    public var overwrite = false
    /// Move the index to the front once the file is finished.
    public var fastStart = false
    /// End the take after this much recorded time.
    public var durationLimit: MediaTime?
    /// Continue the recording in a new file at this limit.
    public var split: SplitLimit?
    /// The path of one file of the recording, counted from 1. The first is `file` if no limit was asked for.
    public func file(part: Int) -> String? {
        split == nil && part == 1 ? file : file.map { NumberedName.part(part, of: $0) }
    }
    /// Whether the take's recordings and clips have an input track.
    public var recordsInput: Bool {
        if case .pattern = source { return false }
        return video.recordsInput && keepsSamples
    }
    /// Keep this much recorded time for clips; nil: no clips.
    public var clipBuffer: MediaTime?
    /// Send progress once a second. Off by default, so that the engine can sleep longer.
    public var wantsProgress = false
    public var optimizations = Optimizations()
    /// The app that requested the take; nil: a person, at the command line.
    public var app: AppIdentity?
    /// The take continues after the client that started it has gone; otherwise the engine finishes it then.
    public var outlivesClient = false
    /// The desktop shows the person what is captured and a Stop button. Only a person at the command line can turn it
    /// off: the engine sets it for every other program.
    public var isIndicated = true
    /// The client can ask a person in its terminal if no desktop can.
    public var asksInTerminal = false
    public var whenLocked = WhenLocked.pause
    public var whenUnplugged = WhenUnplugged.wait
    /// The screen may be blanked and locked by itself during the take.
    public var letsIdle = false

    public init(source: Source, output: String?) {
        self.source = source
        self.output = output
    }
}

/// The time limits of an extension, in seconds; its manifest has further limits (memory, finishing, restarts). Only
/// tests change them, to detect a faulty extension sooner.
public struct SupervisionLimits: Codable, Sendable, Equatable {
    /// From the `start` message to the return of `broadcastStarted`.
    public var start = 10.0
    /// Without a heartbeat: two periods, so that one may be late.
    public var heartbeat = 30.0
    /// For one sample, unread or held by the handler.
    public var held = 5.0
    /// From the end of a faulty process to the start of the next.
    public var restartDelay = 0.5

    public init() {}
}
