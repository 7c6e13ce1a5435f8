// When an accepted stream counts as live: the one rule of the publisher and of the check.

/// What a server has shown since it accepted a stream. Times are nanoseconds on any steady clock.
///
/// Some servers accept every stream, look up the key, and close a moment later. Others close once they have seen the first
/// keyframe. So a stream is live when the server has acknowledged that keyframe and is still there half a second after it was
/// sent. A check sends nothing: the half second counts from the acceptance.
public enum StreamAcceptance: Hashable, Sendable {
    /// No keyframe was sent yet. `since`: when the server accepted the stream.
    case fresh(since: Int64)
    /// No keyframe was sent for so long that the server may close because it gets nothing.
    case idle
    /// The server has to acknowledge so many bytes of the connection, sent at `since`.
    case sent(bytes: Int64, since: Int64)

    /// In nanoseconds.
    public static let settlingTime: Int64 = 500_000_000

    init(now: Int64) { self = .fresh(since: now) }

    /// Whether a server that closes now has refused the stream.
    var isRefusedByClosing: Bool { self != .idle }

    mutating func sent(_ bytes: Int64, now: Int64) {
        if case .sent = self { return }
        self = .sent(bytes: bytes, since: now)
    }

    /// - Parameter acknowledged: bytes of the connection; nil: the system does not tell, and only the time counts.
    mutating func isLive(acknowledged: Int64?, now: Int64) -> Bool {
        switch self {
        case .fresh(let since):
            if now - since >= Self.settlingTime { self = .idle }
            return false
        case .idle: return false
        case .sent(let bytes, let since):
            return now - since >= Self.settlingTime && acknowledged.map { $0 >= bytes } ?? true
        }
    }
}
