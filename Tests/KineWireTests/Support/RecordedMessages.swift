// The meaning of recorded messages of the first version: the lines of Recorded/*.jsonl, in order. Lines are only added there.
import KineMedia
import KineRings

@testable import KineWire

enum RecordedMessages {
    static let fromEngines: [ExtensionRequest] = [
        .start(encoded), .start(raw), .pause(after: position), .resume(after: position),
        .annotate(["title": "ü"], after: position), .renewLink(after: position),
        .finish(after: position, seconds: 5), .screenLocked(true, after: position),
        .start(desktop), .desktop(.done(number: 1)), .desktop(.text(PasteboardText("ü"), number: 2)),
        .desktop(.text(nil, number: 3)), .desktop(.failed(DesktopFailure(.tooMany, "Wait."), number: 4)),
        .desktop(
            .activated(
                NotificationActivation(identifier: "a", action: "retry", payload: ["room": "1"], token: "t"))),
        .desktop(.activated(NotificationActivation(identifier: "a"))),
        .start(sharing), .frameReceiver(group: "org.example.group"),
    ]

    static let fromExtensions: [ExtensionReport] =
        [
            .started, .live(true, reason: nil), .live(false, reason: "The server is away."), .heartbeat,
            .statistics(ExtensionStatistics()), .statistics(statistics),
            .links(BroadcastLinks(page: "http://h/1")),
            .links(BroadcastLinks(page: "http://h/1", player: "http://h/2", isRenewable: true)), .state("connected"),
            .warning("It is slow."), .needsKeyframe, .encoding(.none),
            .encoding(EncodingRequest(averageBitrate: 400_000, maximumFrameRate: 7.5)), .failed("The key is wrong."),
            .finished, .serviceInfo(["viewers": "3"]),
        ] + desktopTasks.enumerated().map { .desktop(DesktopRequest(number: $0, task: $1)) } + [
            .log(ExtensionLogLine(.warning, "The buffer is half full."))
        ]

    private static let desktopTasks: [DesktopTask] = [
        .post(NotificationContents(identifier: "a", title: "connected")),
        .post(
            NotificationContents(
                identifier: "a", title: "connected", text: "ü", sound: "complete", payload: ["room": "1"], delay: 2.5,
                actions: [.init(identifier: "retry", title: "Retry")])),
        .withdraw(identifier: "a"), .activateApp(token: nil), .activateApp(token: "t"),
        .setText(PasteboardText("ü"), group: "org.example.group"), .text(group: "org.example.group"),
    ]

    private static let position = StreamPosition(samples: 4096, frames: 17)

    private static let encoded = ExtensionStart(
        service: "rtmp", setupInfo: ["url": "rtmp://h/a/k"],
        stream: StreamDescription(
            framesPerSecond: 30,
            video: StreamDescription.EncodedVideo(
                VideoFormat(
                    parameterSets: .h264(H264ParameterSets(sequence: [0x67, 1], picture: [0x68, 2])),
                    size: PixelSize(width: 1280, height: 720)), averageBitrate: 2_000_000),
            frames: nil,
            audio: [
                AudioFormat(
                    type: .audioApp, codec: .aac, sampleRate: 48000, channels: 2, bitrate: 160_000,
                    configuration: [0x11, 0x90], samplesPerAccessUnit: 1024, primingSamples: 1024)
            ], sampleRingBytes: 1 << 20), memoryLimit: 50 << 20)

    private static let desktop = ExtensionStart(
        service: "a", setupInfo: [:],
        stream: StreamDescription(framesPerSecond: 1, video: nil, frames: nil, audio: [], sampleRingBytes: 65536),
        memoryLimit: 20 << 20)

    private static let sharing = {
        var start = encoded
        start.groups = [
            GroupPlace(
                identifier: "org.example.group", path: "/home/ü/.local/share/kinecast/groups/org.example.group")
        ]
        return start
    }()

    private static let raw = ExtensionStart(
        service: "org.example.meter", setupInfo: [:],
        stream: StreamDescription(
            framesPerSecond: 10, video: nil,
            frames: FrameSlotLayout(pixelFormat: .nv12, visibleSize: PixelSize(width: 641, height: 360), slotCount: 4),
            audio: [.pcm(.audioMic, sampleRate: 48000, channels: 1)], sampleRingBytes: 1 << 16),
        memoryLimit: 20 << 20, finishSeconds: 2.5)

    private static let statistics = {
        var statistics = ExtensionStatistics()
        statistics.frames = 90
        statistics.audioSamples = 140
        statistics.bytes = 1_234_567
        statistics.queuedBytes = 512
        statistics.sentBytes = 1_234_000
        statistics.viewers = 3
        statistics.connection = ConnectionStatistics()
        statistics.connection?.uptime = 2.5
        statistics.connection?.reconnects = 1
        statistics.connection?.bitrate = 1_900_000
        statistics.connection?.queueMilliseconds = 340
        statistics.connection?.roundTripMilliseconds = 0.25
        statistics.connection?.framesDropped = 17
        return statistics
    }()
}
