// The way of a frame, built from its end when the source has opened:
//
//   source → CaptureThread → FrameDistributor ┬→ VideoEncodingThread → SampleSinks ┬→ RecordingThread → the file
//                                             │                                    ├→ ClipBuffer → clips
//                                             │                                    └→ FeedRegistry → SampleFeed
//                                             └→ FrameSink, or FrameConverter → FrameSink: frames that are not encoded
import KineCapture
import KineInput
import KineMedia
import KinePlatform

/// Builds the stages after a take's capture thread, and reports how that thread ends.
final class FramePipeline: CaptureDelegate {
    private let configuration: TakeConfiguration
    private let services: [SampleRequirements]
    private let encoders: [VideoEncoderKind]
    private let sinks: SampleSinks
    private let factory: FeedFactory
    private let observer: any TakeObserver

    init(
        configuration: TakeConfiguration, services: [SampleRequirements], encoders: [VideoEncoderKind],
        sinks: SampleSinks, factory: FeedFactory, observer: any TakeObserver
    ) {
        self.configuration = configuration
        self.services = services
        self.encoders = encoders
        self.sinks = sinks
        self.factory = factory
        self.observer = observer
    }

    func makeSlots(size: PixelSize) throws(VideoSourceError) -> CaptureThread.Slots {
        try factory.makeSlots(size: size)
    }

    func captureOpened(_ canvas: FrameCanvas) -> FrameDistributor {
        let plan = EncodingPlan(
            configuration, services: services, size: canvas.size, codecs: encoders.map(\.codec))
        let encoding = VideoEncodingThread(
            encoders.first { $0.codec == plan.codec } ?? encoders[0], plan: plan,
            keyframes: KeyframePolicy(interval: keyframeInterval, frames: configuration.video.keyframeFrames),
            isWanted: sinks.keepsSamples || services.contains(where: \.wantsEncodedVideo), canvas: canvas, sink: sinks)
        let distributor = FrameDistributor(
            encoding: encoding, feeds: sinks.feeds, isRecorded: sinks.keepsSamples,
            recordingStillInterval: sinks.recording?.longestStill,
            framesPerSecond: configuration.video.framesPerSecond, canvas: canvas)
        factory.sourceOpened(distributor)
        return distributor
    }

    func openCamera(_ camera: TakeConfiguration.Camera, size: PixelSize) throws(VideoSourceError)
        -> any VideoSourceOpening
    { try CameraOpening(CameraInput(camera), wanted: size) }

    func receive(_ input: [TimedInput]) { sinks.receive(input) }

    /// The shortest that the file, a clip buffer or a service asks for.
    private var keyframeInterval: MediaTime {
        let wanted =
            services.compactMap(\.keyframeInterval) + (sinks.clips == nil ? [] : [ClipLimits.keyframeInterval])
        return wanted.reduce(configuration.video.keyframeInterval, min)
    }

    func captureEnded(_ error: VideoSourceError?) {
        guard let error else { return factory.failed(.over(reason: nil)) }
        if let reason = error.naturalEnd {
            factory.failed(.over(reason: reason))
            observer.observe(.sourceEnded(reason, at: MonotonicClock.now()))
        } else {
            factory.failed(.source(error))
            observer.observe(.failed(.source(error)))
        }
    }
}

extension CameraInput {
    /// Throws where there is no such camera now.
    package init(_ camera: TakeConfiguration.Camera) throws(VideoSourceError) {
        try self.init(named: camera.device, among: CameraInventory.cameras())
    }
}
