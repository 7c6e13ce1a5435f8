// Finds this user's takes in the registry, and follows them over connections to their engines. Linux.
import CLinux
import Glibc
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// Used on one thread.
package final class TakesWatch {
    /// The changes since the last call of `process`.
    package struct Changes {
        /// The takes that have ended. If a take is not in the phase `ended`, its engine has died.
        package var ended: [TakeView] = []
        /// In the order of each take.
        package var events: [(take: TakeRecord, event: EngineEvent)] = []
    }

    /// More takes than a person has; each costs a connection.
    private static let mostTakes = 16
    /// Nanoseconds until a take without a connection is connected to again.
    private static let retryInterval: Int64 = 1_000_000_000

    private final class Follower {
        var view: TakeView
        /// Nil: the engine has closed it, or was not reached.
        private(set) var connection: ClientConnection?
        /// The earliest time of the next attempt to connect.
        private(set) var nextAttempt = Int64.min
        /// Whether there has been a connection.
        private(set) var isShown = false
        /// Whether the engine has accepted a connection. It then sends the end of the take.
        var hasAnswered = false

        init(_ record: TakeRecord) { view = TakeView(record) }

        func connect(_ connection: ClientConnection?, at now: Int64) {
            (self.connection, nextAttempt) = (connection, now + TakesWatch.retryInterval)
            isShown = isShown || connection != nil
        }
    }

    private let registry: TakeRegistry
    private let watch: Inotify
    private var followers: [Follower] = []
    /// Whether `EngineEvent.progress` comes once a second of each take.
    package var wantsProgress = false {
        didSet {
            guard wantsProgress != oldValue else { return }
            for follower in followers where follower.view.isSameProtocol {
                try? follower.connection?.send(.follow(progress: wantsProgress), id: 3)
            }
        }
    }
    /// Whether this process has windows in which the person can answer apps' questions.
    package var showsQuestions = false {
        didSet {
            guard showsQuestions != oldValue else { return }
            for follower in followers where follower.view.isSameProtocol {
                try? follower.connection?.send(.showPermissionQuestions(showsQuestions), id: 4)
            }
        }
    }
    /// The running takes, oldest first.
    package var takes: [TakeView] { followers.filter(\.isShown).map(\.view) }
    /// The ids of the running takes whose engine has answered, and so will send their end.
    package var answered: Set<String> { Set(followers.filter(\.hasAnswered).map(\.view.record.id)) }

    /// Throws if this user watches as many directories as the system allows.
    package init(_ registry: TakeRegistry) throws(Errno) {
        self.registry = registry
        watch = try Inotify()
        // A take's directory appears, and disappears, by a rename.
        try watch.watch(registry.directory, for: IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE)
        _ = update(at: MonotonicClock.now())
    }

    package var pollEntries: [pollfd] {
        let connections = followers.compactMap(\.connection)
        return [watch.pollEntry]
            + connections.map { pollfd(fd: $0.descriptor.rawValue, events: $0.pollEvents, revents: 0) }
    }

    /// The latest instant for the next `process`; nil: only the entries to poll are a reason for it.
    package var nextDeadline: Int64? { followers.filter { $0.connection == nil }.map(\.nextAttempt).min() }

    /// Reads what has arrived, without waiting.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    package func process(at now: Int64) -> Changes {
        var hasChanged = watch.read() || nextDeadline.map { now >= $0 } ?? false
        var changes = Changes()
        for follower in followers {
            guard let connection = follower.connection else { continue }
            changes.events += read(connection, of: follower, at: now)
            guard connection.isClosed else { continue }
            follower.connect(nil, at: now)
            hasChanged = true
        }
        if hasChanged { changes.ended = update(at: now) }
        return changes
    }

    private func read(
        _ connection: ClientConnection, of follower: Follower, at now: Int64
    ) -> [(take: TakeRecord, event: EngineEvent)] {
        guard let messages = try? connection.readAvailable() else {
            connection.close()
            return []
        }
        if let theirs = connection.peerHello {
            follower.hasAnswered = true
            follower.view.isSameProtocol = theirs.protocolNumber == ControlProtocol.number
        }
        return messages.compactMap { message in
            follower.view.received(message, at: now)
            guard case .event(let event) = message else { return nil }
            // Before the start, a status does not say which audio the take has.
            if case .started = event, follower.view.isSameProtocol { try? connection.send(.status, id: 3) }
            return (follower.view.record, event)
        }
    }

    /// Follows new takes, and those whose engine has closed the connection but still runs. Returns the takes that are
    /// over: the connection may close a moment before the socket of an engine that dies, so the registry decides.
    private func update(at now: Int64) -> [TakeView] {
        let running = registry.list().running
        let ids = Set(running.map(\.id))
        let over = followers.filter { $0.connection == nil && !ids.contains($0.view.record.id) }
        followers.removeAll { follower in over.contains { $0 === follower } }
        let known = Set(followers.map(\.view.record.id))
        followers += running.suffix(Self.mostTakes).filter { !known.contains($0.id) }.map(Follower.init)
        followers.sort { ($0.view.record.started, $0.view.record.id) < ($1.view.record.started, $1.view.record.id) }
        for follower in followers where follower.connection == nil && now >= follower.nextAttempt {
            follower.connect(try? connection(to: follower.view.record), at: now)
        }
        // An engine that has never answered was about to leave.
        return over.filter(\.hasAnswered).map(\.view)
    }

    /// Engines of all protocols answer the first request.
    private func connection(to record: TakeRecord) throws -> ClientConnection {
        let connection = try registry.connect(to: record)
        try connection.send(.status, id: 1)
        try connection.send(.follow(progress: wantsProgress), id: 2)
        if showsQuestions { try connection.send(.showPermissionQuestions(true), id: 4) }
        return connection
    }
}
