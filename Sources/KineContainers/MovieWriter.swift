// What the two writers of a take have in common: MP4Writer for files, MP4StreamWriter for pipes.
import KineMedia

/// Writes one take as MP4. Used by one thread, which calls `append` for each sample, in order within its track, `flush` a few times a
/// second, also while nothing changes, and `finish` once.
public protocol MovieWriter: AnyObject {
    /// The path of the file; the name of a stream.
    var path: String { get }

    /// Bytes written so far.
    var bytesWritten: Int64 { get }

    /// Whether a frame was written.
    var hasFrames: Bool { get }

    /// Whether the last frame has been shown for so long that the caller should have it encoded again.
    var needsRepeatedFrame: Bool { get }

    /// Adds a sample, which is written with a later `flush`. Samples of an unknown track are ignored, and so is everything after a
    /// failure.
    ///
    /// The first frame is at time zero, whatever its own time says. Audio is timed by counting: its access units must
    /// follow each other without a gap, and the first real sample (behind the priming) is at time zero.
    func append(_ sample: EncodedSample)

    /// Writes what was appended up to `now`, a time of the take. Throws the first error again and again.
    func flush(through now: MediaTime) throws(StorageError)

    /// Throws `removed` where a file has lost its name. The caller ends the take then, and `finish` puts the file back.
    func checkName() throws(StorageError)

    /// The last call: the take ends at `end`, until which its last frame lasts. Also after a failure.
    func finish(at end: MediaTime) throws(StorageError) -> FinishedFile
}

/// A recording after its end.
public struct FinishedFile: Sendable, Equatable {
    /// The file's path. Not the first one if the file was removed and that name is taken. A stream's name.
    public var path: String
    public var bytes: Int64
    /// The time that it plays.
    public var duration: MediaTime
    /// Frames. Zero where the take ended before its first frame: there is nothing to play, and the file may be deleted.
    public var frames: Int
    /// Access units of all audio tracks together.
    public var audioAccessUnits: Int
    /// The reason why the end of the take is missing from the file; nil if it is not.
    public var failure: StorageError?
}
