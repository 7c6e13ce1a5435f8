// Finishes a recording whose writer died, in place. First checks everything, then appends the index as the writer would
// have. Never moves or overwrites recorded bytes.
import KineMedia

public enum MP4Recovery {
    public enum Error: Swift.Error, Equatable {
        case storage(StorageError)
        /// The file was not written by Kinecast, or its first bytes are damaged.
        case notARecording(path: String)
        /// The recording ended before its first frame.
        case nothingRecorded(path: String)
    }

    /// Makes an ordinary MP4 of the recording at `path`. A finished file stays as it is. If this throws, the file plays
    /// as well as before.
    ///
    /// Reads a few hundred bytes per half second recorded, and damaged parts a few times at most. Needs as much memory
    /// as the writer (`SampleTable`), and some megabytes, whatever sizes a damaged file claims. Also removes the
    /// temporary files that killed processes left in the same directory.
    public static func recover(_ path: String) throws(Error) -> RecoveredFile {
        DiskFile.removeLeftovers(beside: DiskFile.resolved(path))
        let file: DiskFile
        do { file = try DiskFile.open(path) } catch { throw .storage(error) }
        return try recover(file)
    }

    /// As above, for any file. Does not remove temporary files.
    public static func recover(_ file: any StorageFile) throws(Error) -> RecoveredFile {
        do {
            return try RecoverableRecording(file).finish()
        } catch let error as Error {
            throw error
        } catch {
            throw .storage(error as? StorageError ?? .failed(operation: "recover", path: file.path, code: 0))
        }
    }
}

/// The result of `MP4Recovery` for one file.
public struct RecoveredFile: Sendable, Equatable {
    public var bytes: Int64
    /// The playing time of the file.
    public var duration: MediaTime
    public var frames: Int
    /// Access units of all audio tracks together.
    public var audioAccessUnits: Int
    /// Whether the file was finished before.
    public var wasAlreadyFinished: Bool
    /// The playing time that the index of a finished file promises, if the end of the file is missing; otherwise nil.
    public var missesEndOf: MediaTime?
    /// Damaged or cut off bytes that are not part of the recording any more.
    public var skippedBytes: Int64
}

/// Turns one file from a recording into an ordinary MP4.
private struct RecoverableRecording {
    private let file: any StorageFile
    private let size: Int64
    private let state: RecordingState

    private static let largestHeader = 1 << 20

    init(_ file: any StorageFile) throws(StorageError) {
        self.file = file
        size = try file.size()
        state = try RecordingState(of: file)
    }

    func finish() throws -> RecoveredFile {
        switch state {
        case .foreign:
            throw MP4Recovery.Error.notARecording(path: file.path)
        case .empty:
            throw MP4Recovery.Error.nothingRecorded(path: file.path)
        case .indexFirst:
            guard let finished = try FinishedMovie(in: file, at: RecordingLayout.switchOffset, isFirst: true) else {
                throw MP4Recovery.Error.notARecording(path: file.path)
            }
            return alreadyFinished(finished)
        case .finished(let index):
            if let finished = try FinishedMovie(in: file, at: index), finished.isWhole {
                return alreadyFinished(finished)
            }
            // The index was cut off or is damaged, but the fragments remain.
            return try rebuild(knownEnd: index - 8)
        case .recording(let knownEnd):
            return try rebuild(knownEnd: knownEnd)
        }
    }

    private func rebuild(knownEnd: Int64?) throws -> RecoveredFile {
        let start = RecordingLayout.movieOffset
        guard let header = try file.content(of: "moov", at: start, atMost: Self.largestHeader) else {
            throw MP4Recovery.Error.nothingRecorded(path: file.path)
        }
        guard let initial = try? MovieDescription(readingInitial: BoxReader(header)) else {
            throw MP4Recovery.Error.notARecording(path: file.path)
        }
        let firstFragment = start + Int64(header.count) + 8
        var end = size
        // Only if the beginning of an index follows: other bytes there were recorded.
        if let knownEnd, knownEnd > firstFragment, knownEnd < size,
            try FragmentScanner.isUnfinishedIndex(file, at: knownEnd)
        {
            end = knownEnd
        }
        var scanner = FragmentScanner(file: file, movie: initial, end: end)
        try scanner.scan(from: firstFragment)
        let movie = scanner.movie
        var tables = scanner.tables
        guard tables[0].count > 0 else { throw MP4Recovery.Error.nothingRecorded(path: file.path) }

        try file.reserve(
            through: scanner.end + RecordingLayout.indexSizeBound(movie, tables, scanner.chapters))
        RecordingLayout.endInput(of: movie, &tables)
        let bytes = try RecordingLayout.finish(
            file, end: scanner.end, movie: movie, tables: tables, chapters: scanner.chapters)
        return RecoveredFile(
            bytes: bytes, duration: RecordingLayout.duration(movie, tables), frames: Int(tables[0].count),
            audioAccessUnits: movie.audioAccessUnits(in: tables), wasAlreadyFinished: false,
            skippedBytes: scanner.skippedBytes)
    }

    private func alreadyFinished(_ movie: FinishedMovie) -> RecoveredFile {
        RecoveredFile(
            bytes: size, duration: movie.duration, frames: movie.frames, audioAccessUnits: movie.audioAccessUnits,
            wasAlreadyFinished: true, missesEndOf: movie.isWhole ? nil : movie.promisedDuration, skippedBytes: 0)
    }
}
