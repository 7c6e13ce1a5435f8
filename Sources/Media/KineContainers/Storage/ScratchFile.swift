// An unnamed file for data too large for memory. The kernel deletes it when it is closed, however the process ends.
import CLinux
import Glibc
import KineText
import SystemPackage

/// Any number of threads may use it if they do not write and read the same bytes at once. Closes its descriptor when it
/// is released.
public final class ScratchFile: Sendable {
    private let descriptor: FileDescriptor
    private let directory: String

    /// Opens a file on the file system of `directory`. No other process can open it.
    ///
    /// - Parameter makingDirectory: make `directory` if it is missing, and those above it.
    public init(in directory: String, makingDirectory: Bool = false) throws(StorageError) {
        self.directory = directory
        if makingDirectory { DiskFile.makeDirectory(directory) }
        let unnamed = kine_open_unnamed(directory.cString, 0o600)
        if unnamed >= 0 {
            descriptor = FileDescriptor(rawValue: unnamed)
            return
        }
        // Not every file system has unnamed files: there, a named file loses its name at once.
        descriptor = try DiskFile.withTemporaryName(in: directory) { (name) throws(StorageError) in
            do {
                let file = try FileDescriptor.open(
                    name.cString, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: .ownerReadWrite)
                unlink(name.cString)
                return file
            } catch {
                let error = error as? Errno ?? .ioError
                throw error == .fileExists
                    ? .alreadyExists(path: name) : .cannotCreate(path: directory, code: error.rawValue)
            }
        }
    }

    deinit { try? descriptor.close() }

    /// Free bytes for this user on its file system; nil if unknown.
    public var freeBytes: Int64? {
        var information = statvfs()
        guard fstatvfs(descriptor.rawValue, &information) == 0 else { return nil }
        let (free, overflow) = Int64(information.f_bavail).multipliedReportingOverflow(by: Int64(information.f_frsize))
        return overflow ? .max : free
    }

    /// Writes all of `bytes`. Throws `full` if there is no space.
    public func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
        do {
            _ = try descriptor.writeAll(toAbsoluteOffset: offset, bytes)
        } catch {
            throw DiskFile.translate(error as? Errno ?? .ioError, "write to", directory)
        }
    }

    /// Reads exactly `count` bytes. Fewer are an error.
    public func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(
                    descriptor.rawValue, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset) + filled)
                if got > 0 {
                    filled += got
                } else if got == 0 || errno != EINTR {
                    code = got == 0 ? EIO : errno
                    return
                }
            }
        }
        guard code == 0 else { throw .failed(operation: "read from", path: directory, code: code) }
        return bytes
    }
}
