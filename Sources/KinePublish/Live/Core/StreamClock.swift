// How far a stream is: from when its samples come, the instant of the take that it is now. Viewers are told, so that they can
// say how late they see it. Pure.

/// The take's timeline beside a clock of the server. All in nanoseconds.
struct StreamClock {
    /// Samples that come late say nothing; the one that came soonest in the last one or two of these does.
    private static let window: Int64 = 4_000_000_000
    /// A change that viewers are told of.
    private static let tolerance: Int64 = 20_000_000

    private var windowStart = Int64.min / 2
    private var current: Int64?
    private var before: Int64?

    /// By how much the take's timeline is ahead of the clock; nil before the first sample.
    var ahead: Int64? { [current, before].compactMap { $0 }.max() }

    /// A sample with that presentation time came at `now`.
    mutating func note(_ presentationTime: Int64, at now: Int64) {
        if now - windowStart >= Self.window {
            // After a silence as long as a window, what was before says nothing any more.
            before = now - windowStart >= 2 * Self.window ? nil : current
            current = nil
            windowStart = now
        }
        current = max(current ?? .min, presentationTime - now)
    }

    /// In a pause the timeline stands, and what was known of it is wrong afterwards.
    mutating func reset() { self = StreamClock() }

    /// Whether two states of it differ by more than what viewers need not know.
    static func differ(_ a: Int64?, _ b: Int64?) -> Bool {
        guard let a, let b else { return (a == nil) != (b == nil) }
        return abs(a - b) > tolerance
    }
}
