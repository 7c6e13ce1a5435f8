// The live edge: the newest instant of a stream that viewers can have, and how it moves. Pure: the caller has the clock and
// counts the viewers.
import KineMedia

/// How far a stream has come, whether it goes on, and what viewers are told of that. Instants are nanoseconds of one clock of
/// the server.
package struct LiveEdge: Sendable {
    /// The state of the broadcast, as sent to viewers.
    package enum Phase: String, Codable, Sendable {
        case live, paused, ended
    }

    /// The content of a tick and of `/state`. Page/*.js reads its keys.
    package struct Status: Codable, Equatable, Sendable {
        package var phase: Phase
        package var viewers: Int
        /// Microseconds since the stream began, by the server's clock.
        package var clock: Int64
        /// Microseconds by which the take's timeline is ahead of `clock`; nil if unknown.
        package var ahead: Int64?
    }

    /// Nanoseconds in which nothing was sent, after which a tick is due.
    package static let tickInterval: Int64 = 1_000_000_000

    package private(set) var phase = Phase.live
    /// The newest presentation time of a sample.
    package private(set) var time = MediaTime.zero
    private var clock = StreamClock()
    private let beginning: Int64
    /// When viewers were last sent something.
    private var lastSent: Int64
    /// What all viewers were told last; nil: they know different things.
    private var told: Status?

    package init(at now: Int64) { (beginning, lastSent) = (now, now) }

    /// A sample with this presentation time has arrived.
    package mutating func advance(to presentationTime: MediaTime, at now: Int64) {
        time = max(time, presentationTime)
        clock.note(presentationTime.nanoseconds, at: now - beginning)
        lastSent = now
    }

    /// Returns false if that changes nothing: an end is final.
    package mutating func enter(_ phase: Phase, at now: Int64) -> Bool {
        guard self.phase != phase, self.phase != .ended else { return false }
        self.phase = phase
        clock.reset()
        lastSent = now
        return true
    }

    package func status(viewers: Int, at now: Int64) -> Status {
        Status(
            phase: phase, viewers: viewers, clock: (now - beginning) / 1000, ahead: clock.ahead.map { $0 / 1000 })
    }

    /// The status for a viewer who joins, counted in `viewers`. Makes the next tick due. Otherwise, if the count changed back before it, this
    /// viewer would keep a wrong number.
    package mutating func greeting(viewers: Int, at now: Int64) -> Status {
        told = nil
        return status(viewers: viewers, at: now)
    }

    /// The content of a tick to send now; nil if none is due. One is due when nothing has been sent for `tickInterval`, and
    /// when the number of viewers or the clock has changed.
    package mutating func tick(viewers: Int, at now: Int64) -> Status? {
        let isNews = told?.viewers != viewers || StreamClock.differ(told?.ahead.map { $0 * 1000 }, clock.ahead)
        guard isNews || now - lastSent >= Self.tickInterval else { return nil }
        told = status(viewers: viewers, at: now)
        lastSent = now
        return told
    }
}

/// The take's timeline compared with a clock of the server. All in nanoseconds.
struct StreamClock: Sendable {
    /// The estimate comes from the sample with the least delay in the last one or two windows.
    private static let window: Int64 = 4_000_000_000
    /// Viewers get larger changes only.
    private static let tolerance: Int64 = 20_000_000

    private var windowStart = Int64.min / 2
    private var current: Int64?
    private var before: Int64?

    /// How far the take's timeline is ahead of the clock; nil before the first sample.
    var ahead: Int64? { [current, before].compactMap { $0 }.max() }

    /// Notes that a sample with this presentation time arrived at `now`.
    mutating func note(_ presentationTime: Int64, at now: Int64) {
        if now - windowStart >= Self.window {
            // After a silence as long as a window, the older value no longer counts.
            before = now - windowStart >= 2 * Self.window ? nil : current
            current = nil
            windowStart = now
        }
        current = max(current ?? .min, presentationTime - now)
    }

    /// Call this for a pause: the timeline stops, so the estimate is wrong afterwards.
    mutating func reset() { self = StreamClock() }

    /// Whether viewers need the change between two values of `ahead`.
    static func differ(_ a: Int64?, _ b: Int64?) -> Bool {
        guard let a, let b else { return (a == nil) != (b == nil) }
        return abs(a - b) > tolerance
    }
}
