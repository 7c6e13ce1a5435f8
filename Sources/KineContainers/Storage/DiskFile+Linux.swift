// A file on a Linux file system. Holds an advisory lock while it is open, so that nobody mends a file that is still
// being written; the kernel drops the lock however the process ends.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// A `StorageFile` on disk. Closes its descriptor when it is released.
public final class DiskFile: StorageFile {
    public private(set) var path: String
    /// What the file is called until `publish`; nil once it has its name.
    private var temporaryPath: String?
    private var descriptor: FileDescriptor
    /// Up to where the disk's space is ours.
    private var reservedEnd: Int64 = 0
    /// False on file systems that cannot reserve; free space is then asked for each time.
    private var canReserve = true
    private var isClosed = false

    /// Space is reserved in steps of so many bytes, so that a fragment costs no system call for it.
    static let reservationStep: Int64 = 4 << 20

    private init(path: String, temporaryPath: String?, descriptor: FileDescriptor) {
        self.path = path
        self.temporaryPath = temporaryPath
        self.descriptor = descriptor
    }

    deinit { close() }

    /// Makes a new file with mode 0666 less the umask. With `overwrite`, an older file at `path` stays whole until
    /// `publish`; without, it is refused. A file that is being written is always refused.
    public static func create(_ path: String, overwrite: Bool = false) throws(StorageError) -> DiskFile {
        do {
            return try make(path, name: path, temporary: false)
        } catch .alreadyExists where overwrite {
            var status = stat()
            if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
                throw StorageError.notARegularFile(path: path)
            }
            do {
                try open(path).close()
            } catch .inUse {
                throw StorageError.inUse(path: path)  // another take's file is not ours to replace
            } catch {}  // what may not be opened may still be replaced
            return try make(path, name: neighbour(of: path, suffix: "part"), temporary: true)
        }
    }

    /// Opens the file at `path` to mend it. Throws `inUse` while a writer has it open.
    public static func open(_ path: String) throws(StorageError) -> DiskFile {
        let descriptor: FileDescriptor
        do {
            // Not blocking: opening a named pipe would wait for its other end.
            descriptor = try unwrap {
                try FileDescriptor.open(path, .readWrite, options: [.closeOnExec, .nonBlocking])
            }
        } catch {
            throw error == .isDirectory
                ? .notARegularFile(path: path) : .cannotOpen(path: path, code: error.rawValue)
        }
        let file = DiskFile(path: path, temporaryPath: nil, descriptor: descriptor)
        guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
        try file.lock()
        return file
    }

    /// Makes a file beside `path`, without a name where the file system can do that, that `replaceTarget` puts there.
    static func createReplacement(for path: String) throws(StorageError) -> DiskFile {
        let raw = kine_open_unnamed(directory(of: path), 0o666)
        if raw >= 0 {
            return DiskFile(path: path, temporaryPath: nil, descriptor: FileDescriptor(rawValue: raw))
        }
        return try make(path, name: neighbour(of: path, suffix: "part"), temporary: true)
    }

    private static func make(_ path: String, name: String, temporary: Bool) throws(StorageError) -> DiskFile {
        // A temporary name holds this process's number: what is there was left by one that died.
        if temporary { unlink(name) }
        do {
            let descriptor = try unwrap {
                try FileDescriptor.open(
                    name, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: FilePermissions(rawValue: 0o666))
            }
            let file = DiskFile(path: path, temporaryPath: temporary ? name : nil, descriptor: descriptor)
            try? file.lock()
            return file
        } catch {
            if error == .fileExists { throw .alreadyExists(path: name) }
            throw .cannotCreate(path: path, code: error.rawValue)
        }
    }

    public func size() throws(StorageError) -> Int64 { Int64(try status().st_size) }

    public func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        var failure: Errno?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let got = pread(descriptor.rawValue, rest.baseAddress, rest.count, off_t(offset) + filled)
                if got > 0 {
                    filled += got
                } else if got == 0 || errno != EINTR {
                    if got < 0 { failure = Errno(rawValue: errno) }
                    return
                }
            }
        }
        if let failure { throw .failed(operation: "read", path: path, code: failure.rawValue) }
        return bytes
    }

    public func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
        try Self.call("write", path) { () throws(Errno) in
            _ = try Self.unwrap { try self.descriptor.writeAll(toAbsoluteOffset: offset, bytes) }
        }
    }

    public func truncate(to size: Int64) throws(StorageError) {
        try Self.call("shorten", path) { () throws(Errno) in
            try Self.unwrap { try self.descriptor.resize(to: size) }
        }
        reservedEnd = size
    }

    public func synchronize() throws(StorageError) {
        guard fdatasync(descriptor.rawValue) == 0 else { throw error("synchronize") }
    }

    /// For a thread that waits for the disk while another writes.
    public func synchronizer() throws(StorageError) -> DiskSynchronizer {
        try DiskSynchronizer(duplicating: descriptor, path: path)
    }

    public func reserve(through end: Int64) throws(StorageError) {
        if end <= reservedEnd { return }
        let start = max(reservedEnd, try size())
        guard canReserve else { return try checkFreeSpace(end - start) }
        for target in [end + Self.reservationStep, end] {
            if kine_reserve(descriptor.rawValue, start, target) == 0 {
                reservedEnd = target
                return
            }
            switch errno {
            case ENOSPC, EDQUOT, EFBIG: continue  // less than a whole step may still be there
            default:
                canReserve = false
                return try checkFreeSpace(end - start)
            }
        }
        throw .full(path: path)
    }

    private func checkFreeSpace(_ bytes: Int64) throws(StorageError) {
        var information = statvfs()
        guard fstatvfs(descriptor.rawValue, &information) == 0 else { return }
        let (free, overflow) = Int64(information.f_bavail).multipliedReportingOverflow(by: Int64(information.f_frsize))
        if !overflow, free < bytes { throw .full(path: path) }
    }

    public func publish() throws(StorageError) {
        if let name = temporaryPath {
            guard rename(name, path) == 0 else { throw error("rename \(name) to") }
            temporaryPath = nil
        }
        synchronizeDirectory()
    }

    public func isRemoved() throws(StorageError) -> Bool { try status().st_nlink == 0 }

    /// Linux refuses a new link to a file that has lost its last one (linkat gives ENOENT), so this is a copy, of which
    /// the file system may share the blocks.
    public func putBack() throws(StorageError) {
        let bytes = try size()
        let copy: DiskFile
        do {
            copy = try Self.make(path, name: path, temporary: false)
        } catch .alreadyExists {
            let other = Self.keptName(for: path)
            copy = try Self.make(other, name: other, temporary: false)
        }
        do {
            try copy.reserve(through: bytes)
            try copy.copy(from: self, range: 0..<bytes, to: 0)
            try copy.truncate(to: bytes)
            try copy.synchronize()
        } catch {
            copy.discard()
            throw error
        }
        swap(&descriptor, &copy.descriptor)  // the removed file goes with `copy`
        reservedEnd = bytes
        path = copy.path
        synchronizeDirectory()
    }

    public func close() {
        guard !isClosed else { return }
        isClosed = true
        try? descriptor.close()
    }

    /// Deletes the file; for a take that never began.
    public func discard() { unlink(temporaryPath ?? path) }

    /// Copies `range` of `source` to `offset` of this file, inside the kernel where it can.
    func copy(from source: DiskFile, range: Range<Int64>, to offset: Int64) throws(StorageError) {
        var position = range.lowerBound
        while position < range.upperBound {
            let target = offset + position - range.lowerBound
            let copied = kine_copy_range(
                source.descriptor.rawValue, position, descriptor.rawValue, target,
                min(range.upperBound - position, 1 << 30))
            if copied > 0 {
                position += copied
            } else if copied == 0 {
                throw .failed(operation: "read", path: source.path, code: EIO)  // it became shorter meanwhile
            } else if [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) {
                let bytes = try source.read(at: position, count: Int(min(range.upperBound - position, 1 << 20)))
                guard !bytes.isEmpty else { throw .failed(operation: "read", path: source.path, code: EIO) }
                try write(bytes, at: target)
                position += Int64(bytes.count)
            } else if errno != EINTR {
                throw error("copy to")
            }
        }
    }

    /// Puts a file made by `createReplacement` at its path, over what is there, with `original`'s permissions.
    func replaceTarget(like original: DiskFile) throws(StorageError) {
        fchmod(descriptor.rawValue, try original.status().st_mode & 0o7777)
        if temporaryPath == nil {
            let name = Self.neighbour(of: path, suffix: "part")
            unlink(name)
            let source = "/proc/self/fd/\(descriptor.rawValue)"
            guard linkat(AT_FDCWD, source, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else { throw error("name") }
            temporaryPath = name
        }
        do {
            try publish()
        } catch {
            discardTemporary()
            throw error
        }
    }

    /// Removes what `createReplacement` made, where it has a name of its own.
    func discardTemporary() {
        if let temporaryPath { unlink(temporaryPath) }
    }

    private func lock() throws(StorageError) {
        // A process that was being started when the last owner let go holds the lock until it has become its program.
        let patience = MonotonicClock.now() + 200_000_000
        while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
            // Some network file systems know no locks; that is no reason not to record.
            guard errno == EWOULDBLOCK else { return }
            guard MonotonicClock.now() < patience else { throw .inUse(path: path) }
            var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            nanosleep(&pause, nil)
        }
    }

    private func status() throws(StorageError) -> stat {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { throw error("examine") }
        return status
    }

    /// A file's name is data of its directory. Best effort: not every file system lets a directory be synchronized.
    private func synchronizeDirectory() {
        guard let directory = try? FileDescriptor.open(Self.directory(of: path), .readOnly, options: .closeOnExec)
        else { return }
        fsync(directory.rawValue)
        try? directory.close()
    }

    private func error(_ operation: String) -> StorageError { Self.translate(Errno(rawValue: errno), operation, path) }

    static func translate(_ error: Errno, _ operation: String, _ path: String) -> StorageError {
        switch error {
        case .noSpace, .diskQuotaExceeded, .fileTooLarge: .full(path: path)
        default: .failed(operation: operation, path: path, code: error.rawValue)
        }
    }

    private static func call<T>(
        _ operation: String, _ path: String, _ body: () throws(Errno) -> T
    ) throws(StorageError) -> T {
        do { return try body() } catch { throw translate(error, operation, path) }
    }

    /// swift-system's calls throw `any Error` that is always an `Errno`.
    private static func unwrap<T>(_ body: () throws -> T) throws(Errno) -> T {
        do { return try body() } catch { throw error as? Errno ?? .ioError }
    }

    /// Where `path` leads, symbolic links followed; `path` itself where that cannot be told.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func directory(of path: String) -> String {
        let parent = FilePath(path).removingLastComponent().string
        return parent.isEmpty ? "." : parent
    }

    /// A hidden name in the same directory, this process's own.
    private static func neighbour(of path: String, suffix: String) -> String {
        let name = FilePath(path).lastComponent?.string ?? "recording"
        return directory(of: path) + "/.\(name).\(getpid()).\(suffix)"
    }

    private static func keptName(for path: String) -> String {
        let file = FilePath(path)
        let stem = file.stem ?? "recording"
        return directory(of: path) + "/\(stem)-kept-\(getpid())" + (file.extension.map { ".\($0)" } ?? "")
    }
}
