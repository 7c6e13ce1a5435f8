// The file interface of the MP4 writer, the recovery and the fast start: bytes at offsets. All disk access uses this
// protocol, so that a test can fail, cut or count every operation.
import Glibc
import SystemPackage

/// A file that is written in order and overwritten in a few places. Used by one thread at a time.
public protocol StorageFile: AnyObject {
    /// The file's path, for messages. Changes when `putBack` needs another name.
    var path: String { get }

    /// The size in bytes.
    func size() throws(StorageError) -> Int64

    /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
    func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8]

    /// The first offset from `offset` on with written bytes, as far as the file system knows, or the file's size. The
    /// bytes before it are zeros.
    func dataOffset(from offset: Int64) throws(StorageError) -> Int64

    /// Writes all of `bytes` at `offset`, in one system call if possible.
    func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError)

    /// Sets the size in bytes, and frees space reserved beyond it.
    func truncate(to size: Int64) throws(StorageError)

    /// Returns once all writes would survive a power cut.
    func synchronize() throws(StorageError)

    /// Reserves space up to `end` bytes without changing the file's size. Throws `StorageError.full` if there is none,
    /// and `tooLarge` if no file may be so large.
    func reserve(through end: Int64) throws(StorageError)

    /// The most bytes that the file may have, as far as that is known by now; `.max` where nothing is known.
    var sizeLimit: Int64 { get }

    /// Gives the file its final name. Before an older file is replaced, all writes are made durable.
    func publish() throws(StorageError)

    /// Whether the file has no name any more: another program deleted or replaced it. False before `publish`.
    func isRemoved() throws(StorageError) -> Bool

    /// Restores a removed file: under its name, or a similar one if that is taken; in another directory if its own is
    /// gone and cannot be made again. `path` becomes the new path.
    func putBack() throws(StorageError)

    /// Closes the file, so that other processes can open it. The last call.
    func close()
}

extension StorageFile {
    public func dataOffset(from offset: Int64) throws(StorageError) -> Int64 { offset }
    public var sizeLimit: Int64 { .max }
}

/// The errors of a file or a stream, with its path.
public enum StorageError: Error, Equatable {
    /// A file is at `path` already, and must not be replaced.
    case alreadyExists(path: String)
    /// The recording of which an excerpt is made has that name.
    case isSource(path: String)
    /// The file cannot be created: no such directory, read-only, no permission … `code` is the errno.
    case cannotCreate(path: String, code: Int32)
    /// The older file at `path` cannot be replaced: EBUSY for a mount point, EPERM if this user may not remove it …
    /// `code` is the errno.
    case cannotReplace(path: String, code: Int32)
    /// There is no file at `path`, or it may not be read and written. `code` is the errno.
    case cannotOpen(path: String, code: Int32)
    /// `path` is not a regular file.
    case notARegularFile(path: String)
    /// Another process is writing the file.
    case inUse(path: String)
    /// No space or quota is left.
    case full(path: String)
    /// The file may not grow: its file system, or the process's limit, allows no larger one.
    case tooLarge(path: String)
    /// Another program shortened the file during the recording.
    case shortened(path: String)
    /// Another program deleted or replaced the file during the recording.
    case removed(path: String)
    /// The stream's reader has closed its end.
    case readerGone(path: String)
    /// The stream's reader has read nothing for `ByteStream.timeout`, or too many bytes wait for it.
    case readerStalled(path: String)
    /// `operation` failed with `code` (errno).
    case failed(operation: String, path: String, code: Int32)
}

/// Makes an open `DiskFile` durable in another thread than its writer's: a busy disk can take seconds, and fragments
/// must not wait. Release it before the file is closed: until then the file stays locked.
public final class DiskSynchronizer: Sendable {
    private let descriptor: FileDescriptor
    private let path: String

    init(duplicating descriptor: FileDescriptor, path: String) throws(StorageError) {
        do {
            self.descriptor = try descriptor.duplicate()
        } catch {
            throw .failed(operation: "synchronize", path: path, code: (error as? Errno)?.rawValue ?? EIO)
        }
        self.path = path
    }

    deinit { try? descriptor.close() }

    /// Returns once all writes before the call would survive a power cut.
    public func synchronize() throws(StorageError) {
        try DiskFile.synchronize(descriptor, path)
    }
}
