// The lock file of a program that runs once for each user. The kernel releases the lock when the process ends.
import Glibc
import SystemPackage

/// The lock of the running instance, held until this is released.
package final class InstanceLock {
    /// Nanoseconds for an instance to end.
    package static let timeout: Int64 = 10_000_000_000

    private let file: FileDescriptor

    private init(_ file: FileDescriptor) { self.file = file }

    deinit { try? file.close() }

    /// Takes the lock; nil if another process has it.
    ///
    /// - Parameter path: the file, in a directory that is open to this user alone.
    package static func claim(_ path: FilePath) throws -> InstanceLock? {
        let instance = InstanceLock(
            try FileDescriptor.open(
                path, .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite))
        guard try instance.lock() else { return nil }
        guard ftruncate(instance.file.rawValue, 0) == 0 else { throw Errno(rawValue: errno) }
        _ = try instance.file.writeAll(toAbsoluteOffset: 0, "\(getpid())".utf8)
        return instance
    }

    /// The result of `endRunning`.
    package enum Ending: Equatable {
        case nothingRan
        case ended
        /// The instance still runs after the timeout; its process.
        case stillRuns(Int32)
    }

    /// Ends the running instance, and waits until it has ended.
    ///
    /// - Parameter timeout: nanoseconds to wait.
    package static func endRunning(_ path: FilePath, timeout: Int64 = timeout) throws -> Ending {
        guard let file = try? FileDescriptor.open(path, .readWrite, options: [.closeOnExec, .noFollow]) else {
            return .nothingRan
        }
        let instance = InstanceLock(file)
        let process = instance.owner.flatMap { $0 > 1 ? ProcessHandle($0) : nil }
        // The number is the owner's if the lock is still held.
        guard try !instance.lock(), let process else { return .nothingRan }
        process.signal(SIGTERM)
        let deadline = MonotonicClock.now() + timeout
        while !process.waitForEnd(until: deadline) {
            guard MonotonicClock.now() < deadline else { return .stillRuns(process.pid) }
        }
        return .ended
    }

    private var owner: Int32? { Int32(String(decoding: file.contents(limit: 32) ?? [], as: UTF8.self)) }

    /// False if another process has the lock.
    private func lock() throws(Errno) -> Bool {
        if flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 { return true }
        let error = Errno(rawValue: errno)
        guard error == .wouldBlock else { throw error }
        return false
    }
}
