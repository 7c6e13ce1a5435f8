// The thread that owns the file: it gathers samples, writes a fragment every half second, has it made durable every second,
// and finishes the file at the end. Nothing else of a take waits for the disk.
import FoundationEssentials
import KineContainers
import KineMedia
import KinePlatform
import SystemPackage

/// The recording of one take, fed from the encoders' threads.
public final class RecordingThread: Sendable {
    /// How the recording ended.
    public enum Ending: Sendable {
        case finished(FinishedFile)
        /// The file, now at `path`, could not be finished; what is on the disk still plays and can be recovered.
        case unfinished(StorageError, path: String)
        /// Nothing was ever recorded; the file is gone.
        case empty
    }

    private struct State {
        var file: DiskFile?
        var video: VideoFormat?
        var samples: [EncodedSample] = []
        var queuedBytes = 0
        var end: MediaTime?
        var bytesWritten: Int64 = 0
        var hasFailed = false
        var admission = RecordingAdmission(limit: RecordingThread.queueLimit)
    }

    /// Bytes of samples that wait for the disk, at most; beyond it the picture's encoder waits, and capture drops; or, where
    /// somebody else takes the encoder's pictures too, this recording alone loses pictures, up to the next keyframe.
    private static let queueLimit = 64 << 20
    private static let fragmentInterval: Int64 = 500_000_000
    /// A still picture is made to last longer in the file nearly once a second, so that a crash costs a second at most.
    private static let stillInterval: Int64 = 950_000_000
    private static let syncInterval: Int64 = 1_000_000_000
    /// While the picture stands still only its duration is at stake in a power cut, and each write to the medium wakes
    /// this thread several times.
    private static let stillSyncInterval: Int64 = 10_000_000_000

    private let state: Monitor<State>
    private let thread: DedicatedThread
    private let ending = Monitor<Ending?>(nil)

    /// What the thread tells the take; called on the thread.
    public struct Output: Sendable {
        /// Nothing more can be written, and the take should end. Called once.
        public var failed: @Sendable (StorageError) -> Void
        /// The picture has stood for so long that it has to be encoded again (see `MP4Writer.needsRepeatedPicture`).
        public var needsPicture: @Sendable () -> Void

        public init(
            failed: @escaping @Sendable (StorageError) -> Void, needsPicture: @escaping @Sendable () -> Void
        ) {
            self.failed = failed
            self.needsPicture = needsPicture
        }
    }

    /// Takes over `file`, which was created and is empty. Throws where the process may have no more threads; there is then no
    /// file any more.
    public init(
        file: sending DiskFile, audio: [AudioTrackFormat], clock: TakeClock, output: Output
    ) throws(Errno) {
        let state = Monitor(State(file: file))
        self.state = state
        let ending = ending
        do throws(Errno) {
            thread = try DedicatedThread(starting: "file") {
                let result = Self.run(state, audio: audio, clock: clock, output: output)
                ending.signal { $0 = result }
            }
        } catch {
            state.withLock { $0.file.take() }?.discard()
            throw error
        }
    }

    /// The encoder is ready: the file can begin. Once, before the first sample.
    public func begin(_ video: VideoFormat) { state.signal { $0.video = video } }

    /// Takes a sample. While the disk is behind by more than the queue's limit, a picture waits here, or without `mayWait` is
    /// left out. Sound never waits.
    public func append(_ sample: EncodedSample, mayWait: Bool = true) {
        if sample.type == .video && mayWait {
            _ = state.wait { $0.queuedBytes < Self.queueLimit || $0.hasFailed ? true : nil }
        }
        let wasEmpty = state.withLock { state -> Bool in
            guard !state.hasFailed else { return false }
            if sample.type == .video {
                guard state.admission.admits(isKeyframe: sample.isKeyframe, queued: state.queuedBytes) else {
                    return false
                }
            }
            defer {
                state.samples.append(sample)
                state.queuedBytes += sample.data.count
            }
            return state.samples.isEmpty
        }
        // The thread needs waking only out of the long sleep of a still picture.
        if wasEmpty { state.signal { _ in } }
    }

    /// Whether pictures were left out and the next should be a keyframe: true once, when there is room for it.
    func takeKeyframeRequest() -> Bool {
        state.withLock { state in
            let queued = state.queuedBytes
            return state.admission.takeKeyframeRequest(queued: queued)
        }
    }

    /// Pictures left out because the disk was behind.
    var picturesLeftOut: Int { state.withLock { $0.admission.leftOut } }

    /// Bytes of the file so far.
    public var bytesWritten: Int64 { state.withLock { $0.bytesWritten } }

    /// Writes what is queued, finishes the file with the last picture lasting until `end`, and ends the thread. Blocks.
    public func finish(at end: MediaTime) -> Ending {
        state.signal { $0.end = end }
        thread.join()
        return ending.withLock { $0 } ?? .empty
    }

    // MARK: The thread

    private static func run(
        _ state: Monitor<State>, audio: [AudioTrackFormat], clock: TakeClock, output: Output
    ) -> Ending {
        let video = state.wait { state -> VideoFormat?? in
            if let video = state.video { return .some(video) }
            return state.end == nil ? nil : .some(nil)
        }
        guard let file = state.withLock({ $0.file.take() }) else { return .empty }
        guard let video = video ?? nil else {
            file.discard()
            return .empty
        }
        let writer: MP4Writer
        let synchronizer: DiskSynchronizer
        do throws(StorageError) {
            synchronizer = try file.synchronizer()
            writer = try MP4Writer(
                file: file, video: video, audio: audio, creationTime: Int64(Date().timeIntervalSince1970))
        } catch {
            file.discard()
            fail(error, state, output)
            _ = state.wait { $0.end }
            return .empty
        }
        let disk = SyncThread(synchronizer.synchronize)
        let end = write(with: writer, disk, state, clock: clock, output: output)
        disk.end()
        do throws(StorageError) {
            let finished = try writer.finish(at: end)
            guard finished.pictures > 0 else {
                file.discard()
                return .empty
            }
            return .finished(finished)
        } catch {
            fail(error, state, output)
            return .unfinished(error, path: writer.path)
        }
    }

    /// Writes until the end of the take, which it returns; after an error it only waits for it.
    private static func write(
        with writer: MP4Writer, _ disk: SyncThread, _ state: Monitor<State>, clock: TakeClock, output: Output
    ) -> MediaTime {
        var lastFlush = MonotonicClock.now()
        var lastSync = lastFlush
        do throws(StorageError) {
            while true {
                let end = waitForWork(state, lastFlush: lastFlush)
                let samples = state.signal { state -> [EncodedSample] in
                    state.queuedBytes = 0
                    return exchange(&state.samples, with: [])
                }
                for sample in samples { writer.append(sample) }
                let now = MonotonicClock.now()
                try writer.flush(through: end ?? clock.mediaTime(at: now))
                lastFlush = now
                if now - lastSync >= (samples.isEmpty ? stillSyncInterval : syncInterval) {
                    try writer.checkName()
                    if try disk.start() { lastSync = now }
                }
                state.withLock { $0.bytesWritten = writer.bytesWritten }
                if writer.needsRepeatedPicture { output.needsPicture() }
                if let end { return end }
            }
        } catch {
            fail(error, state, output)
            return state.wait { $0.end } ?? .zero
        }
    }

    private static func fail(
        _ error: StorageError, _ state: Monitor<State>, _ output: Output
    ) {
        let isFirst = state.signal { state -> Bool in
            defer {
                state.hasFailed = true
                state.samples = []
                state.queuedBytes = 0
            }
            return !state.hasFailed
        }
        if isFirst { output.failed(error) }
    }

    /// Sleeps until the next fragment is due: half a second after the last where something is queued, else a second. Returns
    /// the end of the take once it is known.
    private static func waitForWork(_ state: Monitor<State>, lastFlush: Int64) -> MediaTime? {
        _ = state.wait(until: lastFlush + stillInterval) { !$0.samples.isEmpty || $0.end != nil ? true : nil }
        return state.wait(until: lastFlush + fragmentInterval) { $0.end }
    }

    private static func exchange<T>(_ value: inout T, with new: T) -> T {
        let old = value
        value = new
        return old
    }
}
