// A take's way of frames on a screen that the test paints: capture, encoder and feeds, without audio and without a file.
import CoreTesting
import KineCapture
import KineCodecs
import KineImaging
import KineMedia
import KinePlatform
import Testing

@testable import KineTake

final class FeedFixture: Sendable {
    let screen: ScriptedSource.Screen
    let clock = TakeClock()
    let frames: FrameCollector
    let capture: CaptureThread
    let factory: FeedFactory
    private let size: PixelSize

    /// `isRecorded`: frames are encoded in any case.
    init(
        size: PixelSize = PixelSize(width: 128, height: 96), services: [SampleRequirements], isRecorded: Bool = true,
        _ change: (inout TakeConfiguration) -> Void = { _ in }
    ) throws {
        self.size = size
        screen = ScriptedSource.Screen(size: size)
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        configuration.video.framesPerSecond = 100
        configuration.audio.app = .none
        change(&configuration)
        let audio = try AudioPipeline(configuration: configuration.audio, clock: clock, observer: TakeEvents())
        factory = FeedFactory(configuration: configuration, services: services, sources: .pattern, audio: audio)
        frames = FrameCollector(configuration, services: services, isRecorded: isRecorded, factory: factory)
        capture = CaptureThread(
            configuration: configuration, clock: clock, delegate: frames, observer: TakeEvents()
        ) { [screen] in ScriptedSource.opening(screen) }
    }

    /// Paints, and waits until the frame is drawn.
    func draw(_ rect: PixelRect, _ colour: UInt32) throws { try draw { screen.fill(rect, colour) } }

    func draw(_ paint: () -> Void) throws {
        let drawn = capture.counts.drawn
        paint()
        try wait("a frame") { capture.counts.drawn > drawn }
    }

    /// Paints squares of 8 pixels in the first columns of 80 by 60, and waits until the frame is drawn.
    func drawSquares(columns: Int = 80, _ colour: () -> UInt32) throws {
        try draw {
            for row in 0..<60 {
                for column in 0..<columns {
                    screen.fill(
                        PixelRect(x: column * 8, y: row * 8, width: 8, height: 8), colour(),
                        isReported: row == 59 && column == columns - 1)
                }
            }
        }
    }

    /// Paints, and waits until the frame is drawn and encoded: then only readers hold slots, however slow the encoder is.
    func paint(_ rect: PixelRect, _ colour: UInt32) throws {
        let before = frames.samples.count
        try draw(rect, colour)
        let isEncoded = frames.seen.wait(until: WaitLimit.deadline()) { [capture] in
            $0.samples.count > before && $0.samples.count >= capture.counts.drawn ? true : nil
        }
        try #require(isEncoded == true)
    }

    /// Makes a feed, and waits for it.
    func feed(_ requirements: SampleRequirements, sharesMemory: Bool = true) throws -> SampleFeed {
        let answer = Monitor<Result<SampleFeed, TakeError>?>(nil)
        factory.request(
            FeedRequest(requirements, of: "Test", sharesMemory: sharesMemory) { result in
                answer.signal { $0 = result }
            })
        let deadline = WaitLimit.deadline()
        return try #require(answer.wait(until: deadline) { $0 }).get()
    }

    /// Does the same as `Take.beginFeeding`.
    func begin(_ feed: SampleFeed) {
        guard let distributor = factory.distributor else { return }
        distributor.begin(feed)
        if feed.wantsEncodedVideo {
            capture.repeatFrame(at: distributor.encoding.requestKeyframe(.joined, at: MonotonicClock.now()))
        } else {
            capture.repeatFrame()
        }
    }

    func end(_ feed: SampleFeed) { factory.distributor?.end(feed) }

    /// A feed that is begun, and its reader.
    func reader(_ requirements: SampleRequirements, sharesMemory: Bool = true) throws -> FeedReader {
        let feed = try feed(requirements, sharesMemory: sharesMemory)
        let reader = try FeedReader(feed)
        begin(feed)
        return reader
    }

    /// Shows the screen as the encoder should see it: converted all at once, by a ring of its own.
    func converted<Result>(_ body: (PlanarFrame) -> Result) throws -> Result {
        let ring = FrameRing(size: size.roundedUpToEven)
        try #require(ring.begin())
        screen.withPixels { ring.draw(PixelRect(size: size), bgra: $0, stride: size.width * 4) }
        let frame = try #require(ring.commit())
        defer { ring.release(frame) }
        return body(frame.planes)
    }

    func stop() {
        frames.stop(capture)
        #expect(frames.seen.withLock { $0.failures } == [])
    }
}

extension SampleRequirements {
    static func test(_ video: Video?, app: AudioCodec? = nil, mic: AudioCodec? = nil) -> SampleRequirements {
        SampleRequirements(video: video, appAudio: app, micAudio: mic)
    }

    static let encoded = test(.encoded(codecs: [.h264], keyframeInterval: nil))

    static func raw(
        _ format: PixelFormat = .i420, size: PixelSize? = nil, framesPerSecond: Int? = nil, shape: FrameShape? = nil,
        orientation: FrameOrientation = .upright
    ) -> SampleRequirements {
        test(
            .raw(
                pixelFormat: format, maximumSize: size, framesPerSecond: framesPerSecond, shape: shape,
                orientation: orientation))
    }
}
