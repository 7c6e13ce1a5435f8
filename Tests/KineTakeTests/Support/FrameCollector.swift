// The stages behind a capture thread in tests: an encoder, whose samples are kept, and feeds where there is a factory.
import CoreTesting
import KineCapture
import KineImaging
import KineInput
import KineMedia
import KinePlatform
import KineX264
import Testing

@testable import KineTake

extension [VideoEncoderKind] {
    /// The encoders of takes, as the engine's host lists them.
    static var x264: Self { [VideoEncoderKind(X264Encoder.self)] }
}

final class FrameCollector: CaptureDelegate, EncodedFrameSink {
    struct Seen {
        var samples: [EncodedSample] = []
        /// The encoder waits while this is set, as it does for a slow disk.
        var isHeld = false
        /// The sentences of an encoder that failed.
        var failures: [String] = []
        var distributor: FrameDistributor?
        /// What a person did.
        var input: [TimedInput] = []
        /// The thread has ended, for that reason if there is one.
        var ended: VideoSourceError??
    }

    let seen = Monitor(Seen())
    let feeds = FeedRegistry()
    private let configuration: TakeConfiguration
    private let services: [SampleRequirements]
    private let isRecorded: Bool
    private let factory: FeedFactory?
    private let willRelease: @Sendable (FrameRing.Frame) -> Void

    /// - Parameters:
    ///   - isRecorded: frames are encoded even if no feed wants them.
    ///   - willRelease: called with each frame that the encoder is done with.
    init(
        _ configuration: TakeConfiguration, services: [SampleRequirements] = [], isRecorded: Bool = true,
        factory: FeedFactory? = nil, willRelease: @escaping @Sendable (FrameRing.Frame) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.services = services
        self.isRecorded = isRecorded
        self.factory = factory
        self.willRelease = willRelease
    }

    var samples: [EncodedSample] { seen.withLock { $0.samples } }

    /// Ends `capture` and encodes what it has handed on.
    func stop(_ capture: CaptureThread) {
        seen.signal { $0.isHeld = false }
        capture.stop()
        seen.withLock { $0.distributor }?.finish()
    }

    // MARK: Capture

    func receive(_ input: [TimedInput]) { seen.signal { $0.input += input } }

    func makeSlots(size: PixelSize) throws(VideoSourceError) -> CaptureThread.Slots {
        try factory?.makeSlots(size: size) ?? CaptureThread.Slots()
    }

    func captureOpened(_ canvas: FrameCanvas) -> FrameDistributor {
        let canvas = FrameCanvas(size: canvas.size, codedSize: canvas.codedSize, references: canvas.references) {
            [willRelease] frame in
            willRelease(frame)
            canvas.release(frame)
        }
        let encoding = VideoEncodingThread(
            VideoEncoderKind(X264Encoder.self),
            plan: EncodingPlan(configuration, services: services, size: canvas.size, codecs: [.h264]),
            keyframes: KeyframePolicy(interval: .seconds(factory == nil ? 10 : 100), frames: nil),
            isWanted: isRecorded, canvas: canvas, sink: self)
        let distributor = FrameDistributor(
            encoding: encoding, feeds: feeds, isRecorded: isRecorded,
            framesPerSecond: configuration.video.framesPerSecond, canvas: canvas)
        seen.signal { $0.distributor = distributor }
        factory?.sourceOpened(distributor)
        return distributor
    }

    func openCamera(_ camera: TakeConfiguration.Camera, size: PixelSize) throws(VideoSourceError)
        -> any VideoSourceOpening
    { throw .noCamera(nil, existing: []) }

    func captureEnded(_ error: VideoSourceError?) {
        factory?.failed(.over(reason: nil))
        seen.signal { $0.ended = .some(error) }
    }

    // MARK: Encoder

    func begin(_ format: VideoFormat) { factory?.encoderOpened(format) }

    func receive(_ sample: EncodedSample, for audience: SampleAudience) {
        feeds.send(video: sample)
        seen.signal { $0.samples.append(sample) }
        _ = seen.wait { $0.isHeld ? nil : true }
    }

    func consumeKeyframeRequest() -> Bool { feeds.consumeKeyframeRequest() }
    func frameLeftOut(until instant: Int64) {}
    func encoderFailed(_ message: String) { seen.signal { $0.failures.append(message) } }
}
