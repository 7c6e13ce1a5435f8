// Finds this user's takes in the registry, and follows them over connections to their engines. Linux: inotify(7).
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// Used on one thread.
package final class TakesWatch {
    /// The changes since the last call of `process`.
    package struct Changes {
        /// The takes that have ended, or whose engine has died.
        package var ended: [TakeView] = []
        /// In the order of each take.
        package var events: [(take: TakeRecord, event: EngineEvent)] = []
    }

    /// More takes than a person has; each costs a connection.
    private static let mostTakes = 16

    private final class Follower {
        let connection: ClientConnection
        var view: TakeView

        init(_ connection: ClientConnection, _ view: TakeView) { (self.connection, self.view) = (connection, view) }
    }

    private let registry: TakeRegistry
    private let watch: Int32
    private var followers: [Follower] = []
    /// Takes whose engine closed this connection; not followed again while they are registered.
    private var disconnected: Set<String> = []
    /// Whether `EngineEvent.progress` comes once a second of each take.
    package var wantsProgress = false {
        didSet {
            guard wantsProgress != oldValue else { return }
            for follower in followers where follower.view.isSameProtocol {
                try? follower.connection.send(.follow(progress: wantsProgress), id: 3)
            }
        }
    }
    /// The running takes, oldest first.
    package var takes: [TakeView] { followers.map(\.view) }

    /// Throws if this user watches as many directories as the system allows.
    package init(_ registry: TakeRegistry) throws(Errno) {
        self.registry = registry
        watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        // A take's directory appears, and disappears, by a rename.
        let events = UInt32(IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
        guard watch >= 0, inotify_add_watch(watch, registry.directory.cString, events) >= 0 else {
            throw Errno(rawValue: errno)
        }
        followNewTakes()
    }

    deinit { if watch >= 0 { close(watch) } }

    package var pollEntries: [pollfd] {
        let connections = followers.map(\.connection)
        return [pollfd(fd: watch, events: Int16(POLLIN), revents: 0)]
            + connections.map { pollfd(fd: $0.descriptor.rawValue, events: $0.pollEvents, revents: 0) }
    }

    /// Reads what has arrived, without waiting.
    ///
    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    package func process(at now: Int64) -> Changes {
        var hasChanged = readWatch()
        var changes = Changes()
        for follower in followers {
            changes.events += read(follower, at: now)
            guard follower.connection.isClosed else { continue }
            hasChanged = true
            disconnected.insert(follower.view.record.id)
            changes.ended.append(follower.view)
        }
        followers.removeAll { $0.connection.isClosed }
        if hasChanged { followNewTakes() }
        return changes
    }

    private func readWatch() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            var hasChanged = false
            while Glibc.read(watch, buffer.baseAddress, buffer.count) > 0 { hasChanged = true }
            return hasChanged
        }
    }

    private func read(_ follower: Follower, at now: Int64) -> [(take: TakeRecord, event: EngineEvent)] {
        guard let messages = try? follower.connection.readAvailable() else {
            follower.connection.close()
            return []
        }
        if let theirs = follower.connection.peerHello {
            follower.view.isSameProtocol = theirs.protocolNumber == ControlProtocol.number
        }
        return messages.compactMap { message in
            follower.view.received(message, at: now)
            guard case .event(let event) = message else { return nil }
            return (follower.view.record, event)
        }
    }

    private func followNewTakes() {
        let listing = registry.list()
        disconnected.formIntersection(listing.running.map(\.id))
        let known = disconnected.union(followers.map(\.view.record.id))
        for record in listing.running.suffix(Self.mostTakes) where !known.contains(record.id) {
            // One whose engine has finished meanwhile is not shown.
            if let follower = try? follow(record) { followers.append(follower) }
        }
        followers.sort { ($0.view.record.started, $0.view.record.id) < ($1.view.record.started, $1.view.record.id) }
    }

    /// Engines of all protocols answer the first request.
    private func follow(_ record: TakeRecord) throws -> Follower {
        let connection = try registry.connect(to: record)
        try connection.send(.status, id: 1)
        try connection.send(.follow(progress: wantsProgress), id: 2)
        return Follower(connection, TakeView(record))
    }
}
