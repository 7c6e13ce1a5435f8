// The file with the person's decisions, `$XDG_CONFIG_HOME/kinecast/permissions.json`. Engines write it, and `kinecast permissions`.
import FoundationEssentials
import Glibc
import KinePlatform
import SystemPackage

/// The decisions about all apps of this user. Its calls block for as long as a small file takes; any process may call them.
public struct PermissionStore: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable {
        /// Neither XDG_CONFIG_HOME nor HOME is set.
        case noHome
        case unreadable(FilePath, Errno)
        /// Another user's, or others may change it.
        case foreign(FilePath)
        /// It is not what this program writes.
        case damaged(FilePath)
        case cannotWrite(FilePath, Errno)
        /// Another program has been writing it for too long.
        case busy(FilePath)
        /// There are too many apps in it.
        case full(FilePath)
    }

    private struct Contents: Codable {
        var apps: [AppPermissions] = []
    }

    /// More bytes are no file of ours: hundreds of apps have less.
    private static let limit = 1 << 20
    /// Nanoseconds to wait for another writer, who needs some milliseconds.
    private static let patience: Int64 = 2_000_000_000

    public let file: FilePath

    public init(file: FilePath) { self.file = file }

    public static func standard(
        _ variable: (String) -> String? = ProcessEnvironment.value
    ) throws(Error) -> PermissionStore {
        guard let directory = UserDirectories.configuration(variable) else { throw .noHome }
        return PermissionStore(file: directory.appending("kinecast/permissions.json"))
    }

    /// All decisions, in the order in which apps first asked. None where there is no file.
    public func list() throws(Error) -> [AppPermissions] {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch Errno.noSuchFileOrDirectory {
            return []
        } catch {
            throw .unreadable(file, error as? Errno ?? .ioError)
        }
        defer { try? descriptor.close() }
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { throw .unreadable(file, Errno(rawValue: errno)) }
        guard status.st_uid == getuid(), status.st_mode & 0o022 == 0 else { throw .foreign(file) }
        let bytes: [UInt8]
        do {
            bytes = try descriptor.readToEnd(atMost: Self.limit)
        } catch {
            throw .unreadable(file, error as? Errno ?? .ioError)
        }
        guard let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes)) else { throw .damaged(file) }
        return contents.apps
    }

    public func permissions(of subject: PermissionSubject) throws(Error) -> AppPermissions? {
        try list().first { $0.subject == subject }
    }

    /// Keeps a decision.
    public func decide(
        _ decision: AppPermissions.Decision, _ kinds: Set<PermissionKind>, for subject: PermissionSubject, name: String?
    ) throws(Error) {
        try update { apps in
            let index = apps.firstIndex { $0.subject == subject } ?? apps.endIndex
            if index == apps.endIndex { apps.append(AppPermissions(subject: subject, decided: 0)) }
            apps[index].name = name ?? apps[index].name
            apps[index].decided = Date().timeIntervalSince1970.rounded()
            for kind in kinds { apps[index][kind] = decision }
        }
    }

    /// Takes decisions back: the person is asked again. Returns what was removed.
    public func revoke(where isWanted: (AppPermissions) -> Bool) throws(Error) -> [AppPermissions] {
        var removed: [AppPermissions] = []
        try update { apps in
            removed = apps.filter(isWanted)
            apps.removeAll(where: isWanted)
        }
        return removed
    }

    /// Changes the file as a whole, so that a reader sees the old or the new one; writers wait for each other.
    private func update(_ change: (inout [AppPermissions]) -> Void) throws(Error) {
        let lock = try lock()
        defer { try? lock.close() }
        var contents = Contents(apps: try list())
        change(&contents.apps)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            let bytes = Array(try encoder.encode(contents)) + [UInt8(ascii: "\n")]
            // A longer file could not be read again, and every answer would be lost.
            guard bytes.count <= Self.limit else { throw Error.full(file) }
            try PrivateDirectory.replace(file, with: bytes)
        } catch {
            throw error as? Error ?? .cannotWrite(file, error as? Errno ?? .ioError)
        }
    }

    /// A descriptor that holds the lock until it is closed.
    private func lock() throws(Error) -> FileDescriptor {
        let directory = file.removingLastComponent()
        for path in [directory.removingLastComponent(), directory] where mkdir(path.cString, 0o700) != 0 {
            guard errno == EEXIST else { throw .cannotWrite(file, Errno(rawValue: errno)) }
        }
        let lock: FileDescriptor
        do {
            lock = try FileDescriptor.open(
                FilePath(escaped: file.escaped + ".lock"), .readWrite, options: [.create, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite)
        } catch {
            throw .cannotWrite(file, error as? Errno ?? .ioError)
        }
        // The engine's thread that asks here also finishes the recording: a writer that hangs must not hold it up.
        let deadline = MonotonicClock.now() + Self.patience
        while flock(lock.rawValue, LOCK_EX | LOCK_NB) != 0 {
            let code = Errno(rawValue: errno)
            guard code == .interrupted || code == .wouldBlock, MonotonicClock.now() < deadline else {
                try? lock.close()
                throw code == .wouldBlock ? .busy(file) : .cannotWrite(file, code)
            }
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 10_000_000)
        }
        return lock
    }
}

extension PermissionStore.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noHome: "There is no place for permissions; set HOME or XDG_CONFIG_HOME."
        case .unreadable(let file, let error): "\(file) cannot be read (\(error)); correct its permissions."
        case .foreign(let file): "\(file) is another user's, or others may change it; make it yours alone (chmod 600)."
        case .damaged(let file): "\(file) is damaged; remove it, and apps ask again."
        case .cannotWrite(let file, let error): "\(file) cannot be written (\(error)); correct its directory."
        case .busy(let file): "Another program has been writing \(file) for seconds; end it, or try again."
        case .full(let file): "\(file) has more apps than it can hold; take some back with kinecast permissions revoke."
        }
    }
}
