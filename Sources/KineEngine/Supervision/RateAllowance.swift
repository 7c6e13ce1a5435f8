// The limit on what an extension may do often: messages that reach a terminal, changes of the clipboard.

/// Allows `most` at once, then `perSecond`.
struct RateAllowance: Sendable, Equatable {
    private let most: Double
    private let perSecond: Double
    private var left: Double
    private var last: Int64?

    init(most: Double, perSecond: Double) {
        self.most = most
        self.perSecond = perSecond
        left = most
    }

    mutating func consume(at now: Int64) -> Bool {
        if let last { left = min(most, left + Double(now - last) / 1e9 * perSecond) }
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
