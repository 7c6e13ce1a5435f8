// A file on a Linux file system. It is locked while open (flock), so that no process recovers a file that is still
// being written. The kernel releases the lock however the process ends.
import CLinux
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// A `StorageFile` on disk. Closes its descriptor when it is released.
public final class DiskFile: StorageFile {
    enum Name: Equatable {
        case own
        /// Another name until `publish`.
        case temporary(String)
        /// None until `publish`: the kernel deletes the file if this process dies first.
        case none
    }

    public internal(set) var path: String
    var name: Name
    var descriptor: FileDescriptor
    /// The directories for `putBack`, the best first, if the file's own is gone and cannot be made again.
    let fallbackDirectories: [String]
    var reservedEnd: Int64 = 0
    /// False on file systems that cannot reserve space; the free space is then checked each time.
    private var canReserve = true
    /// Known without trying.
    lazy var certainLimit = min(Self.processLimit, FileSystemLimit.of(descriptor))
    /// The file system has refused to reserve less than a step beyond this.
    private var refusedBeyond = Int64.max
    private var isClosed = false

    /// Bytes to reserve at once, so that most fragments need no system call.
    static let reservationStep: Int64 = 4 << 20

    private init(path: String, name: Name, descriptor: FileDescriptor, fallbackDirectories: [String]) {
        self.path = path
        self.name = name
        self.descriptor = descriptor
        self.fallbackDirectories = fallbackDirectories
    }

    deinit { close() }

    /// Makes a new file with mode 0666 less the umask, or 0600 if `isPrivate`. A replaced file stays until `publish`; a
    /// file that is being written is never replaced. If `path` is a symbolic link, replaces the linked file.
    public static func create(
        _ path: String, ifTaken conflict: NameConflict = .refuse, isPrivate: Bool = false,
        fallbackDirectories: [String] = UserDirectories.forRecordings
    ) throws(StorageError) -> DiskFile {
        do {
            return try conflict.settle(path) { (path) throws(StorageError) in
                try make(path, name: .own, fallbackDirectories: fallbackDirectories, isPrivate: isPrivate)
            }
        } catch .alreadyExists where conflict == .replace {
            return try createReplacement(
                for: try checkTarget(path, ifTaken: .replace), fallbackDirectories: fallbackDirectories,
                isPrivate: isPrivate)
        }
    }

    /// Throws if `publish` could not give a file the name `path`. Returns the path of the new file: if `path` is a
    /// symbolic link to replace, the link stays and leads to the new file.
    @discardableResult
    public static func checkTarget(_ path: String, ifTaken conflict: NameConflict) throws(StorageError) -> String {
        switch conflict {
        case .number: return path
        case .replace:
            let target = try linkTarget(path)
            try checkReplaceable(target)
            return target
        case .refuse:
            var status = stat()
            if lstat(path.cString, &status) == 0 { throw .alreadyExists(path: path) }
            return path
        }
    }

    /// Throws if the file at `path` must not be replaced, or the kernel would refuse it: another take writes it, it is
    /// not a regular file, it is a mount point …
    private static func checkReplaceable(_ path: String) throws(StorageError) {
        var status = stat()
        if stat(path.cString, &status) == 0, status.st_mode & S_IFMT != S_IFREG { throw .notARegularFile(path: path) }
        let refusal = kine_replacement_refusal(path.cString)
        guard refusal == 0 else { throw .cannotReplace(path: path, code: refusal) }
        do {
            try open(path).close()
        } catch .inUse {
            throw .inUse(path: path)
        } catch {}  // replacing a file needs no permission to open it
    }

    /// Opens the file at `path` to recover or move it. Throws `inUse` while a writer has it open.
    public static func open(_ path: String) throws(StorageError) -> DiskFile {
        try open(path, .readWrite, lock: LOCK_EX)
    }

    /// Opens the file at `path` to read it, shared with other readers. Throws `inUse` while a writer has it open.
    public static func openToRead(_ path: String) throws(StorageError) -> DiskFile {
        try open(path, .readOnly, lock: LOCK_SH)
    }

    /// Opens the file at `path` to look at it, without a lock: other processes may write, lock or move it meanwhile.
    static func openUnlocked(_ path: String) throws(StorageError) -> DiskFile {
        try open(path, .readOnly, lock: nil)
    }

    private static func open(
        _ path: String, _ mode: FileDescriptor.AccessMode, lock: Int32?
    ) throws(StorageError) -> DiskFile {
        let descriptor: FileDescriptor
        do {
            // Non-blocking: opening a named pipe would otherwise wait for its other end.
            descriptor = try unwrap {
                try FileDescriptor.open(path.cString, mode, options: [.closeOnExec, .nonBlocking])
            }
        } catch {
            throw error == .isDirectory
                ? .notARegularFile(path: path) : .cannotOpen(path: path, code: error.rawValue)
        }
        let file = DiskFile(path: path, name: .own, descriptor: descriptor, fallbackDirectories: [])
        guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .notARegularFile(path: path) }
        if let lock { try file.lock(lock) }
        return file
    }

    /// Makes a file in the directory of `path`; `publish` renames it to `path`. Before that it has no name if the file
    /// system supports that (O_TMPFILE), else a temporary one that `removeLeftovers` finds if this process dies.
    static func createReplacement(
        for path: String, fallbackDirectories: [String] = [], unnamed: Bool = true, isPrivate: Bool = false
    ) throws(StorageError) -> DiskFile {
        removeLeftovers(beside: path)
        let raw = unnamed ? kine_open_unnamed(directory(of: path).cString, Int32(mode(isPrivate))) : -1
        guard raw >= 0 else {
            return try withTemporaryName(in: directory(of: path)) { (name) throws(StorageError) in
                try make(path, name: .temporary(name), fallbackDirectories: fallbackDirectories, isPrivate: isPrivate)
            }
        }
        let file = DiskFile(
            path: path, name: .none, descriptor: FileDescriptor(rawValue: raw), fallbackDirectories: fallbackDirectories
        )
        try? file.lock()
        return file
    }

    private static func mode(_ isPrivate: Bool) -> mode_t { isPrivate ? 0o600 : 0o666 }

    static func make(
        _ path: String, name: Name, fallbackDirectories: [String], isPrivate: Bool = false
    ) throws(StorageError) -> DiskFile {
        var created = path
        if case .temporary(let temporary) = name { created = temporary }
        do {
            let descriptor = try unwrap {
                try FileDescriptor.open(
                    created.cString, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: FilePermissions(rawValue: mode(isPrivate)))
            }
            let file = DiskFile(
                path: path, name: name, descriptor: descriptor, fallbackDirectories: fallbackDirectories)
            try? file.lock()
            return file
        } catch {
            switch error {
            case .fileExists: throw .alreadyExists(path: created)
            case .noSpace, .diskQuotaExceeded: throw .full(path: path)
            default: throw .cannotCreate(path: path, code: error.rawValue)
            }
        }
    }

    public var sizeLimit: Int64 { min(certainLimit, refusedBeyond) }

    public func size() throws(StorageError) -> Int64 { Int64(try status().st_size) }

    public func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        var failure: StorageError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let got = pread(descriptor.rawValue, rest.baseAddress, rest.count, off_t(offset) + filled)
                if got > 0 {
                    filled += got
                } else if got == 0 || errno != EINTR {
                    if got < 0 { failure = .failed(operation: "read", path: path, code: errno) }
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    public func dataOffset(from offset: Int64) throws(StorageError) -> Int64 {
        let found = lseek(descriptor.rawValue, off_t(offset), 3)  // SEEK_DATA (lseek(2)), which is not imported
        // ENXIO: there is no data after the offset.
        return found >= 0 ? max(Int64(found), offset) : errno == ENXIO ? max(try size(), offset) : offset
    }

    public func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
        try call("write") { _ = try descriptor.writeAll(toAbsoluteOffset: offset, bytes) }
    }

    public func truncate(to size: Int64) throws(StorageError) {
        try call("shorten") { try descriptor.resize(to: size) }
        reservedEnd = size
    }

    public func synchronize() throws(StorageError) {
        try Self.synchronize(descriptor, path)
    }

    /// Makes a file durable. A file system that has no such call, as some of FUSE, is no failure.
    static func synchronize(_ file: FileDescriptor, _ path: String) throws(StorageError) {
        guard fdatasync(file.rawValue) != 0, ![EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else { return }
        throw translate(Errno(rawValue: errno), "synchronize", path)
    }

    /// For a thread that synchronizes the file while another writes it.
    public func synchronizer() throws(StorageError) -> DiskSynchronizer {
        try DiskSynchronizer(duplicating: descriptor, path: path)
    }

    public func reserve(through end: Int64) throws(StorageError) {
        // A reservation does not count towards this limit, but later writes do.
        guard end <= certainLimit else { throw .tooLarge(path: path) }
        if end <= reservedEnd { return }
        let start = max(reservedEnd, try size())
        guard canReserve else { return try checkFreeSpace(end - start) }
        for target in [end + Self.reservationStep, end] {
            if kine_reserve(descriptor.rawValue, start, target) == 0 {
                reservedEnd = target
                return
            }
            switch errno {
            case ENOSPC, EDQUOT: continue  // there may be space for less than a whole step
            case EFBIG:
                refusedBeyond = min(refusedBeyond, end)
                continue
            default:
                canReserve = false
                return try checkFreeSpace(end - start)
            }
        }
        throw errno == EFBIG ? .tooLarge(path: path) : .full(path: path)
    }

    /// The most bytes that this process may write to a file (`ulimit -f`).
    private static var processLimit: Int64 {
        var limit = rlimit()
        // RLIMIT_FSIZE, an enumerator that is not imported.
        guard getrlimit(__rlimit_resource_t(1), &limit) == 0 else { return .max }
        return Int64(clamping: limit.rlim_cur)
    }

    private func checkFreeSpace(_ bytes: Int64) throws(StorageError) {
        var information = statvfs()
        guard fstatvfs(descriptor.rawValue, &information) == 0 else { return }
        let (free, overflow) = Int64(information.f_bavail).multipliedReportingOverflow(by: Int64(information.f_frsize))
        if !overflow, free < bytes { throw .full(path: path) }
    }

    public func close() {
        guard !isClosed else { return }
        isClosed = true
        // Explicitly: between fork and exec, a child process has a copy of the descriptor, which would keep the lock.
        flock(descriptor.rawValue, LOCK_UN)
        try? descriptor.close()
    }

    /// Deletes the file of a take that never began.
    public func discard() {
        switch name {
        case .own: if (try? isRemoved()) != true { unlink(path.cString) }  // if removed, the name may be another file's
        case .temporary(let name): unlink(name.cString)
        case .none: break
        }
    }

    /// The unit in which file systems share bytes between files.
    static let blockSize: Int64 = 4096

    /// Copies `range` of `source` to `offset` of this file, inside the kernel if possible. If both have the same offset
    /// within a block, a file system that shares blocks copies only the first and the last.
    ///
    /// - Parameter copied: gets the number of bytes up to now.
    func copy(
        from source: DiskFile, range: Range<Int64>, to offset: Int64, copied: (Int64) -> Void = { _ in }
    ) throws(StorageError) {
        var position = range.lowerBound
        while position < range.upperBound {
            defer { copied(position - range.lowerBound) }
            let target = offset + position - range.lowerBound
            let toBlock = -position & (Self.blockSize - 1)
            let count = kine_copy_range(
                source.descriptor.rawValue, position, descriptor.rawValue, target,
                min(range.upperBound - position, toBlock > 0 ? toBlock : 64 << 20))
            if count > 0 {
                position += count
            } else if count == 0 {
                throw .failed(operation: "read", path: source.path, code: EIO)  // the file was shortened meanwhile
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

    func isPrivate() throws(StorageError) -> Bool { try status().st_mode & 0o077 == 0 }

    /// Whether `path` leads to this file.
    public func isFile(at path: String) throws(StorageError) -> Bool {
        var other = stat()
        let own = try status()
        return stat(path.cString, &other) == 0 && (other.st_dev, other.st_ino) == (own.st_dev, own.st_ino)
    }

    private func lock(_ kind: Int32 = LOCK_EX) throws(StorageError) {
        // A child of the last owner may keep a copy of the lock for a moment, between its fork and its exec.
        let deadline = MonotonicClock.now() + 200_000_000
        while flock(descriptor.rawValue, kind | LOCK_NB) != 0 {
            // Some network file systems have no locks. The recording continues without.
            guard errno == EWOULDBLOCK else { return }
            guard MonotonicClock.now() < deadline else { throw .inUse(path: path) }
            var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            nanosleep(&pause, nil)
        }
    }

    func status() throws(StorageError) -> stat {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { throw error("examine") }
        return status
    }

    func error(_ operation: String) -> StorageError { Self.translate(Errno(rawValue: errno), operation, path) }

    static func translate(_ error: Errno, _ operation: String, _ path: String) -> StorageError {
        switch error {
        case .noSpace, .diskQuotaExceeded: .full(path: path)
        case .fileTooLarge: .tooLarge(path: path)
        default: .failed(operation: operation, path: path, code: error.rawValue)
        }
    }

    private func call(_ operation: String, _ body: () throws -> Void) throws(StorageError) {
        do throws(Errno) { try Self.unwrap(body) } catch { throw Self.translate(error, operation, path) }
    }

    /// The errors of swift-system's calls are always an `Errno`.
    private static func unwrap<T>(_ body: () throws -> T) throws(Errno) -> T {
        do { return try body() } catch { throw error as? Errno ?? .ioError }
    }
}
