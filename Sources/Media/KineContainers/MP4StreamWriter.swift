// Writes a take to a pipe as fragmented MP4, in the form of an unfinished recording (RecordingLayout): a file with
// these bytes can be recovered like one.
import KineMedia

/// The recording of one take as a stream, without overwriting. The newest frame waits for the next one, or the end, to
/// know its duration, so frames must come now and then while nothing changes.
public final class MP4StreamWriter: MovieWriter {
    private let stream: ByteStream
    private let movie: MovieDescription
    private var pending: PendingSamples
    private var sequenceNumber: UInt32 = 0
    /// Ticks at which the last written frame starts, and those at which each track continues.
    private var lastStart: UInt64?
    private var lastInput: UInt64?
    private var ends: [UInt64]
    private var frames = 0
    private var accessUnits = 0
    private var failure: StorageError?

    public private(set) var bytesWritten: Int64 = 0

    /// As in `MP4Writer`.
    private var formatMark: [UInt8] = []

    /// Writes the header. Parameters as for `MP4Writer`.
    public init(
        stream: ByteStream, video: VideoFormat, audio: [AudioFormat], hasInput: Bool = false, creationTime: Int64
    ) throws(StorageError) {
        self.stream = stream
        movie = MovieDescription(recordedAt: creationTime, video: video, audio: audio, hasInput: hasInput)
        pending = PendingSamples(movie, audio: audio)
        ends = movie.tracks.map { _ in 0 }
        try write(RecordingLayout.header(movie))
    }

    public var path: String { stream.path }
    public var hasFrames: Bool { frames > 0 }
    public var needsRepeatedFrame: Bool { false }
    public var finishedSizeBound: Int64 { bytesWritten }

    public func append(_ sample: EncodedSample) {
        if failure == nil { pending.append(sample, after: lastStart) }
    }

    public func append(input data: [UInt8], at time: MediaTime) {
        guard failure == nil else { return }
        pending.append(input: data, at: time, after: lastInput)
    }

    public func change(to format: VideoFormat, at time: MediaTime) throws(StorageError) {
        if let failure { throw failure }
        if hasFrames || !pending.runs[0].isEmpty { try writeFragment(until: PendingSamples.ticks(time)) }
        formatMark = SampleEntry.mark(SampleEntry.video(format))
    }

    public func mark(_ chapter: Chapter) {}

    public func flush(through now: MediaTime) throws(StorageError) {
        if let failure { throw failure }
        let held = pending.runs[0].removeLast()
        // The stream begins with a frame.
        if hasFrames || !pending.runs[0].isEmpty {
            try writeFragment(until: held?.starts.first ?? PendingSamples.ticks(now))
        }
        if let held { pending.runs[0].append(held) }
    }

    public func checkName() throws(StorageError) {}

    /// The reader sees the end when the last process has closed the descriptor. Writes no more after a failure.
    public func finish(at end: MediaTime) -> FinishedFile {
        if failure == nil, hasFrames || !pending.runs[0].isEmpty {
            try? writeFragment(until: PendingSamples.ticks(end))
        }
        let ticks = zip(movie.tracks, ends).map { MovieBox.movieDuration(of: $0, mediaDuration: $1) }
        return FinishedFile(
            path: path, bytes: bytesWritten, duration: RecordingLayout.duration(ticks: ticks.max() ?? 0),
            frames: frames,
            audioAccessUnits: accessUnits, failure: failure)
    }

    /// Writes all pending samples; the last frame lasts until `end`.
    private func writeFragment(until end: UInt64) throws(StorageError) {
        guard !pending.isEmpty else { return }
        let runs = pending.fragmentRuns(until: end) { ends[$0] }
        sequenceNumber += 1
        try write(formatMark + RecordedFragment(sequenceNumber: sequenceNumber, runs: runs).bytes)
        for run in runs {
            let (track, count) = (Int(run.track.id) - 1, run.samples.sizes.count)
            switch run.track.kind {
            case .video:
                frames += count
                lastStart = run.samples.starts.last
                ends[track] = (lastStart ?? 0) + UInt64(run.durations.last ?? 0)
            case .audio:
                accessUnits += count
                ends[track] += UInt64(run.track.sampleDuration) * UInt64(count)
            case .input: lastInput = run.samples.starts.last
            }
        }
        pending.removeAll()
    }

    private func write(_ bytes: [UInt8]) throws(StorageError) {
        do {
            try stream.write(bytes)
            bytesWritten += Int64(bytes.count)
        } catch {
            failure = error
            pending.removeAll()
            throw error
        }
    }
}
