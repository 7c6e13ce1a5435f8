// An engine's entry in the registry.
import FoundationEssentials
import Glibc
import KineMedia
import KinePlatform
import KineText
import KineWire
import Synchronization
import SystemPackage

/// A registered take, which clients can find. The entry is removed by `unregister` or when this object is released.
public final class Registration: Sendable {
    /// The entry's record, which clients read.
    public var record: TakeRecord { contents.withLock { $0 } }
    /// The socket to which further clients connect.
    public let listener: ControlListener
    /// The take's own directory, open only to its owner; only the registry may put files there.
    public let directory: FilePath
    private let contents: Mutex<TakeRecord>
    private let removed = Mutex(false)

    fileprivate init(record: TakeRecord, listener: ControlListener, directory: FilePath) {
        contents = Mutex(record)
        self.listener = listener
        self.directory = directory
    }

    deinit { unregister() }

    /// Stores the file's path, which was unknown before. If that fails, `kinecast recover` needs the path.
    public func setOutput(_ path: String) {
        let record = contents.withLock { record in
            record.output = path
            return record
        }
        guard let json = try? JSONEncoder().encode(record) else { return }
        try? PrivateDirectory.replace(directory.appending(TakeRegistry.recordName), with: Array(json))
    }

    /// Removes the entry. Connected clients stay connected.
    public func unregister() {
        let first = removed.withLock { removed in
            defer { removed = true }
            return !removed
        }
        guard first else { return }
        // First renamed to an unfinished entry: a partial entry would look like a dead engine's.
        let leaving = directory.removingLastComponent().appending(Self.unfinishedName(record.id))
        PrivateDirectory.remove(rename(directory.cString, leaving.cString) == 0 ? leaving : directory)
    }

    /// The process that creates the unfinished entry with this directory name; nil for another name.
    static func ownerOfUnfinished(_ name: String) -> Int32? {
        let parts = name.split(separator: "-")
        guard parts.count == 3, parts[0] == ".new" else { return nil }
        return Int32(parts[1])
    }

    fileprivate static func unfinishedName(_ id: String) -> String { ".new-\(getpid())-\(id)" }
}

extension TakeRegistry {
    /// Registers this process as the engine of a new take. The entry is renamed last, so that no client sees it without
    /// its socket.
    ///
    /// - Parameters:
    ///   - output: the absolute path of the output file, if there is one and its name is known.
    ///   - source, sourceName: as in `TakeRecord`.
    ///   - app: the app that requested the take.
    ///   - clipBuffer: the time that its clip buffer keeps, if it has one.
    public func register(
        output: String?, source: String, sourceName: String? = nil, app: AppIdentity? = nil,
        clipBuffer: MediaTime? = nil
    ) throws(Error) -> Registration {
        while true {
            let record = TakeRecord(
                id: TakeID.random().description, pid: getpid(), output: output, source: source,
                sourceName: sourceName, started: Date().timeIntervalSince1970, app: app, clipBuffer: clipBuffer)
            let unfinished = directory.appending(Registration.unfinishedName(record.id))
            let finished = directory.appending(record.id)
            do {
                guard mkdir(unfinished.cString, 0o700) == 0 else { throw Errno(rawValue: errno) }
                let json = try JSONEncoder().encode(record)
                try PrivateDirectory.write(Array(json), to: unfinished.appending(Self.recordName))
                let listener = try ControlListener(path: unfinished.appending(Self.socketName))
                // Renaming fails if an entry already has that id (one chance in 10^12 for each take): try another.
                guard rename(unfinished.cString, finished.cString) == 0 else { throw Errno(rawValue: errno) }
                return Registration(record: record, listener: listener, directory: finished)
            } catch {
                PrivateDirectory.remove(unfinished)
                switch error {
                case let error as ControlError: throw .control(error)
                case Errno.directoryNotEmpty, Errno.fileExists: continue
                case let error as Errno: throw .cannotRegister(directory.escaped, error)
                default: throw .cannotRegister(directory.escaped, .ioError)
                }
            }
        }
    }
}
