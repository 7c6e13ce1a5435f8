// Limits how often something may happen. Pure.

/// Allows `most` at once, then one after each interval. Instants and the interval are nanoseconds.
///
/// Limits how often another program may write to a terminal, change the clipboard, or post a notification.
package struct RateAllowance: Sendable, Equatable {
    private let most: Int64
    private let interval: Int64
    /// The instant at which `most` are allowed again.
    private var full = Int64.min / 2

    package init(most: Int64, interval: Int64) { (self.most, self.interval) = (most, interval) }

    /// The instant from which the next use is allowed.
    package var next: Int64 { full - (most - 1) * interval }

    package mutating func consume(at now: Int64) -> Bool {
        guard next <= now else { return false }
        full = max(full, now) + interval
        return true
    }
}
