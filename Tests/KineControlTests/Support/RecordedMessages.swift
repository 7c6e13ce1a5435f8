// The messages that the lines of Recorded/*.jsonl mean, in order. Lines are only ever added there.
import KineMedia
import KinePlatform

@testable import KineControl
@testable import KineRelay

enum RecordedMessages {
    static let fromClients: [ClientMessage] = [
        .start(TakeConfiguration(source: .screen(monitor: nil), output: nil)),
        .start(everything), .start(screen), .start(region), .start(window), .status, .pause, .resume,
        .stop(immediately: false), .stop(immediately: true), .annotate(["title": "ü"]), .renewLinks,
        .start(slow), .follow(progress: true), .setMicrophone(on: true), .start(ofApp),
        .addDestination(.init(service: "rtmp", setupInfo: ["url": "rtmp://h/a/k"], label: "rtmp (h/a)"), reference: 7),
        .removeDestination(2), .start(buffered),
        .exportClip(ClipRequest(id: 7, output: "/tmp/ü.mp4", duration: .seconds(15), overwrite: true, isPrivate: true)),
        .exportClip(ClipRequest(id: 8, output: "/tmp/a.mp4", duration: nil)),
        .start(unseen),
        .permissionAnswer(true), .permissionAnswer(nil), .start(asking),
        .receiveFrames(FrameRequest(group: "org.example.group")),
        .receiveFrames(FrameRequest(group: "org.example.group", service: "passer", destination: 2)),
        .start(turned),
        .receiveSamples(SampleRequest(video: .raw(pixelFormat: .nv12, maximumSize: nil, framesPerSecond: 15))),
        .receiveSamples(
            SampleRequest(
                video: .raw(
                    pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil,
                    shape: FrameShape(
                        size: PixelSize(width: 540, height: 960),
                        crop: .part(PixelRect(x: 1, y: 2, width: 300, height: 400)), orientation: .right)),
                appAudio: .pcm)),
        .switchSource(.windowTitled("Ü")), .switchSource(.focusedWindow), .switchSource(.screen(monitor: nil)),
        .start(discreet), .setCamera(camera), .setCamera(nil), .start(enlarged), .start(clicking),
        .start(sharp), .switchSource(.drawnRegion), .start(typing),
        .switchSource(.application("Ü", monitor: nil)), .switchSource(.application("a", monitor: "DP-1")),
        .receiveSamples(
            SampleRequest(
                video: .raw(pixelFormat: .nv12, maximumSize: nil, framesPerSecond: nil, orientation: .source))),
        .start(opened), .switchSource(.commandWindow(.init(.application("a", monitor: nil)))),
        .switchSource(.commandWindow(.init(.titled("Ü"), limit: .seconds(2.5)))), .commandStarted(process: 17),
    ]

    static let fromEngines: [EngineMessage] =
        [
            .started(
                TakeStarted(id: "0a1b2c3d", output: nil, size: PixelSize(width: 1280, height: 720), environment: [])),
            .started(
                TakeStarted(
                    id: "0a1b2c3d", output: "/tmp/a.mp4", size: PixelSize(width: 1280, height: 720),
                    environment: ["DISPLAY=:7"], maximumBitrate: 6_000_000)),
            .status(status), .progress(progress), .paused, .resumed, .warning("The disk is slow."),
            .finished(
                TakeSummary(output: nil, size: PixelSize(width: 2, height: 2), progress: progress, reason: "stopped")),
            .finished(summary), .failed(TakeFailure(exitStatus: 69, message: "There is no display.")),
            .failed(TakeFailure(exitStatus: 74, message: "The disk is full.", summary: summary)),
            .refused("The take is paused already.", request: nil),
        ] + kinds.map { .destination(DestinationEvent(destination: 1, label: "rtmp://h", kind: $0)) } + [
            .microphone(on: false), .destinationAdded(2, reference: 7), .status(afterRemoval),
            .destination(
                DestinationEvent(destination: 1, label: "rtmp://h", kind: .serviceInfo(["viewers": "3"]))),
            .clip(ClipAnswer(id: 7, result: .exported(clip))),
            .clip(
                ClipAnswer(
                    id: 8, result: .failed(ClipFailure(.exportInProgress, "A clip of this take is being written.")))),
            .screenLocked(true), .finished(stoppedAtDesktop),
            .permissionQuestion("Recorder asks to record the screen. Allow it?"),
            .refused("The take is paused already.", request: RequestReference(.pause)),
            .refused("No destination has the number 2.", request: RequestReference(.removeDestination(2))),
            .frames(.accepted), .frames(.open(service: "passer", destination: 2)),
            .destination(
                DestinationEvent(
                    destination: 1, label: "rtmp://h", kind: .log(ExtensionLogLine(.info, "Connected.")))),
            .sourceSwitched(.window(0x3a0_0007)),
            .camera(camera), .camera(nil), .status(hiding), .commandNeeded(environment: ["DISPLAY=:7"]),
        ]

    private static let camera = TakeConfiguration.Camera(
        device: "HD Webcam",
        layout: CameraLayout(
            x: 0, y: 0.5, shape: .circle, isMirrored: true, border: .init(width: 0.03, colour: 0xff8000)))

    private static let clip = ExportedClip(
        output: "/tmp/ü.mp4", start: .seconds(85), duration: .seconds(16), askedDuration: .seconds(15),
        bytes: 1_234_567,
        frames: 480)

    private static let buffered = {
        var take = screen
        take.output = nil
        take.clipBuffer = .seconds(30)
        return take
    }()

    private static let everything = {
        var take = TakeConfiguration(source: .virtual(PixelSize(width: 1280, height: 720)), output: "/tmp/ü.mp4")
        take.video.rateControl = .bitsPerSecondPerPixel(11.5)
        take.video.keyframeFrames = 60
        take.video.maximumBitrate = 6_000_000
        take.video.size = PixelSize(width: 640, height: 360)
        take.audio.app = .application("firefox")
        take.audio.microphone = .named("alsa_input")
        take.destinations = [.init(service: "rtmp", setupInfo: ["url": "rtmp://h/a/k"], label: "rtmp://h")]
        take.confinement.leftOut = [.landlock]
        take.durationLimit = .seconds(3)
        return take
    }()

    private static let screen = {
        var take = TakeConfiguration(source: .screen(monitor: "eDP-1"), output: "/a")
        take.video.rateControl = .averageBitrate(2_000_000)
        take.audio.app = .none
        take.audio.microphone = .defaultDevice
        return take
    }()

    private static let slow = {
        var take = screen
        take.video.preset = .slow
        return take
    }()

    private static let turned = {
        var take = slow
        take.video.crop = .part(PixelRect(x: 1, y: 2, width: 300, height: 400))
        take.video.orientation = .right
        return take
    }()

    private static let discreet = {
        var take = slow
        take.video.excludedWindows = [.id(16), .titled("Ü"), .application("KeePassXC")]
        return take
    }()

    private static let enlarged = {
        var take = slow
        take.video.cursorScale = 1.5
        return take
    }()

    private static let clicking = {
        var take = enlarged
        take.video.showsClicks = true
        return take
    }()

    private static let sharp = {
        var take = slow
        take.video.colour = ColourFormat(chroma: .yuv444, isFullRange: true)
        return take
    }()

    private static let typing = {
        var take = clicking
        take.video.shownKeys = .all
        return take
    }()

    private static let ofApp = {
        var take = slow
        take.app = AppIdentity(identifier: "org.example.Recorder", name: "Recorder")
        take.app?.urlSchemes = ["exampleapp"]
        take.outlivesClient = true
        take.audio.isMicrophoneOff = true
        return take
    }()

    private static let unseen = {
        var take = slow
        take.audio.isMicrophoneOff = true
        take.isIndicated = false
        take.whenLocked = .keepRunning
        return take
    }()

    private static let asking = {
        var take = slow
        take.audio.isMicrophoneOff = true
        take.asksInTerminal = true
        return take
    }()

    private static let stoppedAtDesktop = {
        var summary = TakeSummary(
            output: nil, size: PixelSize(width: 2, height: 2), progress: progress, reason: "stopped at the desktop")
        summary.stoppedAtDesktop = true
        return summary
    }()

    private static let region = TakeConfiguration(
        source: .region(PixelRect(x: -1, y: 2, width: 640, height: 480)), output: "/a")

    private static let window = TakeConfiguration(source: .window(0x3a0_0007), output: "/a")

    private static let opened = TakeConfiguration(
        source: .commandWindow(.init(.first, privateScreen: PixelSize(width: 1280, height: 720))), output: "/a")

    private static let progress = {
        var progress = TakeProgress()
        progress.duration = .seconds(3)
        progress.bytes = 1_234_567
        progress.framesDrawn = 90
        progress.framesUnchanged = 5
        progress.framesDropped = 1
        return progress
    }()

    private static let endings: [DestinationEnding] = [
        .finished, .failed("The key is wrong."), .crashed("signal 11"),
        .memoryLimitExceeded(peak: 60 << 20, limit: 50 << 20), .stalled("no heartbeat for 30 s"),
    ]

    private static let destinations =
        [DestinationPhase.launching, .starting, .live, .reconnecting, .paused, .finishing, .ended].map {
            DestinationStatus(destination: 0, service: "live", label: "live", phase: $0)
        }
        + endings.map { ending in
            var status = DestinationStatus(destination: 1, service: "rtmp", label: "rtmp://h", phase: .ended)
            status.link = "http://h/1"
            status.playerLink = "http://h/2"
            status.state = "connected"
            status.problem = "The server is away."
            status.pid = 17
            status.residentMemory = 20 << 20
            status.peakMemory = 30 << 20
            status.memoryLimit = 50 << 20
            status.statistics.frames = 90
            status.statistics.viewers = 3
            status.statistics.connection = ConnectionStatistics()
            status.statistics.connection?.uptime = 2.5
            status.statistics.connection?.bitrate = 1_900_000
            status.encoding = EncodingRequest(averageBitrate: 400_000, maximumFrameRate: 7.5)
            status.framesSkipped = 4
            status.audioLost = 0.25
            status.restarts = 1
            status.confinement = [.landlock]
            status.ending = ending
            return status
        }

    private static let status = {
        var status = TakeStatus(
            id: "0a1b2c3d", phase: .recording, output: "/tmp/a.mp4", source: "screen eDP-1", progress: progress)
        status.destinations = destinations
        return status
    }()

    private static let hiding = {
        var status = TakeStatus(id: "0a1b2c3d", phase: .recording, output: nil, source: "screen", progress: progress)
        status.unmatchedExclusions = [.id(16), .titled("Ü")]
        return status
    }()

    private static let afterRemoval = {
        var removed = DestinationStatus(destination: 2, service: "rtmp", label: "rtmp (h/a)", phase: .ended)
        removed.ending = .finished
        removed.isRemoved = true
        var status = TakeStatus(id: "0a1b2c3d", phase: .recording, output: nil, source: "screen", progress: progress)
        status.destinations = [removed]
        return status
    }()

    private static let summary = {
        var summary = TakeSummary(
            output: "/tmp/a.mp4", size: PixelSize(width: 1280, height: 720), progress: progress, reason: "stopped")
        summary.destinations = destinations
        return summary
    }()

    private static let kinds: [DestinationEvent.Kind] =
        [
            .phase(.live), .link("http://h/1"), .playerLink("http://h/2"), .state("connected"), .warning("It is slow."),
            .memoryWarning(resident: 41 << 20, limit: 50 << 20), .restarting(after: .crashed("signal 11")),
        ] + endings.map { .ended($0) }
}
