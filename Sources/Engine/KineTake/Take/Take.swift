// One run of capture: its threads, from the screen and the audio devices to the file and the feeds. FramePipeline and AudioPipeline
// connect the threads.
import KineCapture
import KineContainers
import KineMedia
import KinePlatform
import SystemPackage

/// The threads of a take. Used by the engine's main thread; the threads report to it through its observer.
package final class Take: Sendable {
    /// The ending of a take.
    package enum Ending: Sendable {
        /// The configuration has an output.
        case recorded(RecordingThread.Ending)
        /// The configuration has no output.
        case unrecorded(duration: MediaTime, frames: Int)
    }

    package let configuration: TakeConfiguration
    private let sources: SourceRegistry
    package let clock = TakeClock(countsStops: true)
    private let observer: any TakeObserver
    package let audio: AudioPipeline
    let sinks: SampleSinks
    package let factory: FeedFactory
    let capture: CaptureThread

    var feeds: FeedRegistry { sinks.feeds }

    /// Creates the file, if the configuration has an output, and begins to open the source and the audio devices. If it
    /// throws, there is no file. Blocks while it connects to the audio server.
    ///
    /// - Parameters:
    ///   - services: the requirements of each process that gets samples. Before the first frame, they decide the
    ///     frames' memory, whether they are encoded, how far keyframes are apart, and which audio is made.
    ///   - encoders: of the video, the preferred one first; not empty.
    ///   - cover: hides the source while it is set. Opening the source waits for its state.
    ///   - cancellation: ends that wait, and later the source's waits.
    package init(
        configuration: TakeConfiguration, services: [SampleRequirements] = [], sources: SourceRegistry,
        encoders: [VideoEncoderKind], cover: ScreenCover = ScreenCover(), observer: any TakeObserver,
        cancellation: Cancellation = Cancellation()
    ) throws(TakeError) {
        self.configuration = configuration
        self.sources = sources
        self.observer = observer
        let kind = sources.kind(of: configuration)
        audio = try AudioPipeline(
            configuration: configuration.audio, clock: clock, isPrivate: kind?.isPrivate ?? false,
            isPattern: kind?.makesAudio ?? false,
            isRecorded: configuration.keepsSamples, requirements: services.map { AudioRequirements($0) },
            observer: observer, cancellation: cancellation)
        factory = FeedFactory(configuration: configuration, services: services, sources: sources, audio: audio)
        do throws(TakeError) {
            let recording = try Self.openFile(configuration, audio: audio.tracks, clock: clock, observer: observer)
            let clips = try Self.openClipBuffer(
                configuration, audio: audio.tracks, observer: observer, beside: recording)
            sinks = SampleSinks(recording: recording, clips: clips, factory: factory, observer: observer)
        } catch {
            audio.cancel()
            throw error
        }
        audio.start(into: sinks)
        capture = CaptureThread(
            configuration: configuration, clock: clock, cover: cover, cancellation: cancellation,
            delegate: FramePipeline(
                configuration: configuration, services: services, encoders: encoders, sinks: sinks, factory: factory,
                observer: observer),
            observer: observer
        ) { () throws(VideoSourceError) in
            cover.wait(until: MonotonicClock.now() + Self.coverTimeout)
            return try sources.open(configuration, cancellation) { observer.observe(.warning($0)) }
        }
    }

    /// The most nanoseconds to wait for the desktop to report whether the screen is locked.
    private static let coverTimeout: Int64 = 3_000_000_000

    /// Returns nil if the configuration has no output.
    private static func openFile(
        _ configuration: TakeConfiguration, audio: [AudioFormat], clock: TakeClock, observer: any TakeObserver
    ) throws(TakeError) -> RecordingThread? {
        guard configuration.output != nil else { return nil }
        let target: RecordingTarget
        do throws(StorageError) {
            target = try RecordingTarget(configuration)
        } catch {
            throw .file(error)
        }
        do throws(Errno) {
            return try RecordingThread(
                target: target, configuration: configuration, audio: audio, clock: clock, observer: observer)
        } catch {
            throw .thread("file", error)
        }
    }

    /// Returns nil if no clips are wanted. If it throws, there is no file either.
    private static func openClipBuffer(
        _ configuration: TakeConfiguration, audio: [AudioFormat], observer: any TakeObserver,
        beside recording: RecordingThread?
    ) throws(TakeError) -> ClipBuffer? {
        guard let length = configuration.clipBuffer else { return nil }
        do throws(Errno) {
            return try ClipBuffer(
                limits: ClipLimits(length: length), audio: audio, hasInput: configuration.recordsInput,
                directory: ClipBuffer.directory(configuration), observer: observer)
        } catch {
            _ = recording?.finish(at: .zero)
            throw .thread("clips", error)
        }
    }

    /// Writes the last `duration` before now to a file; nil: everything that the buffer keeps. `reply` is called on any
    /// thread, once.
    package func exportClip(
        _ request: ClipRequest, isPaused: Bool, at instant: Int64,
        reply: @escaping @Sendable (Result<ExportedClip, ClipError>) -> Void
    ) {
        guard let clips = sinks.clips else { return reply(.failure(.notBuffering)) }
        clips.export(
            ClipBuffer.Export(
                request: request, end: FrameGrid(configuration.video).start(at: clock.mediaTime(at: instant)),
                isPaused: isPaused, instant: instant, reply: reply))
    }

    /// The path that its current file was made with, or `TakeConfiguration.standardOutput`; nil: there is no recording.
    package var output: String? { sinks.recording?.path }

    /// Bits a second that the destinations get at most; nil: no limit, or the source is not open yet.
    package var maximumBitrate: Int? { factory.plan?.ceiling }

    /// The size to show; nil until the source is open.
    package var size: PixelSize? { factory.distributor?.canvas.size }

    /// Nothing reaches the feeds once this returns. Report the pause to their readers only then.
    package func pause(at instant: Int64) {
        // The clock first: frames and audio captured from here on have no time in the take.
        clock.pause(at: instant)
        capture.pause()
        feeds.pause()
    }

    /// The feeds get samples from here on. Report that to their readers before the call.
    package func resume(at instant: Int64) {
        feeds.resume()
        clock.resume(at: instant)
        capture.resume()
        // Viewers see at once that the take goes on, even if the screen is unchanged.
        if !feeds.isEmpty { capture.repeatFrame() }
    }

    /// Shows another source as soon as it is open. The result comes to the observer, unless the take ends before.
    package func switchSource(to source: TakeConfiguration.Source, _ cancellation: Cancellation) {
        let (configuration, sources, factory, observer) = (configuration, sources, factory, observer)
        capture.switchSource(
            CaptureThread.Switch { () throws(VideoSourceError) in
                var configuration = configuration
                configuration.source = source
                return try sources.open(configuration, cancellation) { observer.observe(.warning($0)) }
            } done: { result in
                if case .success(let size) = result { factory.sourceSwitched(to: source, sourceSize: size) }
                let problem: TakeError? = if case .failure(let error) = result { .source(error) } else { nil }
                observer.observe(.sourceSwitched(problem))
            })
    }

    /// Ends the opening of another source, where it waits for a person. The result comes to the observer.
    package func giveUpSwitch() { capture.giveUpSwitch() }

    /// Shows that camera from now on; nil: none.
    package func setCamera(_ camera: TakeConfiguration.Camera?) { capture.setCamera(camera) }

    /// The program whose window is waited for runs as `process`.
    package func commandStarted(_ process: Int32) { capture.commandStarted(process) }

    /// Call it when the cover was set or removed: capture shows the change.
    package func coverChanged() { capture.coverChanged() }

    /// Shows the frame again although it is unchanged, now or at an instant of CLOCK_MONOTONIC.
    package func repeatFrame(at instant: Int64 = .min) { capture.repeatFrame(at: instant) }

    /// The take's counts so far.
    package struct Counts {
        package var duration: MediaTime
        /// Bytes in the file.
        package var bytes: Int64
        package var framesDrawn: Int
        package var framesUnchanged: Int
        package var framesDropped: Int
    }

    package func counts(at instant: Int64) -> Counts {
        let counts = capture.counts
        return Counts(
            duration: max(.zero, clock.mediaTime(at: instant)), bytes: sinks.recording?.bytesWritten ?? 0,
            framesDrawn: counts.drawn, framesUnchanged: counts.unchanged,
            framesDropped: counts.dropped + (sinks.recording?.framesLeftOut ?? 0))
    }

    /// Ends every thread and finishes the file. Does not wait for a source that does not answer. Blocks. Call once.
    ///
    /// - Parameters:
    ///   - end: the file's last moment, on CLOCK_MONOTONIC.
    ///   - movesIndex: also move the index to the front, if the configuration asks for it.
    ///   - samplesEnded: called as soon as the feeds have every sample; the file is finished after that.
    package func finish(at end: Int64, movesIndex: Bool, samplesEnded: () -> Void = {}) -> Ending {
        let duration = clock.mediaTime(at: end)
        capture.stop(at: duration)
        factory.distributor?.finish()
        audio.finish(at: end)
        feeds.resume()  // in a pause, the samples that were on their way when it began
        samplesEnded()
        sinks.clips?.finish()
        guard let recording = sinks.recording else {
            return .unrecorded(duration: duration, frames: capture.counts.drawn)
        }
        let ending = recording.finish(at: duration)
        guard movesIndex, configuration.fastStart, configuration.file != nil, case .finished(let file) = ending else {
            return .recorded(ending)
        }
        for path in file.parts.isEmpty ? [file.path] : file.parts {
            do throws(MP4FastStart.Error) {
                try MP4FastStart.moveIndexToFront(path)
            } catch {
                observer.observe(.warning("\(error.description); the recording is whole, its index stays at the end."))
            }
        }
        return .recorded(ending)
    }
}

// The feeds of a take, for extensions and for clients: made once the formats are known, begun and ended at will.
extension Take {
    /// Makes a feed and calls the request's `ready`, on any thread, once the formats are known; at once if they are.
    package func makeFeed(_ request: FeedRequest) { factory.request(request) }

    /// The feed gets samples from the next frame on. A frame is made at once, as a keyframe if the feed wants encoded video; in a
    /// paused take, when the take is resumed.
    package func beginFeeding(_ feed: SampleFeed) {
        if feed.hasAudio && !feeds.hasAudio { audio.listen(true) }
        factory.distributor?.begin(feed)
        if feed.wantsEncodedVideo {
            requestKeyframe(.joined)
        } else if feed.hasVideo {
            repeatFrame()
        }
    }

    /// Sends nothing once this returns. Earlier samples stay readable; frames are drawn over once `feed` is released.
    package func endFeeding(_ feed: SampleFeed) {
        factory.distributor?.end(feed)
        if feed.hasAudio && !feeds.hasAudio { audio.listen(false) }
    }

    /// Encodes a keyframe even if the screen stands still: now, or as soon as the limits of `KeyframeRequests` allow.
    package func requestKeyframe(_ reason: KeyframeRequests.Reason) {
        guard let encoding = factory.distributor?.encoding else { return }
        repeatFrame(at: encoding.requestKeyframe(reason, at: MonotonicClock.now()))
    }

    /// From the next frame on the encoder keeps to the lowest request of all feeds. The request ends with the feed.
    package func requestEncoding(_ request: EncodingRequest, for feed: SampleFeed) {
        factory.distributor?.adjust(to: request, for: feed)
    }
}
