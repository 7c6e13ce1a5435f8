// The files of one recording: a single one, or one part after the other. Every part begins with a keyframe and plays
// alone. Each access unit of audio is in one part.
import KineContainers
import KineMedia
import KinePlatform

/// Writes the samples of a take into its files. Used by the recording thread.
final class RecordingSeries {
    /// A part whose last access units of audio have not all come.
    private struct Previous {
        let part: RecordingPart
        let end: MediaTime
        let cuts: [AudioCut]
        /// The take's time at which the part is finished without them.
        let deadline: MediaTime
    }

    private let configuration: TakeConfiguration
    private let video: VideoFormat
    private let audio: [AudioTrackFormat]
    private let observer: any TakeObserver
    private var part: RecordingPart
    private var previous: Previous?
    private var finisher: PartFinisher?
    /// Parts begun so far.
    private var count = 1
    private var finished: [FinishedFile] = []
    private var unfinished: [(error: StorageError, path: String)] = []
    /// Bytes of the parts before `previous` and `part`.
    private var earlierBytes: Int64 = 0
    /// Nil for a stream, which is never split.
    private var policy: SplitPolicy?
    private var isDueNew = true
    /// The newest access units of each audio track, which the next part may begin with.
    private var recent: [ClipQueue<EncodedSample>]
    /// The number of each track's first access unit in `part`.
    private var firstUnits: [Int]
    /// Chapters that no part has yet.
    private var marks: [Chapter] = []
    /// The title of the newest chapter in a part; the chapter continues in the next part.
    private var title: String?
    /// The take's time up to which everything is written.
    private(set) var written = MediaTime.zero

    /// Access units of a track to keep: ten seconds of AAC. While frames come even later than that, no part begins.
    private static let keptUnits = 512
    /// The time to wait for audio of the previous part, which comes later than frames.
    private static let audioTimeout = MediaTime.seconds(2)
    /// The size beyond which a file could not grow, though its file system had stated no limit.
    private var refusedSize = Int64.max
    /// The part's file cannot grow: frames are left out until a keyframe begins the next one.
    private var isAwaitingPart = false
    /// A file whose limit is at most this is worth a warning at its start.
    private static let smallLimit: Int64 = 64 << 30
    /// A file that may not have so many bytes ends the recording: a person has bounded it.
    private let leastContinued: Int64

    /// Begins the first part. If this throws, the file of `target` is gone.
    init(
        target: RecordingTarget, configuration: TakeConfiguration, video: VideoFormat, audio: [AudioTrackFormat],
        observer: any TakeObserver, leastContinued: Int64 = 1 << 30
    ) throws(StorageError) {
        self.configuration = configuration
        self.leastContinued = leastContinued
        self.video = video
        self.audio = audio
        self.observer = observer
        policy = configuration.file == nil ? nil : SplitPolicy(limit: configuration.split, start: .zero)
        recent = audio.map { _ in ClipQueue() }
        firstUnits = audio.map { _ in 0 }
        part = try RecordingPart(target, video, audio, start: .zero)
        if let limit = fileLimit, limit <= Self.smallLimit {
            observer.observe(
                .warning(
                    "A file at \(path) can have \(Quantity.bytes(limit)) at most; a longer recording goes on in a file beside "
                        + "it."))
        }
    }

    /// The most bytes of the part's file, if the recording then continues in another file.
    private var fileLimit: Int64? {
        let limit = min(part.writer.sizeLimit, refusedSize)
        return policy != nil && limit < .max && limit >= leastContinued ? limit : nil
    }

    var path: String { part.writer.path }
    var disk: SyncThread? { part.disk }
    var hasFrames: Bool { count > 1 || part.writer.hasFrames }
    var needsRepeatedFrame: Bool { part.writer.needsRepeatedFrame }
    var bytesWritten: Int64 {
        earlierBytes + (previous?.part.writer.bytesWritten ?? 0) + part.writer.bytesWritten
    }
    func checkName() throws(StorageError) { try part.writer.checkName() }

    /// The time from which on a keyframe is wanted, to begin the next part with.
    var due: MediaTime? { policy?.due }

    /// Returns `due` once for each keyframe to request.
    func consumeDue(queuedBytes: Int, at time: MediaTime) -> MediaTime? {
        if let fileLimit { policy?.bound(fileLimit) }
        policy?.note(bytes: part.writer.finishedSizeBound + Int64(queuedBytes), at: time)
        guard isDueNew, let due else { return nil }
        isDueNew = false
        return due
    }

    /// Throws if the next part cannot be created. The earlier samples are written then.
    func append(_ sample: EncodedSample) throws(StorageError) {
        guard let policy else { return part.append(sample) }
        if let track = audio.firstIndex(where: { $0.type == sample.type }) { return append(sample, track: track) }
        if sample.type == .video, sample.isKeyframe {
            let time = sample.presentationTime
            if policy.ends(atKeyframe: time), let cuts = audioCuts(at: time) {
                try beginPart(at: time, cuts)
            } else {
                // If this is the requested keyframe, it came too early: the next one has to be requested too.
                isDueNew = true
            }
        }
        part.append(sample)
    }

    private func append(_ unit: EncodedSample, track: Int) {
        let number = recent[track].endIndex
        recent[track].append(unit)
        recent[track].removeFirst(before: number - Self.keptUnits)
        if let previous, number < previous.cuts[track].first { previous.part.append(unit) }
        if number >= firstUnits[track] { part.append(unit) }
    }

    /// Begins a chapter, before the samples that may end the part in which it begins.
    func mark(_ chapter: Chapter) { marks.append(chapter) }

    private func writeMarks(before end: MediaTime?) {
        let end = end ?? MediaTime(nanoseconds: .max)
        let earlier = marks.prefix { $0.start < end }
        for chapter in earlier { part.mark(chapter) }
        title = earlier.last?.title ?? title
        marks.removeFirst(earlier.count)
    }

    /// Nil if a part that begins then would lack audio.
    private func audioCuts(at time: MediaTime) -> [AudioCut]? {
        let cuts = audio.map { AudioCut(at: time, $0) }
        return zip(recent, cuts).allSatisfy { $0.startIndex <= $1.first } ? cuts : nil
    }

    private func beginPart(at time: MediaTime, _ cuts: [AudioCut]) throws(StorageError) {
        endPrevious()
        writeMarks(before: time)
        try flushPart(through: time)
        let deadline = max(time, written) + Self.audioTimeout
        written = time
        var formats = audio
        for track in formats.indices { formats[track].primingSamples = cuts[track].mediaStart }
        let next = try RecordingPart(
            try RecordingTarget(configuration, part: count + 1), video, formats, start: time)
        part.writer.continues()
        previous = Previous(part: part, end: time, cuts: cuts, deadline: deadline)
        part = next
        isAwaitingPart = false
        count += 1
        policy = policy.map { SplitPolicy(limit: $0.limit, start: time) }
        isDueNew = true
        if let title, marks.first?.start != time { part.mark(Chapter(start: time, title: title)) }
        for track in audio.indices {
            firstUnits[track] = cuts[track].first
            for number in recent[track].indices where number >= cuts[track].first {
                part.append(recent[track][number])
            }
        }
    }

    func flush(through time: MediaTime) throws(StorageError) {
        // A later mark may belong to the next part, whose keyframe is still to come.
        writeMarks(before: due)
        try flushPart(through: time)
        written = time
        guard let previous else { return }
        let isComplete = zip(recent, previous.cuts).allSatisfy { $0.endIndex >= $1.first }
        if isComplete || time >= previous.deadline { endPrevious() }
    }

    private func flushPart(through time: MediaTime) throws(StorageError) {
        if isAwaitingPart { return }
        do throws(StorageError) {
            try part.flush(through: time)
        } catch {
            guard case .tooLarge = error, policy != nil, part.writer.bytesWritten >= leastContinued else { throw error }
            refusedSize = part.writer.bytesWritten
            (isAwaitingPart, isDueNew) = (true, true)
            observer.observe(
                .warning(
                    "\(path) cannot grow beyond \(Quantity.bytes(refusedSize)); the recording goes on in a file beside it, without the "
                        + "frames up to the next keyframe."))
        }
    }

    private func endPrevious() {
        guard let previous = self.previous.take() else { return }
        collect()
        earlierBytes += previous.part.writer.bytesWritten
        finisher = PartFinisher(previous.part, at: previous.end) { [observer, path] in
            observer.observe(.recordingContinued(in: path))
        }
    }

    /// Waits until the part before the previous one is finished.
    private func collect() {
        guard let finisher = self.finisher.take() else { return }
        switch finisher.wait() {
        case .success(var file):
            if case .tooLarge = file.failure { file.failure = nil }
            finished.append(file)
        case .failure(let error): unfinished.append((error, finisher.path))
        }
    }

    /// Finishes all parts. `failure`: the error that ended the recording, if any.
    func finish(failure: StorageError?) -> RecordingThread.Ending {
        endPrevious()
        collect()
        writeMarks(before: nil)
        do throws(StorageError) {
            if count > 1 { part.writer.continues() }
            var last = try part.finish(at: written)
            last.failure = isAwaitingPart ? failure : last.failure ?? failure
            if last.frames == 0 { part.target.discard() }
            if last.frames > 0 || finished.isEmpty {
                finished.append(last)
            } else {
                finished[finished.count - 1].failure = last.failure
            }
        } catch {
            unfinished.append((error, path))
        }
        if let first = unfinished.first { return .unfinished(first.error, path: first.path) }
        guard var whole = finished.last, whole.frames > 0 else { return .empty(finished.last?.failure) }
        for file in finished.dropLast() {
            whole.bytes += file.bytes
            whole.duration += file.duration
            whole.frames += file.frames
            whole.audioAccessUnits += file.audioAccessUnits
            whole.failure = whole.failure ?? file.failure
        }
        if configuration.split != nil && policy != nil || count > 1 { whole.parts = finished.map(\.path) }
        return .finished(whole)
    }
}

/// One file of a recording while it is written. Times are the take's; the file's count from its first frame.
///
/// Sendable: only one thread uses it at a time, the recording thread and at last its finisher's.
private struct RecordingPart: @unchecked Sendable {
    let target: RecordingTarget
    let writer: any MovieWriter
    /// Makes the file durable while the writer goes on.
    let disk: SyncThread?
    /// The time of the first frame.
    let start: MediaTime

    /// If this throws, the file of `target` is gone.
    init(
        _ target: RecordingTarget, _ video: VideoFormat, _ audio: [AudioTrackFormat], start: MediaTime
    ) throws(StorageError) {
        do throws(StorageError) {
            (writer, disk) = try target.open(video, audio)
        } catch {
            target.discard()
            throw error
        }
        self.target = target
        self.start = start
    }

    func append(_ sample: EncodedSample) {
        var sample = sample
        sample.presentationTime -= start
        writer.append(sample)
    }

    func mark(_ chapter: Chapter) {
        writer.mark(Chapter(start: max(.zero, chapter.start - start), title: chapter.title))
    }

    func flush(through time: MediaTime) throws(StorageError) { try writer.flush(through: time - start) }

    func finish(at end: MediaTime) throws(StorageError) -> FinishedFile {
        disk?.end()
        return try writer.finish(at: end - start)
    }
}

/// Finishes a part in a thread of its own: a busy disk can take seconds, and fragments of the next part must not wait.
private final class PartFinisher: Sendable {
    let path: String
    private let file = Monitor<Result<FinishedFile, StorageError>?>(nil)

    /// Calls `done` in that thread. If no thread can be created, finishes the part at once.
    init(_ part: RecordingPart, at end: MediaTime, done: @escaping @Sendable () -> Void) {
        path = part.writer.path
        let finish: @Sendable () -> Void = { [file] in
            let result = Result { () throws(StorageError) in try part.finish(at: end) }
            done()
            file.signal { $0 = result }
        }
        if (try? DedicatedThread(starting: "finish", body: finish)) == nil { finish() }
    }

    func wait() -> Result<FinishedFile, StorageError> {
        file.wait { $0 } ?? .failure(.failed(operation: "finish", path: path, code: 0))
    }
}
