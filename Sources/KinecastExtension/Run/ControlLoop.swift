// The thread that keeps up the control channel of an extension, whatever its handler does: it reads requests, sends heartbeats and
// statistics, and sees to it that the process ends when it should.
import CLinux
import Glibc
import KinePlatform
import KineRelay

/// Serves a session's connection until the broadcast is over.
package struct ControlLoop {
    /// Nanoseconds between two heartbeats.
    private let heartbeatInterval: Int64
    /// Nanoseconds between two statistics, where anything has changed.
    static let statisticsInterval: Int64 = 1_000_000_000
    /// Nanoseconds that a callback gets to return after the handler has given up, and that the last report gets to go out.
    static let grace: Int64 = 1_000_000_000

    private let session: BroadcastSession
    private var nextHeartbeat: Int64
    private var nextStatistics: Int64
    private var told: ExtensionStatistics?
    /// When it is over although the handler has not returned.
    private var deadline: Int64?

    package init(_ session: BroadcastSession, heartbeatInterval: Int64 = 15_000_000_000) {
        self.session = session
        self.heartbeatInterval = heartbeatInterval
        let now = MonotonicClock.now()
        nextHeartbeat = now + heartbeatInterval
        nextStatistics = now + Self.statisticsInterval
    }

    /// Blocks until the broadcast is over and what was reported has been sent. False where a callback still runs, and
    /// only ending the process ends it.
    package mutating func run() -> Bool {
        while !session.hasEnded {
            let now = MonotonicClock.now()
            if let deadline, now >= deadline { break }
            tell(now)
            setDeadline(now)
            var entries = [
                pollfd(fd: session.signal.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(
                    fd: session.isClosed ? -1 : session.connection.descriptor.rawValue,
                    events: session.connection.pollEvents, revents: 0),
            ]
            WakeSignal.poll(&entries, until: min(nextHeartbeat, nextStatistics, deadline ?? .max))
            if entries[0].revents != 0 { session.signal.clear() }
            if entries[1].revents != 0 {
                _ = try? session.connection.flush()
                session.readAndWake()
            }
        }
        if !session.isClosed { _ = session.connection.drain(until: MonotonicClock.now() + Self.grace) }
        return session.hasEnded
    }

    private mutating func tell(_ now: Int64) {
        if now >= nextHeartbeat {
            session.send(.heartbeat)
            nextHeartbeat = now + heartbeatInterval
        }
        if now >= nextStatistics {
            let statistics = session.statistics
            if statistics != told ?? ExtensionStatistics() {
                session.send(.statistics(statistics))
                told = statistics
            }
            nextStatistics = now + Self.statisticsInterval
        }
    }

    private mutating func setDeadline(_ now: Int64) {
        guard deadline == nil else { return }
        if session.handlerHasFailed {
            deadline = now + Self.grace
        } else if session.isClosed {
            // With the engine gone, nobody else ends a handler that does not.
            deadline = now + Int64(min(max(session.finishSeconds, 0), 3600) * 1e9)
        }
    }
}
