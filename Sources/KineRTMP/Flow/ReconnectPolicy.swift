// When to connect again: soon, then later and later, never all at once with every other publisher of a server that restarts.

/// Counts failed connections. Pure: the caller brings the chance.
public struct ReconnectPolicy: Sendable, Equatable {
    /// Nanoseconds before the first attempt; every further one waits half as long again.
    public static let firstDelay: Int64 = 1_000_000_000
    /// The longest wait, in nanoseconds.
    public static let longestDelay: Int64 = 30_000_000_000
    /// A server that closes as often as this at the stream's name, and never took it, does not know the key.
    public static let silentRefusals = 3

    /// Attempts in a row before it is given up; nil: for as long as the take runs.
    public let limit: Int?
    private let firstDelay: Int64
    /// Attempts since the stream was live last.
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

    /// The stream is live.
    public mutating func connected() {
        attempts = 0
        step = 0
        refusals = 0
        wasLive = true
    }

    /// A network came back: the waits begin with the first again. The limit is for attempts, whatever lies between them.
    public mutating func networkReturned() { step = 0 }

    /// What follows a connection's end: nanoseconds to wait, or nil: it is over.
    /// - Parameters:
    ///   - atStreamName: the connection ended when the server had been told the stream's name.
    ///   - chance: from 0 to 1; a fifth less or more is waited accordingly.
    public mutating func failed(_ failure: PublishFailure, atStreamName: Bool = false, chance: Double) -> Int64? {
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
        return min(Int64(delay * (0.8 + 0.4 * min(max(chance, 0), 1))), Self.longestDelay)
    }
}
