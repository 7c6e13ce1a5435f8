// A small file of this user's settings that several processes read and replace as a whole. Linux.
import Glibc
import KineText
import SystemPackage

/// Calls block while they read or write the small file. Any process may make them.
public struct SettingsFile: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// Neither XDG_CONFIG_HOME nor HOME is set.
        case noHome
        case unreadable(FilePath, Errno)
        /// A directory, a FIFO or a device has the name.
        case notAFile(FilePath)
        /// Another user owns it, or other users may change it.
        case foreign(FilePath)
        /// Not in the form that this program writes.
        case damaged(FilePath)
        case cannotWrite(FilePath, Errno)
        /// Another program holds the lock for too long.
        case busy(FilePath)
        /// It has too many apps.
        case full(FilePath)

        public var description: String {
            switch self {
            case .noHome: "There is no place for settings; set HOME or XDG_CONFIG_HOME."
            case .unreadable(let file, let error): "\(file) cannot be read (\(error)); correct its permissions."
            case .notAFile(let file): "\(file) is no ordinary file; remove it, or put one there."
            case .foreign(let file):
                "\(file) is another user's, or others may change it; make it yours alone (chmod 600)."
            case .damaged(let file): "\(file) is damaged; remove it, and apps begin with a new one."
            case .cannotWrite(let file, let error): "\(file) cannot be written (\(error)); correct its directory."
            case .busy(let file): "Another program has been writing \(file) for seconds; end it, or try again."
            case .full(let file): "\(file) has more apps than it can hold; remove some of them from it."
            }
        }
    }

    /// A longer file is not ours: hundreds of apps need less.
    private static let limit = 1 << 20
    /// Nanoseconds to wait for another writer, which needs some milliseconds.
    private static let timeout: Int64 = 2_000_000_000

    public let path: FilePath

    public init(_ path: FilePath) { self.path = path }

    /// The file `kinecast/NAME` in the user's directory for settings.
    ///
    /// - Parameter variable: returns a variable's value.
    package init(named name: String, _ variable: (String) -> String?) throws(Error) {
        guard let directory = UserDirectories.configuration(variable) else { throw .noHome }
        path = directory.appending("kinecast").appending(name)
    }

    /// The whole file; nil if it does not exist.
    package func contents() throws(Error) -> [UInt8]? {
        do {
            let descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? descriptor.close() }
            let status = try descriptor.stat()
            guard status.type == .regular else { throw Error.notAFile(path) }
            guard status.userID.rawValue == getuid(), status.permissions.rawValue & 0o022 == 0 else {
                throw Error.foreign(path)
            }
            return try descriptor.readToEnd(atMost: Self.limit)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw error as? Error ?? .unreadable(path, error as? Errno ?? .ioError)
        }
    }

    /// Replaces the whole file: a reader sees the old or the new one. Writers wait for each other. A link stays, and
    /// leads to the new file.
    package func update(_ change: ([UInt8]?) throws -> [UInt8]) throws(Error) {
        try SettingsFile(path.linkTarget).replace(change)
    }

    private func replace(_ change: ([UInt8]?) throws -> [UInt8]) throws(Error) {
        let lock = try lock()
        defer {
            unlink(lockPath.cString)
            try? lock.close()
        }
        do {
            let bytes = try change(try contents())
            // A longer file could not be read again: its settings would be lost.
            guard bytes.count <= Self.limit else { throw Error.full(path) }
            try PrivateDirectory.replace(path, with: bytes)
        } catch {
            throw error as? Error ?? .cannotWrite(path, error as? Errno ?? .ioError)
        }
    }

    private var lockPath: FilePath { FilePath(escaped: path.escaped + ".lock") }

    /// Returns a descriptor that holds the lock until it is closed. Its file is removed before.
    private func lock() throws(Error) -> FileDescriptor {
        do throws(Errno) { try PrivateDirectory.makeMissing(path.removingLastComponent()) } catch {
            throw .cannotWrite(path, error)
        }
        // The calling thread of the engine also finishes the recording: a writer that hangs must not delay it.
        let deadline = MonotonicClock.now() + Self.timeout
        while true {
            let lock: FileDescriptor
            do {
                lock = try FileDescriptor.open(
                    lockPath, .readWrite, options: [.create, .closeOnExec, .noFollow], permissions: .ownerReadWrite)
            } catch {
                throw .cannotWrite(path, error as? Errno ?? .ioError)
            }
            let code = flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 ? nil : Errno(rawValue: errno)
            // Otherwise the last writer has removed this file, and the next one locks another.
            if code == nil, lock.isFile(at: lockPath) { return lock }
            try? lock.close()
            if code == nil { continue }
            guard code == .interrupted || code == .wouldBlock, MonotonicClock.now() < deadline else {
                throw code == .wouldBlock ? .busy(path) : .cannotWrite(path, code ?? .ioError)
            }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 10_000_000)
        }
    }
}
