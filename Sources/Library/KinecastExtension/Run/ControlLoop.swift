// Serves an extension's control channel on its own thread, independently of the handler: reads requests, sends
// heartbeats and statistics, and ends when the process should end.
import CLinux
import Glibc
import KinePlatform
import KineWire

/// Serves a session's connection until the broadcast is over.
package struct ControlLoop {
    /// Nanoseconds between two heartbeats.
    private let heartbeatInterval: Int64
    /// Nanoseconds between two reports of the statistics; unchanged ones are not sent.
    static let statisticsInterval: Int64 = 1_000_000_000
    /// Nanoseconds for a callback to return after the handler has failed, and for the last report to be sent.
    static let grace: Int64 = 1_000_000_000

    private let session: BroadcastSession
    private var nextHeartbeat: Int64
    private var nextStatistics: Int64
    private var lastSent: ExtensionStatistics?
    /// The time at which the loop ends even if the handler has not returned.
    private var deadline: Int64?

    package init(_ session: BroadcastSession, heartbeatInterval: Int64 = 15_000_000_000) {
        self.session = session
        self.heartbeatInterval = heartbeatInterval
        let now = MonotonicClock.now()
        nextHeartbeat = now + heartbeatInterval
        nextStatistics = now + Self.statisticsInterval
    }

    /// Blocks until the broadcast is over and the reports have been sent. A callback that is too slow may still run.
    package mutating func run() {
        while !session.hasEnded {
            let now = MonotonicClock.now()
            if let deadline, now >= deadline { break }
            sendReports(now)
            setDeadline(now)
            var entries = session.signal.pollEntries + (session.isClosed ? [] : session.connection.pollEntries)
            WakeSignal.poll(&entries, until: min(nextHeartbeat, nextStatistics, deadline ?? .max))
            if entries[0].revents != 0 { session.signal.clear() }
            if entries.dropFirst().contains(where: { $0.revents != 0 }) {
                _ = try? session.connection.flush()
                session.readAndWake()
            }
        }
        if !session.isClosed { _ = session.connection.drain(until: MonotonicClock.now() + Self.grace) }
    }

    private mutating func sendReports(_ now: Int64) {
        if now >= nextHeartbeat {
            session.send(.heartbeat)
            nextHeartbeat = now + heartbeatInterval
        }
        if now >= nextStatistics {
            let statistics = session.statistics
            if statistics != lastSent ?? ExtensionStatistics() {
                session.send(.statistics(statistics))
                lastSent = statistics
            }
            nextStatistics = now + Self.statisticsInterval
        }
    }

    private mutating func setDeadline(_ now: Int64) {
        guard deadline == nil else { return }
        if session.handlerHasFailed {
            deadline = now + Self.grace
        } else if session.isClosed {
            // Without an engine, only this deadline ends a handler that does not end itself.
            deadline = now + Int64(min(max(session.finishSeconds, 0), 3600) * 1e9)
        }
    }
}
