// One run of capture: its threads, from the screen and the sound to the file and to the extensions. It carries out what the
// state machine says.
import KineCapture
import KineCodecs
import KineContainers
import KineControl
import KineImaging
import KineMedia
import KinePlatform
import KineServices
import Synchronization
import SystemPackage

/// The threads of a take. Used by the engine's main thread; what happens in them comes back through the inbox.
public final class Take: Sendable {
    /// How a take ended.
    public enum Ending: Sendable {
        /// With a file, or what became of it.
        case recorded(RecordingThread.Ending)
        /// There was to be no file.
        case unrecorded(duration: MediaTime, pictures: Int)
    }

    public let configuration: TakeConfiguration
    public let clock = TakeClock()
    private let inbox: Inbox
    private let sound: AudioPipeline
    /// nil: the take is only broadcast.
    private let recording: RecordingThread?
    private let capture: CaptureThread
    private let feeds = FeedList()
    let desk: FeedDesk

    /// Creates the file, if there is to be one, and begins to open the picture and the sound. Throws where the take cannot even
    /// begin; there is then no file.
    ///
    /// `services`: the extensions that will be fed, one entry for each process. What they want decides before the first
    /// picture which memory pictures are drawn in, whether they are encoded, how far keyframes are apart, and what becomes of
    /// the sound. One that is not named here can be fed all the same, at the cost of a copy, and hears only what others do.
    ///
    /// Blocks while the sound server is asked; `cancellation` ends that, and later what the picture's source waits for.
    public init(
        configuration: TakeConfiguration, services: [ServiceManifest] = [], inbox: Inbox,
        cancellation: Cancellation = Cancellation()
    ) throws(TakeFailure) {
        self.configuration = configuration
        self.inbox = inbox
        let clock = clock
        let feeds = feeds
        let outlet = SampleOutlet()
        let sound = try Self.openSound(
            configuration, services, clock: clock, outlet: outlet, feeds: feeds, inbox: inbox, cancellation)
        self.sound = sound
        let recording = try Self.openFile(configuration, sound: sound, clock: clock, inbox: inbox)
        self.recording = recording
        if let recording { outlet.connect(recording) }
        sound.start()
        let desk = FeedDesk(configuration: configuration, services: services, sound: sound, feeds: feeds)
        self.desk = desk
        capture = CaptureThread(
            configuration: configuration, clock: clock, cancellation: cancellation,
            open: { () throws(VideoSourceError) in try SourceRegistry.open(configuration, cancellation) },
            output: CaptureThread.Output(
                slots: { size throws(VideoSourceError) in try desk.makeSlots(size: size) },
                opened: { canvas in
                    let outlet = Self.startEncoding(
                        canvas, configuration, services, recording: recording, feeds: feeds, desk: desk, inbox: inbox)
                    desk.opened(canvas, outlet: outlet)
                    return outlet
                },
                began: { inbox.post(.event(.began(at: $0))) },
                ended: { error in
                    desk.ended(error)
                    Self.report(error, to: inbox)
                }))
    }

    private static func openSound(
        _ configuration: TakeConfiguration, _ services: [ServiceManifest], clock: TakeClock, outlet: SampleOutlet,
        feeds: FeedList, inbox: Inbox, _ cancellation: Cancellation
    ) throws(TakeFailure) -> AudioPipeline {
        let isPattern = SourceRegistry.kind(of: configuration.source)?.makesAudio ?? false
        do throws(AudioPipeline.Error) {
            return try AudioPipeline(
                configuration: configuration.audio, clock: clock, isPattern: isPattern,
                isRecorded: configuration.output != nil, wishes: services.map { SoundWish($0) },
                listeners: services.isEmpty ? nil : feeds.listeners(), onSample: { outlet.deliver($0) },
                onWarning: { inbox.post(.warning($0)) }, cancellation: cancellation)
        } catch {
            throw TakeFailure(exitStatus: error.exitStatus, message: error.description)
        }
    }

    private static func openFile(
        _ configuration: TakeConfiguration, sound: AudioPipeline, clock: TakeClock, inbox: Inbox
    ) throws(TakeFailure) -> RecordingThread? {
        guard let output = configuration.output else { return nil }
        let file: DiskFile
        do throws(StorageError) {
            file = try DiskFile.create(
                output, overwrite: configuration.overwrite, isPrivate: configuration.isOutputPrivate)
        } catch {
            sound.cancel()
            throw TakeFailure(
                exitStatus: error.isCreationFailure ? ExitStatus.cannotCreate : ExitStatus.storageFailed,
                message: error.description)
        }
        do throws(Errno) {
            return try RecordingThread(
                file: file, audio: sound.tracks, clock: clock,
                output: RecordingThread.Output(
                    failed: {
                        inbox.post(.failure(exitStatus: ExitStatus.storageFailed, message: $0.description))
                    }, needsPicture: { inbox.post(.needsPicture(at: .min)) }))
        } catch {
            sound.cancel()
            throw TakeFailure(
                exitStatus: ExitStatus.unavailable, message: DedicatedThread.explanation(of: error, thread: "file"))
        }
    }

    private static func startEncoding(
        _ canvas: CaptureThread.CanvasDescription, _ configuration: TakeConfiguration, _ services: [ServiceManifest],
        recording: RecordingThread?, feeds: FeedList, desk: FeedDesk, inbox: Inbox
    ) -> PictureOutlet {
        let size = canvas.size
        let video = configuration.video
        let wishes = services.compactMap(\.keyframeInterval)
        let isBroadcast = services.contains(where: \.wantsEncodedPictures)
        let encoding = VideoEncodingThread(
            plan: EncodingPlan(configuration, services: services, size: canvas.codedSize),
            keyframes: KeyframePolicy(
                interval: wishes.reduce(video.keyframeInterval, min), frames: video.keyframeFrames),
            isWanted: recording != nil || isBroadcast,
            output: VideoEncodingThread.Output(
                ready: { sets in
                    let format = VideoFormat(parameterSets: sets, size: size)
                    recording?.begin(format)
                    desk.encoderOpened(format)
                }, release: canvas.release,
                sample: { sample, audience in
                    // The extensions come first, which are not waited for; while there are any, the file is not waited for either.
                    if audience.contains(.extensions) { feeds.send(picture: sample) }
                    if audience.contains(.recording) { recording?.append(sample, mayWait: !feeds.hasVideo) }
                },
                needsKeyframe: {
                    let isNeededByFile = recording?.takeKeyframeRequest() ?? false
                    return feeds.takeKeyframeRequest() || isNeededByFile
                },
                needsPicture: { inbox.post(.needsPicture(at: $0)) },
                failed: { message in
                    desk.failed(TakeFailure(exitStatus: ExitStatus.unavailable, message: message))
                    inbox.post(.failure(exitStatus: ExitStatus.unavailable, message: message))
                }))
        return PictureOutlet(
            encoding: encoding, feeds: feeds, isRecorded: recording != nil, framesPerSecond: video.framesPerSecond,
            canvas: canvas)
    }

    private static func report(_ error: VideoSourceError?, to inbox: Inbox) {
        switch error {
        case nil: break
        case .ended(let reason):
            inbox.post(.event(.stopRequested(.sourceEnded(reason), at: MonotonicClock.now())))
        case .unavailable(let message), .lost(let message):
            inbox.post(.failure(exitStatus: ExitStatus.unavailable, message: message))
        }
    }

    /// Bits a second that the destinations get at most; nil: no limit, or the source is not open yet.
    public var maximumBitrate: Int? { desk.plan?.ceiling }

    /// The picture's size to show; nil until the source is open.
    public var size: PixelSize? { desk.outlet?.size }

    /// Nothing reaches the feeds once this returns: an extension may be told of the pause then.
    public func pause(at instant: Int64) {
        // The clock first: what is captured from here on belongs to no time.
        _ = clock.pause(at: instant)
        capture.pause()
        feeds.pause()
    }

    /// The feeds get samples from here on: an extension is to be told before.
    public func resume(at instant: Int64) {
        feeds.resume()
        _ = clock.resume(at: instant)
        capture.resume()
        // Viewers see at once that it goes on, also where the picture is as it was.
        if !feeds.isEmpty { capture.repeatPicture() }
    }

    /// Has the picture shown once more although it stands still, now or at an instant of CLOCK_MONOTONIC.
    public func repeatPicture(at instant: Int64 = .min) { capture.repeatPicture(at: instant) }

    public func progress(at instant: Int64) -> TakeProgress {
        let counts = capture.counts
        var progress = TakeProgress()
        progress.duration = max(.zero, clock.mediaTime(at: instant))
        progress.bytes = recording?.bytesWritten ?? 0
        progress.framesDrawn = counts.drawn
        progress.framesUnchanged = counts.unchanged
        progress.framesDropped = counts.dropped + (recording?.picturesLeftOut ?? 0)
        return progress
    }

    /// Ends every thread and finishes the file, which never waits for a source that does not answer. Its last moment is `end`
    /// (CLOCK_MONOTONIC). Blocks; once.
    /// `movesIndex`: also move the index to the front, where that was asked for. `samplesEnded` is called as soon as every
    /// sample is with the feeds, while the file still has to be finished.
    public func finish(at end: Int64, movesIndex: Bool, samplesEnded: () -> Void = {}) -> Ending {
        capture.stop()
        desk.outlet?.finish()
        sound.finish(at: end)
        feeds.resume()  // a take that ends in a pause ends with what was on its way when that began
        samplesEnded()
        let duration = capture.end(of: clock.mediaTime(at: end))
        guard let recording else { return .unrecorded(duration: duration, pictures: capture.counts.drawn) }
        let ending = recording.finish(at: duration)
        guard movesIndex, configuration.fastStart, case .finished(let file) = ending else { return .recorded(ending) }
        do throws(MP4FastStart.Error) {
            try MP4FastStart.moveIndexToFront(file.path)
        } catch {
            inbox.post(.warning("\(error.description); the recording is whole, its index stays at the end."))
        }
        return .recorded(ending)
    }
}

/// Where sound goes: the tracks must be known before the recording can be made that takes their samples.
private final class SampleOutlet: Sendable {
    private let recording = Mutex<RecordingThread?>(nil)

    func connect(_ recording: RecordingThread) { self.recording.withLock { $0 = recording } }

    func deliver(_ sample: EncodedSample) { recording.withLock { $0 }?.append(sample) }
}
