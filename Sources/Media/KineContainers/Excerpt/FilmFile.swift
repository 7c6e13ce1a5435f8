// Writes a new movie beside a recording, of copied and of new samples. It has its name only when it is whole.
import KineMedia

public final class FilmFile {
    private let file: Unpublished
    private let writer: MP4Writer
    private let conflict: NameConflict
    private var pendingBytes = 0

    /// Bytes of samples that are written together.
    private static let flushedBytes = 1 << 20

    /// Throws if the file could not have its name, or if there is no space for so many bytes.
    ///
    /// - Parameters:
    ///   - path: of the new file; the recording is never replaced.
    ///   - source: the recording.
    ///   - video: the first frame's.
    ///   - audio: of each track, each of another `type`.
    ///   - index: the recording's, whose creation time the file gets.
    ///   - bytes: about how large the file becomes.
    ///   - conflict: what to do if the name is taken.
    public init(
        to path: String, source: DiskFile, video: VideoFormat, audio: [AudioFormat], of index: RecordingIndex,
        bytes: Int64, ifTaken conflict: NameConflict
    ) throws(StorageError) {
        if conflict != .number, try source.isFile(at: path) { throw .isSource(path: path) }
        let target = try DiskFile.checkTarget(path, ifTaken: conflict)
        let file = Unpublished(try DiskFile.createReplacement(for: target, isPrivate: try source.isPrivate()))
        do throws(StorageError) {
            try file.reserve(through: bytes)
            writer = try MP4Writer(
                file: file, video: video, audio: audio,
                creationTime: Int64(clamping: index.creationTime) - MovieDescription.unixEpoch)
        } catch {
            file.file.discardTemporary()
            throw error
        }
        (self.file, self.conflict) = (file, conflict)
    }

    /// Adds a sample, as `MovieWriter.append` does; audio before the frames that are later.
    public func append(_ sample: EncodedSample) throws(StorageError) {
        writer.append(sample)
        pendingBytes += sample.data.count
        // Also for audio alone, over a still picture.
        guard pendingBytes >= Self.flushedBytes else { return }
        pendingBytes = 0
        try writer.flush(through: max(.zero, sample.presentationTime))
    }

    /// Frames from a time on have this format.
    public func change(to format: VideoFormat, at time: MediaTime) throws(StorageError) {
        try writer.change(to: format, at: time)
    }

    public func mark(_ chapter: Chapter) { writer.mark(chapter) }

    /// Ends the movie, and gives the file its name. The last call.
    public func finish(at end: MediaTime) throws(StorageError) -> FinishedFile {
        do throws(StorageError) {
            var finished = try writer.finish(at: end)
            if let failure = finished.failure { throw failure }
            // A new file need not be durable: the recording still exists.
            try file.file.publish(ifTaken: conflict, isDurable: conflict == .replace)
            finished.path = file.path
            file.file.close()
            return finished
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the file, which has no name yet. The last call.
    public func discard() { file.file.discardTemporary() }
}

/// A file that gets its name only from `FilmFile`.
private final class Unpublished: StorageFile {
    let file: DiskFile

    init(_ file: DiskFile) { self.file = file }

    var path: String { file.path }
    var sizeLimit: Int64 { file.sizeLimit }
    func size() throws(StorageError) -> Int64 { try file.size() }
    func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] { try file.read(at: offset, count: count) }
    func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) { try file.write(bytes, at: offset) }
    func truncate(to size: Int64) throws(StorageError) { try file.truncate(to: size) }
    func reserve(through end: Int64) throws(StorageError) { try file.reserve(through: end) }
    /// A new file need not be durable while it has no name.
    func synchronize() throws(StorageError) {}
    func publish() throws(StorageError) {}
    func isRemoved() throws(StorageError) -> Bool { false }
    func putBack() throws(StorageError) {}
    func close() {}
}
