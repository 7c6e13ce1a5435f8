// The way of a frame, built from its end when the source has opened:
//
//   source → CaptureThread → FrameDistributor ┬→ VideoEncodingThread → SampleSinks ┬→ RecordingThread → the file
//                                             │                                    ├→ ClipBuffer → clips
//                                             │                                    └→ SampleDistributor → SampleFeed
//                                             └→ FrameSink, or FrameConverter → FrameSink: frames that are not encoded
import KineCapture
import KineMedia
import KinePlatform

/// Builds the stages of a take's frames.
struct FramePipeline: Sendable {
    let configuration: TakeConfiguration
    let services: [SampleRequirements]
    let clock: TakeClock
    let sinks: SampleSinks
    let factory: FeedFactory
    let observer: any TakeObserver

    /// Opens the source in a new thread; the other stages follow when its size is known. `cancellation` ends its waits.
    func start(
        cover: ScreenCover, cancellation: Cancellation,
        open: @escaping @Sendable () throws(VideoSourceError) -> any VideoSourceOpening
    ) -> CaptureThread {
        CaptureThread(
            configuration: configuration, clock: clock, cover: cover, cancellation: cancellation, open: open,
            output: CaptureThread.Output(
                slots: { size throws(VideoSourceError) in try factory.makeSlots(size: size) },
                opened: { canvas in
                    let distributor = FrameDistributor(
                        encoding: startEncoder(canvas), samples: sinks.feeds, isRecorded: sinks.keepsSamples,
                        recordingStillInterval: sinks.recording?.longestStill,
                        framesPerSecond: configuration.video.framesPerSecond, canvas: canvas)
                    factory.sourceOpened(distributor)
                    return distributor
                },
                camera: { camera, size throws(VideoSourceError) in try CameraOpening(CameraInput(camera), wanted: size)
                },
                cameraFailed: { error in
                    observer.observe(
                        .warning(
                            error.sentence + " The take goes on without it, and shows it as soon as it gives a picture."
                        ))
                },
                interrupted: { observer.observe(.warning($0.sentence)) },
                excluded: { observer.observe(.exclusions($0)) },
                awaitsCommand: { observer.observe(.commandAwaited(at: MonotonicClock.now())) },
                began: { observer.observe(.began(at: $0)) }, ended: captureEnded))
    }

    private func startEncoder(_ canvas: CaptureThread.CanvasDescription) -> VideoEncodingThread {
        VideoEncodingThread(
            plan: EncodingPlan(configuration, services: services, size: canvas.codedSize),
            keyframes: KeyframePolicy(
                interval: keyframeInterval,
                frames: configuration.video.keyframeFrames),
            isWanted: sinks.keepsSamples || services.contains(where: \.wantsEncodedVideo),
            output: VideoEncodingThread.Output(
                ready: { sets in
                    let format = VideoFormat(parameterSets: sets, size: canvas.size)
                    sinks.begin(format)
                    factory.encoderOpened(format)
                }, release: canvas.release, sample: sinks.receive, needsKeyframe: sinks.consumeKeyframeRequest,
                needsFrame: { observer.observe(.needsFrame(at: $0)) },
                failed: { message in
                    factory.failed(.encoder(message))
                    observer.observe(.failed(.encoder(message)))
                }))
    }

    /// The shortest that the file, a clip buffer or a service asks for.
    private var keyframeInterval: MediaTime {
        let wanted =
            services.compactMap(\.keyframeInterval) + (sinks.clips == nil ? [] : [ClipLimits.keyframeInterval])
        return wanted.reduce(configuration.video.keyframeInterval, min)
    }

    /// Nil after a stop.
    private func captureEnded(_ error: VideoSourceError?) {
        switch error {
        case nil: factory.failed(.over(reason: nil))
        case .windowClosed, .screenCastClosed, .castStopped:
            let reason = error == .windowClosed ? "the window was closed" : "the desktop has ended its screen cast"
            factory.failed(.over(reason: reason))
            observer.observe(.sourceEnded(reason, at: MonotonicClock.now()))
        case .some(let error):
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
