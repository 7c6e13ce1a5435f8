// Decides whether a connection makes progress, from the kernel's statistics a few times a second.

/// The progress of one connection. Times are nanoseconds on any steady clock.
public struct SilenceWatch: Hashable, Sendable {
    public enum Verdict: Hashable, Sendable {
        /// The peer acknowledged data, or nothing waits for it.
        case progressing
        /// Nothing was acknowledged for a short time, which is normal.
        case silent
        /// The kernel retransmits repeatedly: the network may be unreachable. A probe detects its return at once, while
        /// the connection itself retries ever more rarely.
        case suspect
        /// Nothing was acknowledged for too long.
        case stalled
    }

    /// Nanoseconds of silence after which retransmissions mean that the network may be unreachable.
    public static let suspectedAfter: Int64 = 1_500_000_000

    private let stallDeadline: Int64
    private var deliveredBytes: Int64 = 0
    private var lastProgress: Int64

    public init(stallDeadline: Int64, now: Int64) {
        self.stallDeadline = stallDeadline
        lastProgress = now
    }

    /// - Parameters:
    ///   - deliveredBytes: bytes acknowledged so far.
    ///   - isIdle: whether nothing waits to be sent or acknowledged.
    ///   - retransmissions: in a row without an acknowledgement.
    public mutating func update(deliveredBytes: Int64, isIdle: Bool, retransmissions: Int, now: Int64) -> Verdict {
        if deliveredBytes != self.deliveredBytes || isIdle {
            (self.deliveredBytes, lastProgress) = (deliveredBytes, now)
            return .progressing
        }
        let silence = now - lastProgress
        if silence >= stallDeadline { return .stalled }
        return silence >= Self.suspectedAfter && retransmissions >= 2 ? .suspect : .silent
    }
}
