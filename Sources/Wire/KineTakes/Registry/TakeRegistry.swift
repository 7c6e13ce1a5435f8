// The registry of this user's takes: a directory for each, with its control socket and its record. There is no daemon;
// a rename makes the directory appear complete, and it is removed with its take. If the engine dies, it stays until the
// file is recovered or the user dismisses the take.
import FoundationEssentials
import Glibc
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// The takes of one user, under `$XDG_RUNTIME_DIR/kinecast/takes/` or in another directory; see `standard`.
public struct TakeRegistry: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable {
        /// No directory for takes can be created or trusted.
        case unusableDirectory(String, PrivateDirectory.Fault)
        case cannotRegister(String, Errno)
        case control(ControlError)
        /// No take runs.
        case nothingRuns
        /// The take's engine died.
        case dead(TakeRecord)
        /// No take has this id.
        case unknown(String, running: [TakeRecord])
        /// The list has no dead take.
        case nothingDied
        /// No dead take in the list has this id.
        case unknownDead(String, [TakeRecord])
        /// The take cannot be dismissed, because it runs.
        case running(TakeRecord)
        /// Several takes match the typed beginning, or nothing was typed and there are several.
        case ambiguous(String?, [TakeRecord])
    }

    /// The takes in the registry.
    public struct Listing: Sendable, Equatable {
        /// The running takes, oldest first.
        public var running: [TakeRecord] = []
        /// The takes whose engine died, oldest first.
        public var dead: [TakeRecord] = []

        public init(running: [TakeRecord] = [], dead: [TakeRecord] = []) {
            self.running = running
            self.dead = dead
        }
    }

    /// The directory with one directory for each take.
    public let directory: FilePath

    /// A registry in `directory`, which is created if missing. Throws if it is another user's or open to others.
    public init(directory: FilePath) throws(Error) {
        self.directory = directory
        try Self.make(directory)
    }

    /// The registry that every client and engine of this user shares: in `$XDG_RUNTIME_DIR`, else in `/run/user/UID`,
    /// each only if it is this user's, else in `$TMPDIR/kinecast-UID` or `/tmp/kinecast-UID`. Only tests pass any.
    public static func standard(
        userRuntimeDirectory: String = "/run/user/\(getuid())",
        environment: (String) -> String? = ProcessEnvironment.value
    ) throws(Error) -> TakeRegistry {
        let uid = getuid()
        let candidates = [environment("XDG_RUNTIME_DIR"), userRuntimeDirectory]
        for candidate in candidates {
            guard let candidate, candidate.hasPrefix("/") else { continue }
            let base = FilePath(escaped: candidate)
            // In a directory that others can write to, they could create one with our name first.
            guard let mode = try? PrivateDirectory.check(base), mode & 0o022 == 0 else { continue }
            let own = base.appending("kinecast")
            guard (try? PrivateDirectory.make(own)) != nil else { continue }
            return try TakeRegistry(directory: own.appending("takes"))
        }
        let temporary = environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let own = FilePath(escaped: temporary).appending("kinecast-\(uid)")
        try make(own)
        return try TakeRegistry(directory: own.appending("takes"))
    }

    private static func make(_ path: FilePath) throws(Error) {
        do {
            try PrivateDirectory.make(path)
        } catch {
            throw .unusableDirectory(path.escaped, error)
        }
    }

    /// The path of a take's control socket.
    public func socketPath(of id: String) -> FilePath { directory.appending(id).appending(Self.socketName) }

    /// Lists the takes. Removes unfinished entries of dead processes, and entries that name neither a take nor a file.
    public func list() -> Listing { list(isListening: ControlListener.isListening) }

    /// - Parameter isListening: as `ControlListener.isListening`. Only tests pass another.
    func list(isListening: (FilePath) -> Bool?) -> Listing {
        var listing = Listing()
        for name in PrivateDirectory.entries(directory) {
            let path = directory.appending(name)
            guard TakeID(name) != nil else {
                if let owner = Registration.ownerOfUnfinished(name), !Self.processExists(owner) {
                    PrivateDirectory.remove(path)
                }
                continue
            }
            var record = PrivateDirectory.contents(of: path.appending(Self.recordName), limit: 65536)
                .flatMap { try? JSONDecoder().decode(TakeRecord.self, from: Data($0)) }
            // The directory's name is used: a damaged record's other id would remove another directory.
            record?.id = name
            // An engine runs if its socket accepts connections. If the socket neither accepts nor refuses (its queue may
            // be full), the process decides; alone it is not enough: the number may be reused.
            if isListening(socketPath(of: name)) ?? record.map({ Self.processExists($0.pid) }) ?? true {
                if let record { listing.running.append(record) }
            } else if access(path.cString, F_OK) != 0 {
                // The engine has removed the entry since its record was read: it has finished, and is not dead.
                continue
            } else if let record {
                listing.dead.append(record)
            } else {
                PrivateDirectory.remove(path)
            }
        }
        listing.running.sort { ($0.started, $0.id) < ($1.started, $1.id) }
        listing.dead.sort { ($0.started, $0.id) < ($1.started, $1.id) }
        return listing
    }

    /// The take that `typed` means: its id or a unique beginning of it; nil: the only running take.
    public func find(_ typed: String?) throws(Error) -> TakeRecord {
        let listing = list()
        do {
            return try Self.choose(typed, among: listing.running)
        } catch {
            if case .unknown = error, let dead = try? Self.choose(typed, among: listing.dead) { throw .dead(dead) }
            throw error
        }
    }

    /// Removes a dead take from the list; its file does not change. `typed` as in `find`, but among dead takes.
    @discardableResult
    public func dismiss(_ typed: String?) throws(Error) -> TakeRecord {
        let listing = list()
        do {
            let take = try Self.choose(typed, among: listing.dead)
            remove(take)
            return take
        } catch {
            switch error {
            case .nothingRuns: throw .nothingDied
            case .unknown(let typed, _):
                if let running = try? Self.choose(typed, among: listing.running) { throw .running(running) }
                throw .unknownDead(typed, listing.dead)
            default: throw error
            }
        }
    }

    /// Removes the matching dead takes from the list.
    public func forget(where fits: (TakeRecord) -> Bool) {
        for take in list().dead where fits(take) { remove(take) }
    }

    private func remove(_ take: TakeRecord) { PrivateDirectory.remove(directory.appending(take.id)) }

    static func choose(_ typed: String?, among running: [TakeRecord]) throws(Error) -> TakeRecord {
        let fitting = typed.map { typed in running.filter { TakeID($0.id)?.hasPrefix(typed) ?? false } } ?? running
        guard let only = fitting.first else {
            throw typed.map { .unknown($0, running: running) } ?? .nothingRuns
        }
        guard fitting.count == 1 else { throw .ambiguous(typed, fitting) }
        return only
    }

    /// Connects to the engine of a take.
    public func connect(to record: TakeRecord) throws(Error) -> ClientConnection {
        do {
            return try ClientConnection(connectingTo: socketPath(of: record.id), receivingDescriptors: true)
        } catch {
            // The engine has finished since the listing.
            if error == .closed { throw .unknown(record.id, running: list().running) }
            throw .control(error)
        }
    }

    static let socketName = "control.sock"
    static let recordName = "take.json"

    /// False below 1: those numbers mean groups of processes (kill(2)), which always exist.
    private static func processExists(_ pid: Int32) -> Bool { pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) }
}

// One sentence for each error of the registry of takes.
extension TakeRegistry.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unusableDirectory(let path, let fault):
            "The directory for running takes, \(path), cannot be used (\(fault)); "
                + "set XDG_RUNTIME_DIR to a directory of your own with mode 0700."
        case .cannotRegister(let path, .fileTooLarge):
            "The take cannot be registered in \(path), since there is a limit on the size of files (ulimit -f); raise it."
        case .cannotRegister(let path, let errno):
            "The take cannot be registered in \(path): \(errno); free some space there or correct its permissions."
        case .control(let error): error.description
        case .nothingRuns: "No take is running; kinecast record starts one."
        case .dead(let take):
            "The engine of take \(take.id) died; \(take.remedy)."
        case .unknown(let typed, let running) where running.isEmpty:
            "No take is called \(typed), and none is running; kinecast record starts one."
        case .unknown(let typed, let running):
            "No take is called \(typed); running: \(Self.names(running))."
        case .nothingDied: "No take has died: there is nothing to dismiss."
        case .unknownDead(let typed, let dead) where dead.isEmpty:
            "No take is called \(typed), and none has died: there is nothing to dismiss."
        case .unknownDead(let typed, let dead):
            "No dead take is called \(typed); dead takes: \(Self.names(dead))."
        case .running(let take): "Take \(take.id) runs; kinecast stop \(take.id) ends it."
        case .ambiguous(let typed?, let takes):
            "\(typed) can mean several takes: \(Self.names(takes)); give more of the id."
        case .ambiguous(nil, let takes):
            "There are several takes: \(Self.names(takes)); say which by its id."
        }
    }

    private static func names(_ takes: [TakeRecord]) -> String {
        takes.map { "\($0.id) (\($0.output ?? $0.sourceName ?? $0.source))" }.joined(separator: ", ")
    }
}

extension TakeRegistry {
    /// The socket of this user's studio.
    public var studioSocket: FilePath { common.appending("studio.sock") }

    /// The directory around the registry, for what this user's programs tell each other.
    package var common: FilePath { directory.removingLastComponent() }
}
