// Decides when to reconnect: soon, then later and later, and not at the same time as all other publishers of a
// restarting server.

/// Counts failed attempts. Pure: the caller provides the random numbers.
public struct ReconnectPolicy: Sendable, Hashable {
    /// Nanoseconds before the first attempt; each wait is 1.5 times the previous one.
    public static let firstDelay: Int64 = 1_000_000_000
    /// The longest wait, in nanoseconds.
    public static let longestDelay: Int64 = 30_000_000_000
    /// If the server closes this many times while it decides on the stream, or soon after it accepted it, it does not know the
    /// stream.
    public static let silentRefusals = 3

    /// The most attempts in a row; nil: no limit.
    public let limit: Int?
    private let firstDelay: Int64
    /// Attempts since the stream was last live for long enough.
    private var attempts = 0
    /// Attempts since the waits last restarted.
    private var step = 0
    private var refusals = 0
    private var wasLive = false

    /// `firstDelay`: nanoseconds before the first attempt.
    public init(limit: Int? = nil, firstDelay: Int64 = Self.firstDelay) {
        self.limit = limit
        self.firstDelay = firstDelay
    }

    /// The stream was live, so the server knows the key. It may close a moment later, so the attempts still count.
    public mutating func becameLive() {
        refusals = 0
        wasLive = true
    }

    /// The stream has been live for long enough.
    public mutating func connected() {
        becameLive()
        attempts = 0
        step = 0
    }

    /// The network is back: the waits restart with the first. Attempts still count towards the limit.
    public mutating func networkReturned() { step = 0 }

    /// Returns nanoseconds until the next attempt; nil if there is none. The wait counts from the last attempt. A tenth
    /// to a half of the first wait always remains, since all publishers lose a server at the same time.
    /// - Parameters:
    ///   - after: nanoseconds since the connection was attempted; 0 keeps the whole wait.
    ///   - isSilentRefusal: whether the server closed where it decides on the stream, or soon after its yes.
    ///   - jitter: from 0 to 1; makes the wait up to a fifth shorter or longer.
    public mutating func failed(
        _ failure: some ConnectionFailure, isSilentRefusal: Bool = false, after age: Int64 = 0, jitter: Double
    ) -> Int64? {
        guard !failure.isFinal else { return nil }
        if isSilentRefusal, !wasLive {
            refusals += 1
            if refusals >= Self.silentRefusals { return nil }
        }
        if let limit, attempts >= limit { return nil }
        attempts += 1
        step += 1
        var delay = Double(firstDelay)
        // Ten steps reach the longest delay.
        for _ in 1..<min(step, 12) { delay *= 1.5 }
        let spread = 0.4 * min(max(jitter, 0), 1)
        let least = Int64(Double(firstDelay) * (0.1 + spread))
        return max(min(Int64(delay * (0.8 + spread)), Self.longestDelay) - age, least)
    }
}

/// Counts the redirections that were followed.
///
/// Limits how often a server may redirect its publisher. Without a limit, a server could stop the stream for ever.
public struct RedirectLimit: Hashable, Sendable {
    /// The most redirections within `period`.
    public static let count = 3
    /// In nanoseconds.
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
