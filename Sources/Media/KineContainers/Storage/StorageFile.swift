// The file as the MP4 writer, the recovery and the fast start see it: bytes at offsets. Everything that touches a disk goes
// through this protocol, so that a test can fail, cut or count every operation.
import Glibc
import SystemPackage

/// A file that is written front to back and overwritten in a few places. Used by one thread at a time.
public protocol StorageFile: AnyObject {
    /// The file's path, for messages. Changes when `putBack` needs another name.
    var path: String { get }

    /// Bytes in the file.
    func size() throws(StorageError) -> Int64

    /// Reads up to `count` bytes at `offset`; fewer only where the file ends.
    func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8]

    /// The first offset from `offset` on with bytes that were ever written, as far as the file system knows; the file's size where there
    /// is none. Between the two are zeros.
    func dataOffset(from offset: Int64) throws(StorageError) -> Int64

    /// Writes all of `bytes` at `offset`, in one system call where the system takes them at once.
    func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError)

    /// Makes the file `size` bytes long and frees space reserved beyond that.
    func truncate(to size: Int64) throws(StorageError)

    /// Returns when all that was written would survive a power cut.
    func synchronize() throws(StorageError)

    /// Reserves space up to `end` bytes; the file's size does not change. Throws `StorageError.full` where there is none,
    /// and `tooLarge` where no file may reach so far.
    func reserve(through end: Int64) throws(StorageError)

    /// Gives the file its name, if it has another or none yet. Everything written is durable before an older file of that name
    /// is replaced.
    func publish() throws(StorageError)

    /// Whether the file has no name any more: someone deleted or replaced it while it was open. False before `publish`.
    func isRemoved() throws(StorageError) -> Bool

    /// Brings a removed file back: under its name, or a similar one if that is taken; in another directory if its own is gone
    /// and cannot be made again. `path` is its new path.
    func putBack() throws(StorageError)

    /// Closes the file, so that others can open it. The last call.
    func close()
}

extension StorageFile {
    public func dataOffset(from offset: Int64) throws(StorageError) -> Int64 { offset }
}

/// The errors of a file or a stream. Every case names it.
public enum StorageError: Error, Equatable {
    /// Something is at `path` already, and it was not asked to be replaced.
    case alreadyExists(path: String)
    /// The file cannot be made: no such directory, read-only, no permission … `code` is the errno.
    case cannotCreate(path: String, code: Int32)
    /// The older file at `path` cannot be replaced: EBUSY where it is mounted by itself, EPERM where this user may not remove it …
    /// `code` is the errno.
    case cannotReplace(path: String, code: Int32)
    /// There is no file at `path`, or it may not be read and written. `code` is the errno.
    case cannotOpen(path: String, code: Int32)
    /// Something else than an ordinary file is at `path`.
    case notARegularFile(path: String)
    /// Another process is writing the file.
    case inUse(path: String)
    /// No space or quota is left.
    case full(path: String)
    /// The file may not grow: its file system, or the process's limit, allows no larger one.
    case tooLarge(path: String)
    /// Another program shortened the file while it was being written.
    case shortened(path: String)
    /// The file was deleted or replaced while it was being written.
    case removed(path: String)
    /// The program that read a stream has closed its end.
    case readerGone(path: String)
    /// No program has read a stream for `ByteStream.patience`, or too much waits for the one that does.
    case readerStalled(path: String)
    /// `operation` failed with `code` (errno).
    case failed(operation: String, path: String, code: Int32)
}

/// One open `DiskFile`, for another thread than the one that writes it. Release it before the file is closed: until then the
/// file stays locked.
///
/// Makes a file durable beside the thread that writes it: a busy disk can take seconds for it, and fragments must not wait.
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

    /// Returns when all that was written before the call would survive a power cut.
    public func synchronize() throws(StorageError) {
        guard fdatasync(descriptor.rawValue) == 0 else {
            throw DiskFile.translate(Errno(rawValue: errno), "synchronize", path)
        }
    }
}
