// Writes a take to an MP4 file that is playable at every instant: fragments during the take, an ordinary file at its
// end. This file decides when bytes are written; Movie/ defines their form.
import KineMedia

/// The recording of one take. Used by one thread, which calls:
/// - `append` for each sample, in order within its track;
/// - `flush` a few times a second, even if nothing changes: a crash loses only the samples since then;
/// - `synchronize` once a second, or a `DiskSynchronizer` beside it: a power cut loses only the flushes since then;
/// - `finish` once.
///
/// Each sample costs 4 bytes of memory until the end if durations do not change (see `SampleTable`). The samples
/// themselves stay in memory only until the next `flush`.
public final class MP4Writer: MovieWriter {
    private let file: any StorageFile
    private var movie: MovieDescription
    /// The number of the next frames' sample entry.
    private var entry: UInt32 = 1
    /// Audio is heard only until the last frame's end, because another file continues it.
    private var cutsAudio = false

    /// One for each track of `movie`, video first.
    private var tables: [SampleTable]
    private var pending: PendingSamples
    private var chapters: [Chapter] = []
    private var pendingChapters: [Chapter] = []

    /// Stands before each fragment once the format has changed, so that recovery knows the format after damage too.
    private var formatMark: [UInt8] = []

    /// The offset at which the fragments end.
    private var end: Int64
    private var sequenceNumber: UInt32 = 0
    /// The offset of the last written frame's duration in the file.
    private var lastDurationOffset: Int64?
    /// The end of the last successful flush, in the take's time.
    private var flushedThrough = MediaTime.zero
    private var isDirty = false
    /// Whether the first fragment is durable. Before that, an older file keeps the name.
    private var isPublished = false

    /// The error that ended writing. `finish` may still succeed.
    public private(set) var failure: StorageError?

    /// The codec of a file's audio.
    public static let audioCodec = AudioCodec.aac
    /// Bytes to keep free beyond the known needs of the index.
    private static let reserveMargin: Int64 = 64 << 10

    /// Begins the file: it is a valid recording from now on. `file` gets its name once the first fragment is durable.
    /// - Parameters:
    ///   - audio: the audio tracks, each of another `type`.
    ///   - hasInput: whether there is a track of input too.
    ///   - creationTime: seconds since 1970-01-01 UTC.
    public init(
        file: any StorageFile, video: VideoFormat, audio: [AudioFormat], hasInput: Bool = false, creationTime: Int64
    ) throws(StorageError) {
        self.file = file
        movie = MovieDescription(recordedAt: creationTime, video: video, audio: audio, hasInput: hasInput)
        tables = movie.tracks.map { _ in SampleTable() }
        pending = PendingSamples(movie, audio: audio)

        let header = RecordingLayout.header(movie)
        end = Int64(header.count)
        try file.reserve(through: end + RecordingLayout.indexSizeBound(movie, tables, []) + Self.reserveMargin)
        try file.write(header, at: 0)
        try file.synchronize()
    }

    /// The file's path, even before it has its name.
    public var path: String { file.path }

    public var bytesWritten: Int64 { end }

    public var finishedSizeBound: Int64 {
        end + RecordingLayout.indexSizeBound(movie, tables, chapters + pendingChapters)
    }

    public var sizeLimit: Int64 { file.sizeLimit < .max ? file.sizeLimit - Self.reserveMargin : .max }

    public func continues() { cutsAudio = true }

    public var hasFrames: Bool { tables[0].count > 0 }

    /// Whether the last frame has been shown for twelve hours. A sample's duration has 32 bits, 13.2 hours at 90 kHz:
    /// if the caller does not encode the frame again before that, later frames come too early.
    public var needsRepeatedFrame: Bool {
        tables[0].lastDuration > 12 * 3600 * UInt32(TrackDescription.videoTimescale)
    }

    public func append(_ sample: EncodedSample) {
        guard failure == nil else { return }
        pending.append(sample, after: hasFrames ? tables[0].lastStart : nil)
    }

    public func append(input data: [UInt8], at time: MediaTime) {
        guard failure == nil, let track = movie.input else { return }
        pending.append(input: data, at: time, after: tables[track].count > 0 ? tables[track].lastStart : nil)
    }

    public func mark(_ chapter: Chapter) {
        guard failure == nil else { return }
        // Recovery takes a second mark of an instant for a repetition.
        let earliest = (pendingChapters.last ?? chapters.last).map { $0.ticks + 1 } ?? 0
        pendingChapters.append(Chapter(ticks: max(chapter.ticks, earliest), title: chapter.title))
    }

    public func change(to format: VideoFormat, at time: MediaTime) throws(StorageError) {
        try flush(through: time)
        let new = SampleEntry.video(format)
        entry = movie.tracks[0].number(of: new)
        formatMark = SampleEntry.mark(new)
    }

    /// Brings the file up to `now`, a time of the take: writes one fragment with all new samples, whose last frame
    /// lasts until `now`. Without new samples, overwrites four bytes so that the last frame lasts until `now`.
    ///
    /// Throws when space runs out, early enough that `finish` still fits. The samples since the last flush are then
    /// lost, and every later call throws the same error.
    public func flush(through now: MediaTime) throws(StorageError) {
        if let failure { throw failure }
        // A file begins with a frame.
        guard hasFrames || !pending.runs[0].isEmpty else { return }
        do throws(StorageError) {
            // Otherwise the file would get an undetectable hole.
            guard try file.size() >= end else { throw .shortened(path: file.path) }
            try extendLastFrame(until: pending.runs[0].starts.first ?? PendingSamples.ticks(now))
            if !pending.isEmpty { try writeFragment(through: PendingSamples.ticks(now)) }
            flushedThrough = now
            if !pendingChapters.isEmpty { try writeMarks() }
            if !isPublished, hasFrames { try publish() }
        } catch {
            failure = error
            pending.removeAll()
            pendingChapters = []
            throw error
        }
    }

    private func publish() throws(StorageError) {
        try file.publish()
        isPublished = true
    }

    /// Sets the last written frame's duration, in the file and in the table.
    private func extendLastFrame(until time: UInt64) throws(StorageError) {
        guard let offset = lastDurationOffset else { return }
        let start = tables[0].lastStart
        let duration = UInt32(clamping: max(time, start + 1) - start)
        guard duration != tables[0].lastDuration else { return }
        var field = BoxWriter()
        field.integer(duration)
        try file.write(field.bytes, at: offset)
        tables[0].lastDuration = duration
        isDirty = true
    }

    private func writeFragment(through now: UInt64) throws(StorageError) {
        let runs = pending.fragmentRuns(until: now) { tables[$0].duration }
        let fragmentStart = end + Int64(formatMark.count)
        let fragment = RecordedFragment(sequenceNumber: sequenceNumber + 1, runs: runs, position: fragmentStart)
        // The index grows by at most 20 bytes for each chunk and 16 for each sample.
        let growth = runs.reduce(Int64(0)) { $0 + 20 + 16 * Int64($1.samples.sizes.count) }
        let index = RecordingLayout.indexSizeBound(movie, tables, chapters) + growth
        try append(formatMark + fragment.bytes, index: index)
        note(runs, of: fragment, at: fragmentStart)
        sequenceNumber += 1
    }

    /// Writes the new chapters' marks, whose chapters are kept only once they are in the file.
    private func writeMarks() throws(StorageError) {
        let all = chapters + pendingChapters
        try append(pendingChapters.flatMap(\.mark), index: RecordingLayout.indexSizeBound(movie, tables, all))
        (chapters, pendingChapters) = (all, [])
    }

    /// Appends whole boxes, after which `index` bytes for the index still fit.
    private func append(_ bytes: [UInt8], index: Int64) throws(StorageError) {
        let newEnd = end + Int64(bytes.count)
        try file.reserve(through: newEnd + index + Self.reserveMargin)
        do {
            try file.write(bytes, at: end)
        } catch {
            try? file.truncate(to: end)
            throw error
        }
        end = newEnd
        isDirty = true
    }

    /// Adds a fragment that was written at `start` to the tables.
    private func note(_ runs: [RecordedFragment.Run], of fragment: RecordedFragment, at start: Int64) {
        for (run, offset) in zip(runs, fragment.runOffsets) {
            let track = Int(run.track.id) - 1
            if run.track.kind == .input { tables[track].endLastSample(at: run.start) }
            for (sample, size) in run.samples.sizes.enumerated() {
                tables[track].append(
                    size: size, duration: run.duration(of: sample), isSync: run.samples.isSync[sample])
            }
            tables[track].appendChunk(
                offset: start + Int64(offset), length: UInt32(run.samples.sizes.count), entry: track == 0 ? entry : 1)
        }
        pending.removeAll()
        if let offset = fragment.lastDurationOffset { lastDurationOffset = start + Int64(offset) }
    }

    /// Returns once all flushes would survive a power cut. Throws as `checkName`.
    public func synchronize() throws(StorageError) {
        if let failure { throw failure }
        if isDirty {
            do {
                try file.synchronize()
            } catch {
                failure = error
                throw error
            }
            isDirty = false
        }
        try checkName()
    }

    /// Gives the file a name if it has none, or has lost its name.
    private func ensureName() throws(StorageError) {
        do {
            if !isPublished { try publish() }
            guard try file.isRemoved() else { return }
        } catch {}  // its directory may be gone: the file is put back elsewhere
        try file.putBack()
    }

    public func checkName() throws(StorageError) {
        if try file.isRemoved() { throw .removed(path: file.path) }
    }

    /// Makes an ordinary MP4 of the file, whose last frame lasts until `end`. This takes the same short time for any
    /// take, because the index only has to be written.
    ///
    /// The last call: closes the file. After a failure, finishes the file with the written samples. If that is
    /// impossible, or the file was shortened, so that the index would be wrong, it throws: the file still plays, and
    /// `MP4Recovery` can finish it later.
    public func finish(at end: MediaTime) throws(StorageError) -> FinishedFile {
        var end = end
        do {
            try flush(through: end)
        } catch {
            end = min(end, flushedThrough)
        }
        if tables[0].count > 0 {
            var unfinished: StorageError?
            do throws(StorageError) {
                if let failure {
                    if case .shortened = failure { throw failure }
                    try? extendLastFrame(until: PendingSamples.ticks(end))
                }
                RecordingLayout.endInput(of: movie, &tables)
                self.end = try RecordingLayout.finish(
                    file, end: self.end, movie: movie, tables: tables, chapters: chapters, shownTicks: shownTicks)
            } catch {
                unfinished = error
            }
            // A file that could not be finished gets its name too: without one it would be deleted when it is closed.
            try ensureName()
            if let unfinished { throw unfinished }
        }
        file.close()
        return FinishedFile(
            path: file.path, bytes: self.end,
            duration: shownTicks.map { RecordingLayout.duration(ticks: $0.max() ?? 0) }
                ?? RecordingLayout.duration(movie, tables),
            frames: Int(tables[0].count), audioAccessUnits: movie.audioAccessUnits(in: tables), failure: failure)
    }

    /// As for `MovieBox.final`.
    private var shownTicks: [UInt64]? {
        guard cutsAudio else { return nil }
        return zip(movie.tracks, tables).map { track, table in
            min(MovieBox.movieDuration(of: track, mediaDuration: table.duration), tables[0].duration)
        }
    }
}

/// Writes one take as MP4. Used by one thread, which calls `append` for each sample, in order within its track, `flush`
/// a few times a second, even if nothing changes, and `finish` once.
///
/// MP4Writer writes files, MP4StreamWriter writes to pipes.
public protocol MovieWriter: AnyObject {
    /// The path of the file; the name of a stream.
    var path: String { get }

    var bytesWritten: Int64 { get }

    /// The most bytes of the file if it were finished now.
    var finishedSizeBound: Int64 { get }

    /// The most bytes that the finished file may have, as far as that is known by now; `.max` where nothing is known.
    var sizeLimit: Int64 { get }

    /// Another file continues this one: its audio is heard only until the last frame's end.
    func continues()

    var hasFrames: Bool { get }

    /// Whether the caller should encode the last frame again because it has been shown for long.
    var needsRepeatedFrame: Bool { get }

    /// Adds a sample for a later `flush`. Ignores samples of an unknown track, and all samples after a failure.
    ///
    /// The first frame is at time zero, whatever its own time. Audio is timed by counting: its access units must follow
    /// each other without a gap, and the first sample after the priming is at time zero.
    func append(_ sample: EncodedSample)

    /// Adds a sample of the input track for a later `flush`, if there is such a track. It lasts until the next one, or the end
    /// of the take; the first is at time zero, whatever its own time.
    /// - Parameter time: of the take, in the order of the samples.
    func append(input data: [UInt8], at time: MediaTime)

    /// Frames at `time` of the take and later have this format, of the same codec. Call it before the first of them, a keyframe, is
    /// appended. Writes the earlier samples, as `flush` does.
    func change(to format: VideoFormat, at time: MediaTime) throws(StorageError)

    /// Begins a chapter with the next `flush`; chapters come in order. A stream has none: its index comes first.
    func mark(_ chapter: Chapter)

    /// Writes the samples up to `now`, a time of the take. Throws the first error in every later call.
    func flush(through now: MediaTime) throws(StorageError)

    /// Throws `removed` if the file has lost its name. The caller then ends the take, and `finish` puts the file back.
    func checkName() throws(StorageError)

    /// The last call: the take, and its last frame, end at `end`. Also needed after a failure.
    func finish(at end: MediaTime) throws(StorageError) -> FinishedFile
}

extension MovieWriter {
    public var sizeLimit: Int64 { .max }
    public func continues() {}
}

/// A finished recording.
public struct FinishedFile: Sendable, Equatable {
    /// The file's path: a new one if the file was removed and its name is taken. For a stream, its name.
    public var path: String
    public var bytes: Int64
    /// The playing time.
    public var duration: MediaTime
    /// Zero if the take ended before its first frame: the file cannot be played and may be deleted.
    public var frames: Int
    /// Access units of all audio tracks together.
    public var audioAccessUnits: Int
    /// The reason why the end of the take is missing from the file, if it is.
    public var failure: StorageError?
    /// The files of a split recording in order; the other values are then those of all of them, and `path` the last.
    public var parts: [String] = []
}
