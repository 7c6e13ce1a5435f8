// The measurements of one connection: whether it makes progress, and whether it has proven itself.
import KineRTMP

/// Times are nanoseconds on any steady clock.
struct ConnectionMeter {
    let connection: RTMPReconnectStateMachine.ConnectionID
    private var silence: SilenceWatch
    /// Nil until the stream is live.
    private(set) var liveSince: Int64?
    private let settings: RTMPSettings
    /// Bytes that had arrived at the first measurement of the live stream.
    private var deliveredWhenLive: Int64?
    private var isProven = false
    private var isOdd = false

    init(_ connection: RTMPReconnectStateMachine.ConnectionID, _ settings: RTMPSettings, now: Int64) {
        self.connection = connection
        self.settings = settings
        silence = SilenceWatch(stallDeadline: settings.stallDeadline, now: now)
    }

    mutating func becameLive(now: Int64) {
        liveSince = now
    }

    /// Returns true for every second measurement.
    mutating func isReportDue() -> Bool {
        isOdd.toggle()
        return !isOdd
    }

    mutating func update(_ statistics: TCPStatistics, waiting: Int, now: Int64) -> SilenceWatch.Verdict {
        silence.update(
            deliveredBytes: statistics.deliveredBytes, isIdle: waiting == 0 && !statistics.isUnacknowledged,
            retransmissions: statistics.retransmissions, now: now)
    }

    /// Whether the connection has just proven itself: it has lasted, and bytes arrived.
    mutating func proves(delivered: Int64, now: Int64) -> Bool {
        guard let liveSince, !isProven else { return false }
        let before = deliveredWhenLive ?? delivered
        deliveredWhenLive = before
        isProven = delivered > before && now - liveSince >= settings.provingTime
        return isProven
    }
}
