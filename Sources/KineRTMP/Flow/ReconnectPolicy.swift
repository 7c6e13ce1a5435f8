// When to connect again: soon, then later and later, never all at once with every other publisher of a server that restarts.

/// Counts failed connections. Pure: the caller brings the chance.
public struct ReconnectPolicy: Sendable, Hashable {
    /// Nanoseconds before the first attempt; every further one waits half as long again.
    public static let firstDelay: Int64 = 1_000_000_000
    /// The longest wait, in nanoseconds.
    public static let longestDelay: Int64 = 30_000_000_000
    /// A server that closes as often as this at the stream's name, and never took it, does not know the key.
    public static let silentRefusals = 3

    /// Attempts in a row before it is given up; nil: for as long as the take runs.
    public let limit: Int?
    private let firstDelay: Int64
    /// Attempts since the stream was live last, and stayed so.
    public private(set) var attempts = 0
    /// Attempts since the waits began with the first again.
    private var step = 0
    private var refusals = 0
    private var wasLive = false

    /// `firstDelay`: nanoseconds, in place of the usual wait.
    public init(limit: Int? = nil, firstDelay: Int64 = Self.firstDelay) {
        self.limit = limit
        self.firstDelay = firstDelay
    }

    /// The server has taken the stream: it knows the key. Some say so and close a moment later, so the attempts count on.
    public mutating func accepted() {
        refusals = 0
        wasLive = true
    }

    /// The stream is live, and stays so.
    public mutating func connected() {
        accepted()
        attempts = 0
        step = 0
    }

    /// A network came back: the waits begin with the first again. The limit is for attempts, whatever lies between them.
    public mutating func networkReturned() { step = 0 }

    /// What follows a connection's end: nanoseconds to wait, or nil: it is over. The waits keep attempts apart; where the
    /// last is longer ago, the next follows after a tenth to a half of the first wait, spread so widely because all of a
    /// server's publishers lose it in one instant.
    /// - Parameters:
    ///   - after: nanoseconds since the connection was attempted; 0 keeps the whole wait.
    ///   - atStreamName: the connection ended when the server had been told the stream's name.
    ///   - chance: from 0 to 1; a fifth less or more is waited accordingly.
    public mutating func failed(
        _ failure: PublishFailure, atStreamName: Bool = false, after age: Int64 = 0, chance: Double
    ) -> Int64? {
        guard !failure.isFinal else { return nil }
        if atStreamName, !wasLive {
            refusals += 1
            if refusals >= Self.silentRefusals { return nil }
        }
        if let limit, attempts >= limit { return nil }
        attempts += 1
        step += 1
        var delay = Double(firstDelay)
        // Ten steps reach the longest delay.
        for _ in 1..<min(step, 12) { delay *= 1.5 }
        let spread = 0.4 * min(max(chance, 0), 1)
        let least = Int64(Double(firstDelay) * (0.1 + spread))
        return max(min(Int64(delay * (0.8 + spread)), Self.longestDelay) - age, least)
    }
}
