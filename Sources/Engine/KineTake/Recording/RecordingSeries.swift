// The files of one recording: a single one, or one part after the other. Every part begins with a keyframe and plays
// alone. Each access unit of audio is in one part.
import KineContainers
import KineInput
import KineMedia

/// Writes the samples of a take into its files. Used by the recording thread.
final class RecordingSeries {
    private let configuration: TakeConfiguration
    /// The format of the newest frames.
    private var video: VideoFormat
    private let observer: any TakeObserver
    private var part: RecordingPart
    /// Parts begun so far.
    private var count = 1
    private var earlier: EarlierParts
    private var split: SplitStateMachine
    private var audio: PartAudio
    private var chapters = PartChapters()
    /// Nil: the recording has no input track.
    private var input: InputRecorder?
    /// The take's time up to which everything is written.
    private(set) var written = MediaTime.zero

    /// A file whose limit is at most this is worth a warning at its start.
    private static let smallLimit: Int64 = 64 << 30

    /// Begins the first part. If this throws, the file of `target` is gone.
    ///
    /// - Parameter leastContinued: bytes. A file that may not have so many ends the recording: a person has bounded it.
    init(
        target: RecordingTarget, configuration: TakeConfiguration, video: VideoFormat, audio: [AudioFormat],
        observer: any TakeObserver, leastContinued: Int64 = 1 << 30
    ) throws(StorageError) {
        self.configuration = configuration
        self.video = video
        self.observer = observer
        earlier = EarlierParts(observer: observer)
        split = SplitStateMachine(configuration, leastContinued: leastContinued)
        self.audio = PartAudio(audio)
        input = configuration.recordsInput ? InputRecorder(size: video.size) : nil
        part = try RecordingPart(target, video, audio, hasInput: input != nil, start: .zero)
        if let limit = split.fileLimit(stated: part.writer.sizeLimit), limit <= Self.smallLimit {
            observer.observe(
                .warning(
                    "A file at \(path) can have \(Quantity.bytes(limit)) at most; a longer recording goes on in a file beside "
                        + "it."))
        }
    }

    var path: String { part.writer.path }
    var disk: SyncThread? { part.disk }
    var hasFrames: Bool { count > 1 || part.writer.hasFrames }
    var needsRepeatedFrame: Bool { part.writer.needsRepeatedFrame }
    var bytesWritten: Int64 { earlier.bytesWritten + part.writer.bytesWritten }
    func checkName() throws(StorageError) { try part.writer.checkName() }

    /// The time from which on a keyframe is wanted, to begin the next part with.
    var due: MediaTime? { split.due }

    /// Returns `due` once for each keyframe to request.
    func consumeDue(queuedBytes: Int, at time: MediaTime) -> MediaTime? {
        split.note(size: part.writer.finishedSizeBound + Int64(queuedBytes), limit: part.writer.sizeLimit, at: time)
        return split.consumeDue()
    }

    /// Throws if the next part cannot be created. The earlier samples are written then.
    func append(_ sample: EncodedSample) throws(StorageError) {
        if split.isPossible, let track = audio.track(of: sample.type) {
            if audio.append(sample, track: track) { part.append(sample) } else { earlier.append(sample) }
            return
        }
        if sample.type == .video, sample.isKeyframe { try begin(sample) }
        part.append(sample)
    }

    /// Begins the next part with a keyframe, or another format within the part, if it is time for that.
    private func begin(_ keyframe: EncodedSample) throws(StorageError) {
        let (time, before) = (keyframe.presentationTime, video)
        video = keyframe.format ?? before
        if split.ends(atKeyframe: time), let cuts = audio.cuts(at: time) { return try beginPart(at: time, cuts) }
        split.passKeyframe()
        if video != before { try flushPart(through: time, isChange: true) }
    }

    /// Begins a chapter, before the samples that may end the part in which it begins.
    func mark(_ chapter: Chapter) { chapters.append(chapter) }

    /// Notes what a person did, for the sample of the input track that has its time.
    func note(_ action: TimedInput) { input?.note(action) }

    private func beginPart(at time: MediaTime, _ cuts: [AudioCut]) throws(StorageError) {
        earlier.finishPrevious(continuedIn: path)
        for chapter in chapters.removeFirst(before: time) { part.mark(chapter) }
        try flushPart(through: time)
        let now = max(time, written)
        written = time
        let next = try RecordingPart(
            try RecordingTarget(configuration, part: count + 1), video, audio.formats(from: cuts),
            hasInput: input != nil, start: time)
        part.writer.continues()
        earlier.add(part, end: time, now: now)
        part = next
        input?.beginFile()
        count += 1
        split.beginPart(at: time)
        if let chapter = chapters.continued(at: time) { part.mark(chapter) }
        for unit in audio.beginPart(cuts) { part.append(unit) }
    }

    /// Writes the samples up to `time` of the take. Throws if the recording cannot go on.
    func flush(through time: MediaTime) throws(StorageError) {
        // A later chapter may belong to the next part, whose keyframe is still to come.
        for chapter in chapters.removeFirst(before: due) { part.mark(chapter) }
        try flushPart(through: time)
        written = time
        earlier.flush(at: time, hasAllAudio: audio.isPreviousComplete, continuedIn: path)
    }

    /// - Parameter isChange: the frames from then on have the format `video`.
    private func flushPart(through time: MediaTime, isChange: Bool = false) throws(StorageError) {
        let input = input?.sample(through: time)
        if split.isAwaitingPart { return }
        if let input { part.append(input) }
        do throws(StorageError) {
            if isChange { try part.change(to: video, at: time) } else { try part.flush(through: time) }
        } catch {
            let size = part.writer.bytesWritten
            guard case .tooLarge = error, split.continues(afterRefusalAt: size) else { throw error }
            observer.observe(
                .warning(
                    "\(path) cannot grow beyond \(Quantity.bytes(size)); the recording goes on in a file beside it, without the "
                        + "frames up to the next keyframe."))
        }
    }

    /// Finishes all parts. `failure`: the error that ended the recording, if any.
    func finish(failure: StorageError?) -> RecordingThread.Ending {
        var files = earlier.finish(continuedIn: path)
        for chapter in chapters.removeFirst(before: nil) { part.mark(chapter) }
        do throws(StorageError) {
            if count > 1 { part.writer.continues() }
            var last = try part.finish(at: written)
            last.failure = split.isAwaitingPart ? failure : last.failure ?? failure
            if last.frames == 0 { part.discard() }
            files.addLast(last)
        } catch {
            files.addUnfinished(path, error)
        }
        return files.ending(listsParts: split.hasChosenLimit || count > 1)
    }
}
