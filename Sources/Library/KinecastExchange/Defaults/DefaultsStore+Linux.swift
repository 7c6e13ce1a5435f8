// The files of shared defaults: a current file, which is always replaced whole, and a previous one, which is read if
// the current one is damaged. Linux.
import FoundationEssentials
import Glibc
import KinePlatform
import KineText
import Synchronization
import SystemPackage

/// Reads and replaces the file of one set of defaults. May be called from any thread.
final class DefaultsStore: Sendable {
    /// The result of a read.
    struct Reading: Equatable {
        var snapshot: DefaultsSnapshot
        /// The file is damaged, and the values are the last good ones.
        var isDamaged = false
    }

    let path: FilePath
    // C strings for the kernel: parsing paths would take longer than changing the file.
    /// For the lock, the previous file and temporary files. They are not beside the current file, because each change
    /// would wake every process that watches its directory.
    private let workDirectory: FilePath
    private let name: String
    private let current: [CChar]
    private let previous: [CChar]
    private let lockFile: [CChar]
    /// The last good values read by this process.
    private let lastGood = Mutex(DefaultsSnapshot())

    /// Nanoseconds that a change waits for changes of other processes.
    private static let timeout: Int64 = 5_000_000_000
    /// The age in nanoseconds at which the previous file is replaced.
    private static let age: Int64 = 1_000_000_000

    init(directory: FilePath, workDirectory: FilePath, name: String) {
        path = directory.appending(name)
        self.workDirectory = workDirectory
        self.name = name
        current = path.cString
        previous = "\(workDirectory)/\(name).previous".cString
        lockFile = "\(workDirectory)/\(name).lock".cString
    }

    var file: URL { URL(filePath: path.string) }

    func read() throws(DefaultsError) -> Reading {
        if let bytes = try contents(of: current) {
            if DefaultsFile.isNewer(bytes) { throw .newer(self.file) }
            if let snapshot = DefaultsFile.snapshot(of: bytes) {
                lastGood.withLock { $0 = snapshot }
                return Reading(snapshot: snapshot)
            }
        } else if try contents(of: previous) == nil {
            return Reading(snapshot: DefaultsSnapshot())
        }
        let earlier = try contents(of: previous).flatMap { DefaultsFile.snapshot(of: $0) }
        let best = lastGood.withLock { good in
            if let earlier, earlier.generation > good.generation { good = earlier }
            return good
        }
        return Reading(snapshot: best, isDamaged: true)
    }

    /// Replaces the values. Other processes see all changes of `body`, or none.
    func change(_ body: (inout DefaultsSnapshot) throws(DefaultsError) -> Void) throws(DefaultsError) {
        let lock = try locked()
        defer { try? lock.close() }
        let reading = try read()
        var snapshot = reading.snapshot
        try body(&snapshot)
        if snapshot == reading.snapshot, !reading.isDamaged { return }
        snapshot.generation = DefaultsFile.generation(
            after: snapshot.generation, isDamaged: reading.isDamaged, now: WallClock.now())
        guard let bytes = DefaultsFile.bytes(of: snapshot) else { throw .tooLarge(limit: DefaultsFile.limit) }
        try replace(with: bytes)
        lastGood.withLock { $0 = snapshot }
    }

    private func replace(with bytes: [UInt8]) throws(DefaultsError) {
        removeLeftovers()
        let temporary = temporaryPath()
        do {
            let file = try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite)
            // Closed before the rename, because closing a written file wakes every process that watches it.
            try file.closeAfter { _ = try file.writeAll(bytes) }
            guard rename(temporary, current) == 0 else { throw Errno.last }
            if isPreviousOld { keepAsPrevious() }
        } catch {
            unlink(temporary)
            throw .group(.system(operation: "Writing \(path)", error as? Errno ?? .ioError))
        }
    }

    private var isPreviousOld: Bool {
        var status = stat()
        guard stat(previous, &status) == 0 else { return true }
        let written = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        return abs(WallClock.now() - written) >= Self.age
    }

    /// Others already see the new values; only this process waits for the disk, at most once a second. After a power
    /// loss one of the two files is intact.
    private func keepAsPrevious() {
        let temporary = temporaryPath()
        guard let file = try? FileDescriptor.open(current, .readOnly, options: [.closeOnExec, .noFollow]) else {
            return
        }
        defer { try? file.close() }
        guard fdatasync(file.rawValue) == 0, link(current, temporary) == 0 else { return }
        rename(temporary, previous)
        // Renaming may fail, and does nothing if both names are already the same file.
        unlink(temporary)
    }

    private var temporaryPrefix: String { ".\(name)-" }

    private func temporaryPath() -> [CChar] {
        "\(workDirectory)/\(temporaryPrefix)\(getpid())-\(UInt64.random(in: 0 ... .max))".cString
    }

    /// Removes temporary files of killed processes. Only the holder of the lock writes.
    private func removeLeftovers() {
        for name in PrivateDirectory.entries(workDirectory) where name.hasPrefix(temporaryPrefix) {
            // Skips the files of defaults with a longer name.
            let numbers = name.dropFirst(temporaryPrefix.count).split(separator: "-", omittingEmptySubsequences: false)
            guard numbers.count == 2, numbers.allSatisfy({ UInt64($0) != nil }) else { continue }
            unlink("\(workDirectory)/\(name)".cString)
        }
    }

    private func locked() throws(DefaultsError) -> FileDescriptor {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(
                lockFile, .readWrite, options: [.create, .closeOnExec, .noFollow], permissions: .ownerReadWrite)
        } catch {
            throw .group(.system(operation: "Locking \(path)", error as? Errno ?? .ioError))
        }
        let deadline = MonotonicClock.now() + Self.timeout
        while flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, MonotonicClock.now() < deadline else {
                try? file.close()
                throw .locked(self.file)
            }
            // Random, so that no process always loses to others that change values constantly.
            usleep(.random(in: 20...300))
        }
        return file
    }

    /// Nil if there is no such file.
    private func contents(of file: [CChar]) throws(DefaultsError) -> [UInt8]? {
        do {
            let file = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
            defer { try? file.close() }
            return try file.readToEnd(atMost: DefaultsFile.limit + 1)
        } catch {
            let error = error as? Errno ?? .ioError
            if error == .noSuchFileOrDirectory { return nil }
            throw .group(.system(operation: "Reading \(path)", error))
        }
    }
}
