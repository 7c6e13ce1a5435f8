import AudioTesting
// A take's picture half on a screen that the test paints: capture, encoder and feeds, without sound and without a file.
import KineCapture
import KineCodecs
import KineControl
import KineImaging
import KineMedia
import KinePlatform
import KineServices
import Testing

@testable import KineEngine

final class FeedStage: Sendable {
    let screen: ScriptedSource.Screen
    let clock = TakeClock()
    /// What the encoder made, as a file would get it.
    let samples = Monitor<[EncodedSample]>([])
    let capture: CaptureThread
    let desk: FeedDesk
    private let size: PixelSize

    /// `isRecorded`: pictures are encoded in any case.
    init(
        size: PixelSize = PixelSize(width: 128, height: 96), services: [ServiceManifest], isRecorded: Bool = true,
        _ change: (inout TakeConfiguration) -> Void = { _ in }
    ) throws {
        self.size = size
        screen = ScriptedSource.Screen(size: size)
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        configuration.video.framesPerSecond = 100
        configuration.audio.app = .none
        change(&configuration)
        let settings = configuration
        let sound = try AudioPipeline(
            configuration: configuration.audio, clock: clock, onSample: { _ in }, onWarning: { _ in })
        let feeds = FeedList()
        let desk = FeedDesk(configuration: configuration, services: services, sound: sound, feeds: feeds)
        self.desk = desk
        let (screen, samples) = (screen, samples)
        capture = CaptureThread(
            configuration: configuration, clock: clock, open: { ScriptedSource.opening(screen) },
            output: CaptureThread.Output(
                slots: { size throws(VideoSourceError) in try desk.makeSlots(size: size) },
                opened: { canvas in
                    let encoding = VideoEncodingThread(
                        plan: EncodingPlan(settings, services: services, size: canvas.codedSize),
                        keyframes: KeyframePolicy(interval: .seconds(100), frames: nil), isWanted: isRecorded,
                        output: VideoEncodingThread.Output(
                            ready: { desk.encoderOpened(VideoFormat(parameterSets: $0, size: canvas.size)) },
                            release: canvas.release,
                            sample: { sample, _ in
                                feeds.send(picture: sample)
                                samples.signal { $0.append(sample) }
                            }, needsKeyframe: { feeds.takeKeyframeRequest() },
                            failed: { Issue.record("\($0)") }))
                    let outlet = PictureOutlet(
                        encoding: encoding, feeds: feeds, isRecorded: isRecorded,
                        framesPerSecond: settings.video.framesPerSecond, canvas: canvas)
                    desk.opened(canvas, outlet: outlet)
                    return outlet
                }, began: { _ in }, ended: { desk.ended($0) }))
    }

    /// Paints, and waits until the picture is drawn and encoded: then only readers hold slots, however slow the encoder is.
    func paint(_ rect: PixelRect, _ colour: UInt32) throws {
        let before = (drawn: capture.counts.drawn, samples: samples.withLock { $0.count })
        screen.fill(rect, colour)
        try wait("a picture") { capture.counts.drawn > before.drawn }
        let isEncoded = samples.wait(until: MonotonicClock.now() + 300_000_000_000) { [capture] in
            $0.count > before.samples && $0.count >= capture.counts.drawn ? true : nil
        }
        try #require(isEncoded == true)
    }

    /// Makes a feed, and waits for it.
    func feed(_ manifest: ServiceManifest) throws -> ExtensionFeed {
        let answer = Monitor<Result<ExtensionFeed, TakeFailure>?>(nil)
        desk.order(
            FeedDesk.Order(manifest: manifest, setupInfo: ["key": "value"]) { result in
                answer.signal { $0 = result }
            })
        let deadline = MonotonicClock.now() + 300_000_000_000
        return try #require(answer.wait(until: deadline) { $0 }).get()
    }

    /// What `Take.beginFeeding` does.
    func begin(_ feed: ExtensionFeed) {
        desk.begin(feed)
        guard let outlet = desk.outlet else { return }
        if feed.isEncoded {
            capture.repeatPicture(at: outlet.encoding.requestKeyframe(.joined, at: MonotonicClock.now()))
        } else {
            capture.repeatPicture()
        }
    }

    /// A feed that is begun, and its reader.
    func reader(_ manifest: ServiceManifest) throws -> FeedReader {
        let feed = try feed(manifest)
        let reader = try FeedReader(feed)
        begin(feed)
        return reader
    }

    /// Shows the screen as the encoder should see it: converted all at once, by a ring of its own.
    func converted<Result>(_ body: (I420Picture) -> Result) throws -> Result {
        let ring = PictureRing(size: size.roundedUpToEven)
        try #require(ring.begin())
        screen.withPixels { ring.draw(PixelRect(size: size), bgra: $0, stride: size.width * 4) }
        let picture = try #require(ring.commit())
        defer { ring.release(picture) }
        return body(picture.planes)
    }

    func stop() {
        capture.stop()
        desk.outlet?.finish()
    }
}

extension ServiceManifest {
    /// A service as the tests need them.
    static func test(
        _ video: Video?, app: AudioCodec? = nil, mic: AudioCodec? = nil
    ) -> ServiceManifest {
        var manifest = ServiceManifest(id: "org.example.test", name: "Test", executable: "test")
        manifest.video = video
        manifest.appAudio = app
        manifest.micAudio = mic
        return manifest
    }

    static let encoded = test(.encoded(codec: "h264", keyframeInterval: nil))

    static func raw(
        _ format: PixelFormat = .i420, size: PixelSize? = nil, framesPerSecond: Int? = nil
    ) -> ServiceManifest {
        test(.raw(pixelFormat: format, maximumSize: size, framesPerSecond: framesPerSecond))
    }
}
