// Limits how often a server may redirect its publisher. Without a limit, a server could keep the stream from ever going on.

/// Counts the redirections that were followed.
public struct RedirectLimit: Hashable, Sendable {
    /// Redirections that are followed within `period`.
    public static let count = 3
    /// Nanoseconds in which `count` redirections are followed.
    public static let period: Int64 = 60_000_000_000

    private var followed: [Int64] = []

    public init() {}

    /// Whether another redirection is followed now. If so, it counts.
    public mutating func allows(at now: Int64) -> Bool {
        followed.removeAll { now - $0 >= Self.period }
        guard followed.count < Self.count else { return false }
        followed.append(now)
        return true
    }
}
