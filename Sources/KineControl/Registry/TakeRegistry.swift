import CLinux
import FoundationEssentials
import Glibc
// Which takes run for this user: a directory for each, with its control socket and what a person needs to know it by.
// There is no daemon; the directory appears whole, by a rename, and goes with its take. One whose engine died stays until its
// file was recovered, or the user dismisses it.
import KinePlatform
import KineRelay
import SystemPackage

/// The takes of one user, under `$XDG_RUNTIME_DIR/kinecast/takes/` or where `standard` finds room.
public struct TakeRegistry: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// No directory for takes can be made or trusted.
        case unusableDirectory(String, reason: String)
        case cannotRegister(String, Errno)
        case control(ControlError)
        /// No take runs.
        case nothingRuns
        /// The take's engine died.
        case dead(TakeRecord)
        /// No take is called that.
        case unknown(String, running: [TakeRecord])
        /// No take has died that was not recovered or dismissed.
        case nothingDied
        /// No take that died is called that.
        case unknownDead(String, [TakeRecord])
        /// The take runs.
        case running(TakeRecord)
        /// The beginning of a name fits several takes, or no name was given and several run.
        case ambiguous(String?, [TakeRecord])

        public var description: String {
            switch self {
            case .unusableDirectory(let path, let reason):
                "The directory for running takes, \(path), cannot be used (\(reason)); "
                    + "set XDG_RUNTIME_DIR to a directory of your own with mode 0700."
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
                "No take is called \(typed); those that died: \(Self.names(dead))."
            case .running(let take): "Take \(take.id) runs; kinecast stop \(take.id) ends it."
            case .ambiguous(let typed?, let takes):
                "\(typed) can mean several takes: \(Self.names(takes)); give more of the id."
            case .ambiguous(nil, let takes):
                "There are several takes: \(Self.names(takes)); say which by its id."
            }
        }

        private static func names(_ takes: [TakeRecord]) -> String {
            takes.map { "\($0.id) (\($0.output ?? $0.source))" }.joined(separator: ", ")
        }
    }

    /// What `list` found.
    public struct Listing: Sendable, Equatable {
        /// The takes that run, oldest first.
        public var running: [TakeRecord] = []
        /// The takes whose engine died without a word, oldest first; they stay until they are recovered or dismissed.
        public var dead: [TakeRecord] = []

        public init(running: [TakeRecord] = [], dead: [TakeRecord] = []) {
            self.running = running
            self.dead = dead
        }
    }

    /// The directory that holds one directory for each take.
    public let directory: FilePath

    /// A registry in `directory`, which must be this user's and closed to others; it is made where it is not there.
    public init(directory: FilePath) throws(Error) {
        self.directory = directory
        try Self.make(directory)
    }

    /// The registry that every client and engine of this user shares: in `$XDG_RUNTIME_DIR`, else in `/run/user/UID`, both
    /// only where they are this user's own, else in `$TMPDIR/kinecast-UID` or `/tmp/kinecast-UID`.
    ///
    /// Tests give the parameters; others leave them out.
    public static func standard(
        userRuntimeDirectory: String = "/run/user/\(getuid())",
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) throws(Error) -> TakeRegistry {
        let uid = getuid()
        let candidates = [environment("XDG_RUNTIME_DIR"), userRuntimeDirectory]
        for candidate in candidates {
            guard let candidate, candidate.hasPrefix("/") else { continue }
            let base = FilePath(candidate)
            // A directory that others can write into is no runtime directory: they could put a name of ours there first.
            guard let mode = try? PrivateDirectory.check(base), mode & 0o022 == 0 else { continue }
            let own = base.appending("kinecast")
            guard (try? PrivateDirectory.make(own)) != nil else { continue }
            return try TakeRegistry(directory: own.appending("takes"))
        }
        let temporary = environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let own = FilePath(temporary).appending("kinecast-\(uid)")
        try make(own)
        return try TakeRegistry(directory: own.appending("takes"))
    }

    private static func make(_ path: FilePath) throws(Error) {
        do {
            try PrivateDirectory.make(path)
        } catch {
            let reason =
                switch error {
                case .notADirectory: "something else has that name"
                case .foreign(let uid): "it belongs to user \(uid)"
                case .open(let mode): "others may enter it, its mode is 0\(String(mode, radix: 8))"
                case .system(let errno): "\(errno)"
                }
            throw .unusableDirectory(path.string, reason: reason)
        }
    }

    /// Where the control socket of a take is.
    public func socketPath(of id: String) -> FilePath { directory.appending(id).appending(Self.socketName) }

    /// The takes that run, and those whose engine died. Takes none off the list.
    public func list() -> Listing {
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
            // The directory's name counts: by what a damaged record calls itself, another directory would be removed.
            record?.id = name
            if answers(id: name, pid: record?.pid) {
                if let record { listing.running.append(record) }
            } else if let record {
                listing.dead.append(record)
            } else {
                PrivateDirectory.remove(path)  // it names neither a take nor a file
            }
        }
        listing.running.sort { ($0.started, $0.id) < ($1.started, $1.id) }
        listing.dead.sort { ($0.started, $0.id) < ($1.started, $1.id) }
        return listing
    }

    /// The take that `typed` means: its id or a beginning that fits no other; nil means the only one that runs.
    public func find(_ typed: String?) throws(Error) -> TakeRecord {
        let listing = list()
        do {
            return try Self.choose(typed, among: listing.running)
        } catch {
            if case .unknown = error, let dead = try? Self.choose(typed, among: listing.dead) { throw .dead(dead) }
            throw error
        }
    }

    /// Takes a take whose engine died off the list; its file stays as it is. `typed` is as in `find`, among the dead.
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

    /// Takes the dead takes that were writing `output` off the list: the file was recovered.
    public func forget(output: String) {
        for take in list().dead where take.output == output { remove(take) }
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

    /// A connection to the engine of a take.
    public func connect(to record: TakeRecord) throws(Error) -> ClientConnection {
        do {
            return try ClientConnection(connectingTo: socketPath(of: record.id))
        } catch {
            // The engine finished between the listing and now.
            if error == .closed { throw .unknown(record.id, running: list().running) }
            throw .control(error)
        }
    }

    static let socketName = "control.sock"
    static let recordName = "take.json"

    /// A socket that refuses has no engine behind it; one that accepts has. Where it does neither (its queue is full, say),
    /// the process decides. The process alone would not do: its number may have been given to another.
    private func answers(id: String, pid: Int32?) -> Bool {
        ControlListener.isListening(at: socketPath(of: id)) ?? pid.map(Self.processExists) ?? true
    }

    /// Numbers below 1 mean groups of processes (kill(2)), which always exist.
    private static func processExists(_ pid: Int32) -> Bool { pid > 0 && (kill(pid, 0) == 0 || errno == EPERM) }
}
