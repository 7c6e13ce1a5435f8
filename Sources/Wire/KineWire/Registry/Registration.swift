// An engine's entry in the registry.
import FoundationEssentials
import Glibc
import KineMedia
import KinePlatform
import Synchronization
import SystemPackage

/// A registered take, which others can find. The entry is removed by `unregister` or when this object is released.
public final class Registration: Sendable {
    /// The entry's record, which others read.
    public var record: TakeRecord { contents.withLock { $0 } }
    /// The socket to which further clients connect.
    public let listener: ControlListener
    /// The take's own directory, open to its owner only; only the registry's files may be in it.
    public let directory: FilePath
    private let contents: Mutex<TakeRecord>
    private let removed = Mutex(false)

    fileprivate init(record: TakeRecord, listener: ControlListener, directory: FilePath) {
        contents = Mutex(record)
        self.listener = listener
        self.directory = directory
    }

    deinit { unregister() }

    /// Enters the path of the file, which was not known before. Where that fails, `kinecast recover` has to be given the path.
    public func setOutput(_ path: String) {
        let record = contents.withLock { record in
            record.output = path
            return record
        }
        guard let json = try? JSONEncoder().encode(record) else { return }
        try? PrivateDirectory.replace(directory.appending(TakeRegistry.recordName), with: Array(json))
    }

    /// Removes the entry. Clients that are connected stay connected.
    public func unregister() {
        let first = removed.withLock { removed in
            defer { removed = true }
            return !removed
        }
        guard first else { return }
        // Renamed to an unfinished entry first: half an entry would look like that of a dead engine.
        let leaving = directory.removingLastComponent().appending(Self.unfinishedName(record.id))
        PrivateDirectory.remove(rename(directory.cString, leaving.cString) == 0 ? leaving : directory)
    }

    /// The process that makes the unfinished entry in a directory of that name; nil if the name is not that of one.
    static func ownerOfUnfinished(_ name: String) -> Int32? {
        let parts = name.split(separator: "-")
        guard parts.count == 3, parts[0] == ".new" else { return nil }
        return Int32(parts[1])
    }

    fileprivate static func unfinishedName(_ id: String) -> String { ".new-\(getpid())-\(id)" }
}

extension TakeRegistry {
    /// Registers this process as the engine of a new take. The entry gets its name last, by a rename, so that no client sees
    /// it without its socket.
    ///
    /// - Parameters:
    ///   - output: absolute path of the file to be written, if there is one and its name is known.
    ///   - source: what is recorded, for a person to read.
    ///   - app: who asked for it.
    ///   - clipBuffer: the time that its clip buffer keeps, if it has one.
    public func register(
        output: String?, source: String, app: AppIdentity? = nil, clipBuffer: MediaTime? = nil
    ) throws(Error) -> Registration {
        while true {
            let record = TakeRecord(
                id: TakeID.random().description, pid: getpid(), output: output, source: source,
                started: Date().timeIntervalSince1970, app: app, clipBuffer: clipBuffer)
            let unfinished = directory.appending(Registration.unfinishedName(record.id))
            let finished = directory.appending(record.id)
            do {
                guard mkdir(unfinished.cString, 0o700) == 0 else { throw Errno(rawValue: errno) }
                let json = try JSONEncoder().encode(record)
                try PrivateDirectory.write(Array(json), to: unfinished.appending(Self.recordName))
                let listener = try ControlListener(path: unfinished.appending(Self.socketName))
                // Rename refuses if an entry has that id already (one chance in 10^12 for each take): try another.
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
