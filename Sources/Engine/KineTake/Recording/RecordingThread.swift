// The thread that owns the files, or writes to standard output: it writes a fragment every half second, makes it durable
// every second, and finishes the file at the end. No other part of a take waits for the disk or a reader.
import KineContainers
import KineInput
import KineMedia
import KinePlatform
import SystemPackage

/// The recording of one take, fed from the encoders' threads.
package final class RecordingThread: Sendable {
    /// The ending of a recording.
    package enum Ending: Sendable {
        case finished(FinishedFile)
        /// The file, now at `path`, could not be finished; its part on the disk still plays and can be recovered.
        case unfinished(StorageError, path: String)
        /// Nothing was recorded, for that reason if there is one; the file is gone.
        case empty(StorageError?)
    }

    private struct State {
        var target: RecordingTarget?
        var path: String
        var video: VideoFormat?
        var samples: [EncodedSample] = []
        var queuedBytes = 0
        /// Chapters that the file does not have yet, and the number of all.
        var marks: [Chapter] = []
        var markCount = 0
        /// Actions for the input track that the file does not have yet.
        var input: [TimedInput] = []
        var end: MediaTime?
        var bytesWritten: Int64 = 0
        /// The take's time from which on the next part of a split recording waits for a keyframe to be requested.
        var keyframeDue: MediaTime?
        var hasFailed = false
        var admission = RecordingAdmission(limit: RecordingThread.queueLimit)
    }

    /// The most bytes of samples that wait for the disk. Above it the encoder waits and capture drops frames; if a feed
    /// has video, only this recording loses frames, up to the next keyframe. A stream ends: its reader has stopped.
    private static let queueLimit = 64 << 20
    /// Nanoseconds after which a still frame is extended in the file, so that a crash costs a second at most.
    private static let stillInterval: Int64 = 950_000_000
    private static let syncInterval: Int64 = 1_000_000_000
    /// While a frame stands still a power cut costs only a part of its duration, and each write to the medium wakes this
    /// thread several times.
    private static let stillSyncInterval: Int64 = 10_000_000_000

    /// The path that the current file was made with, or `TakeConfiguration.standardOutput`.
    var path: String { state.withLock { $0.path } }
    /// The longest time that a frame may stand before it is captured again, in nanoseconds; nil: no limit.
    let longestStill: Int64?
    private let state: Monitor<State>
    private let clock: TakeClock
    private let stream: ByteStream?
    private let thread: DedicatedThread
    private let ending = Monitor<Ending?>(nil)

    /// Takes ownership of `target`, whose file exists and is empty. If no thread can be created, deletes the file and
    /// throws. `observer` gets one message when writing fails, after which the file is finished, and others when a
    /// frame has to be encoded again, or the next file of a split recording has begun.
    init(
        target: sending RecordingTarget, configuration: TakeConfiguration, audio: [AudioFormat],
        clock: TakeClock, observer: any TakeObserver
    ) throws(Errno) {
        self.clock = clock
        longestStill = target.longestStill
        stream = if case .stream(let stream) = target { stream } else { nil }
        let path = target.path
        let state = Monitor(State(target: target, path: path))
        self.state = state
        let ending = ending
        do throws(Errno) {
            thread = try DedicatedThread(starting: "file") {
                let result = Self.run(state, configuration, audio: audio, clock: clock, observer: observer)
                ending.signal { $0 = result }
            }
        } catch {
            state.withLock { $0.target.take() }?.discard()
            throw error
        }
    }

    /// Sets the format of the first frames: the file can begin. Call it once, before the first sample.
    func begin(_ video: VideoFormat) { state.signal { $0.video = video } }

    /// Queues a sample. While the queue is full, a frame waits here, or is left out without `mayWait`. Audio never
    /// waits.
    func append(_ sample: EncodedSample, mayWait: Bool = true) {
        if let stream, state.withLock({ $0.queuedBytes >= Self.queueLimit }) { stream.abandon() }
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
        // The thread needs waking only out of its long sleep while nothing changes.
        if wasEmpty { state.signal { _ in } }
    }

    /// Notes what a person did, for the input track. The thread writes it within a second, without being woken.
    func note(_ input: [TimedInput]) { state.withLock { if !$0.hasFailed { $0.input += input } } }

    /// Begins a chapter at `time` of the take. The thread writes its mark within a second, without being woken.
    func mark(_ title: String?, at time: MediaTime) throws(MarkError) -> Chapter {
        guard stream == nil else { throw .standardOutput }
        return try state.withLock { state -> Result<Chapter, MarkError> in
            guard !state.hasFailed else { return .failure(.recordingEnded) }
            guard state.markCount < Chapter.mostMarks else { return .failure(.tooMany) }
            state.markCount += 1
            let chapter = Chapter(start: time, title: title ?? "Chapter \(state.markCount)")
            state.marks.append(chapter)
            return .success(chapter)
        }.get()
    }

    /// Whether the next frame should be a keyframe: true once after frames were left out, when there is room for it, and
    /// once for each part of a split recording.
    func consumeKeyframeRequest() -> Bool {
        state.withLock { state in
            let isDue = state.keyframeDue.map { clock.mediaTime(at: MonotonicClock.now()) >= $0 } ?? false
            if isDue { state.keyframeDue = nil }
            return state.admission.consumeKeyframeRequest(queued: state.queuedBytes) || isDue
        }
    }

    /// Frames left out because the disk was behind.
    var framesLeftOut: Int { state.withLock { $0.admission.leftOut } }

    /// Bytes of all files so far.
    var bytesWritten: Int64 { state.withLock { $0.bytesWritten } }

    /// Writes the queued samples, finishes the file with the last frame lasting until `end`, at a constant rate for one interval, and
    /// ends the thread. Blocks.
    func finish(at end: MediaTime) -> Ending {
        state.signal { $0.end = end }
        thread.join()
        return ending.withLock { $0 } ?? .empty(nil)
    }

    // MARK: The thread

    private static func run(
        _ state: Monitor<State>, _ configuration: TakeConfiguration, audio: [AudioFormat], clock: TakeClock,
        observer: any TakeObserver
    ) -> Ending {
        let video = state.wait { state -> VideoFormat?? in
            if let video = state.video { return .some(video) }
            return state.end == nil ? nil : .some(nil)
        }
        guard let target = state.withLock({ $0.target.take() }) else { return .empty(nil) }
        guard let video = video ?? nil else {
            target.discard()
            return .empty(nil)
        }
        let interval = target.fragmentInterval
        let series: RecordingSeries
        do throws(StorageError) {
            series = try RecordingSeries(
                target: target, configuration: configuration, video: video, audio: audio, observer: observer)
        } catch {
            fail(.file(error), state, observer)
            return .empty(error)
        }
        let failure = write(
            to: series, every: interval, state, clock: clock, grid: FrameGrid(configuration.video), observer: observer)
        let ending = series.finish(failure: failure)
        if case .unfinished(let error, _) = ending { fail(.storage(error), state, observer) }
        return ending
    }

    /// Writes until the end of the take or an error, which it returns.
    ///
    /// - Parameter grid: ends the last frame at a constant rate; otherwise that frame lasts until the take's end.
    private static func write(
        to series: RecordingSeries, every interval: Int64, _ state: Monitor<State>, clock: TakeClock, grid: FrameGrid,
        observer: any TakeObserver
    ) -> StorageError? {
        /// At a constant rate, the end of the last frame.
        var frameEnd: MediaTime?
        var lastFlush = MonotonicClock.now()
        var lastSync = lastFlush
        do throws(StorageError) {
            while true {
                let end = waitForWork(state, lastFlush: lastFlush, interval)
                let (samples, marks, input, bytes) = state.withLock { state in
                    defer { (state.samples, state.marks, state.input) = ([], [], []) }
                    return (state.samples, state.marks, state.input, state.queuedBytes)
                }
                for chapter in marks { series.mark(chapter) }
                for action in input { series.note(action) }
                for sample in samples {
                    try series.append(sample)
                    if sample.type == .video { frameEnd = grid.end(ofFrameAt: sample.presentationTime) }
                }
                let now = MonotonicClock.now()
                try series.flush(through: frameEnd ?? end ?? clock.mediaTime(at: now))
                lastFlush = now
                let queuedBytes = state.signal { state -> Int in
                    state.queuedBytes -= bytes
                    return state.queuedBytes
                }
                let isStill = samples.isEmpty && marks.isEmpty
                if let disk = series.disk, now - lastSync >= (isStill ? stillSyncInterval : syncInterval) {
                    try series.checkName()
                    if try disk.start() { lastSync = now }
                }
                let due = series.consumeDue(queuedBytes: queuedBytes, at: clock.mediaTime(at: now))
                state.withLock { state in
                    state.bytesWritten = series.bytesWritten
                    state.path = series.path
                    state.keyframeDue = due ?? state.keyframeDue
                }
                if series.needsRepeatedFrame { observer.observe(.needsFrame(at: .min)) }
                if end != nil { return nil }
                // A still screen has no frame that the next part could begin with.
                if let instant = series.due.flatMap({ clock.snapshot.instant(afterRecording: $0) }),
                    instant < now + stillInterval
                {
                    observer.observe(.needsFrame(at: instant))
                }
            }
        } catch {
            fail(series.hasFrames ? .storage(error) : .file(error), state, observer)
            return error
        }
    }

    private static func fail(_ error: TakeError, _ state: Monitor<State>, _ observer: any TakeObserver) {
        let isFirst = state.signal { state -> Bool in
            defer {
                state.hasFailed = true
                (state.samples, state.input) = ([], [])
                state.queuedBytes = 0
            }
            return !state.hasFailed
        }
        if isFirst { observer.observe(.recordingFailed(error)) }
    }

    /// Sleeps until the next fragment is due: `interval` after the last if samples are queued, else a second. Returns
    /// the end of the take once it is known.
    private static func waitForWork(_ state: Monitor<State>, lastFlush: Int64, _ interval: Int64) -> MediaTime? {
        _ = state.wait(until: lastFlush + stillInterval) { !$0.samples.isEmpty || $0.end != nil ? true : nil }
        return state.wait(until: lastFlush + interval) { $0.end }
    }
}

// The chapters of a take, which the thread above writes into its recording.
extension Take {
    /// Begins a chapter of the file, in a pause where the file continues. `title`: nil: `Chapter` and its number.
    package func mark(_ title: String?, at instant: Int64) throws(MarkError) -> Chapter {
        guard let recording = sinks.recording else { throw .noRecording }
        return try recording.mark(title, at: max(.zero, clock.mediaTime(at: instant)))
    }
}

/// The reasons why a take gets no chapter.
package enum MarkError: Error {
    case noRecording, standardOutput, recordingEnded, tooMany

    package var message: String {
        switch self {
        case .noRecording: "Nothing is recorded, so no chapter can be marked; start a take with kinecast record."
        case .standardOutput:
            "The take is written to standard output, whose form has no chapters; record to a file to mark some."
        case .recordingEnded: "The recording has failed and gets no more chapters; start another take."
        case .tooMany: "The recording has \(Chapter.mostMarks) chapters, as many as it may have; start another take."
        }
    }
}

/// Makes a file durable on request, one request at a time. Call `end` before the file is closed.
final class SyncThread {
    private enum Work {
        case none, wanted, underWay
    }

    private struct State {
        var work = Work.none
        var hasEnded = false
        var failure: StorageError?
    }

    private let state = Monitor(State())
    private let synchronize: @Sendable () throws(StorageError) -> Void
    /// nil if no thread can be created: the caller then waits for the medium.
    private let thread: DedicatedThread?

    /// `synchronize` is called in the thread, and returns when everything written before is durable.
    init(_ synchronize: @escaping @Sendable () throws(StorageError) -> Void) {
        let state = state
        self.synchronize = synchronize
        thread = try? DedicatedThread(starting: "disk") {
            while state.wait(for: { state -> Bool? in
                if state.hasEnded { return false }
                guard state.work == .wanted else { return nil }
                state.work = .underWay
                return true
            }) == true {
                var failure: StorageError?
                do throws(StorageError) { try synchronize() } catch { failure = error }
                state.withLock { state in
                    state.work = .none
                    state.failure = state.failure ?? failure
                }
            }
        }
    }

    /// Starts making everything written so far durable. Returns false while the disk is busy with the last request;
    /// throws the error of an earlier one.
    func start() throws(StorageError) -> Bool {
        guard thread != nil else {
            try synchronize()
            return true
        }
        let (failure, isFree) = state.signal { state -> (StorageError?, Bool) in
            guard state.failure == nil, state.work == .none else { return (state.failure, false) }
            state.work = .wanted
            return (nil, true)
        }
        if let failure { throw failure }
        return isFree
    }

    /// Waits for the request under way, and ends the thread.
    func end() {
        state.signal { $0.hasEnded = true }
        thread?.join()
    }
}
