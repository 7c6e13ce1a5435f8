// Makes a file durable beside the thread that writes it: a busy disk can take seconds for it, and fragments must not wait.
import Glibc
import SystemPackage

/// One open `DiskFile`, for another thread than the one that writes it. Release it before the file is closed: until then the
/// file stays locked.
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
