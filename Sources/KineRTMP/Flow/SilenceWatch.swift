// Whether a connection still moves, from what the kernel says of it a few times a second.

/// One connection's account. Times are nanoseconds on any steady clock.
public struct SilenceWatch: Hashable, Sendable {
    public enum Verdict: Hashable, Sendable {
        /// The peer took something, or nothing waits for it.
        case moving
        /// Nothing was acknowledged, which need not mean anything yet.
        case silent
        /// Sent again and again without an answer: the network may be away. When it is back, a probe hears of it at once, but a
        /// connection only when it sends again, which it does ever more rarely.
        case absent
        /// Silent for too long.
        case stalled
    }

    /// Nanoseconds of silence after which retransmissions mean that the network may be away.
    public static let absence: Int64 = 1_500_000_000

    private let stallDeadline: Int64
    private var deliveredBytes: Int64 = 0
    /// When the peer took something last.
    private var moved: Int64

    public init(stallDeadline: Int64, now: Int64) {
        self.stallDeadline = stallDeadline
        moved = now
    }

    /// - Parameters:
    ///   - deliveredBytes: acknowledged so far.
    ///   - isIdle: nothing waits to be sent or acknowledged.
    ///   - retransmissions: in a row, without an acknowledgement.
    public mutating func update(deliveredBytes: Int64, isIdle: Bool, retransmissions: Int, now: Int64) -> Verdict {
        if deliveredBytes != self.deliveredBytes || isIdle {
            (self.deliveredBytes, moved) = (deliveredBytes, now)
            return .moving
        }
        let silence = now - moved
        if silence >= stallDeadline { return .stalled }
        return silence >= Self.absence && retransmissions >= 2 ? .absent : .silent
    }
}
