// How often a server may send its publisher elsewhere: one that asks again and again would keep the stream from ever standing.

/// Counts requests to reconnect that were followed.
public struct RedirectLimit: Hashable, Sendable {
    /// Requests that are followed within `period`.
    public static let count = 3
    /// Nanoseconds.
    public static let period: Int64 = 60_000_000_000

    private var followed: [Int64] = []

    public init() {}

    /// Whether one more is followed now, which then counts.
    public mutating func allows(at now: Int64) -> Bool {
        followed.removeAll { now - $0 >= Self.period }
        guard followed.count < Self.count else { return false }
        followed.append(now)
        return true
    }
}
