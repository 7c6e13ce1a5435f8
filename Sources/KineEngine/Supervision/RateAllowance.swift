// The limit on what another program may do often: messages that reach a terminal, changes of the clipboard, notifications.

/// Allows `most` at once, then one after each interval. Instants and the interval are nanoseconds.
struct RateAllowance: Sendable, Equatable {
    private let most: Int64
    private let interval: Int64
    /// The instant at which all of `most` is allowed again.
    private var full = Int64.min / 2

    init(most: Int64, interval: Int64) { (self.most, self.interval) = (most, interval) }

    /// The next is allowed from this instant on.
    var next: Int64 { full - (most - 1) * interval }

    mutating func consume(at now: Int64) -> Bool {
        guard next <= now else { return false }
        full = max(full, now) + interval
        return true
    }
}
