// Estimates the take's current time from the arrival of samples. Viewers are told, so that the page can show its delay. Pure.

/// The take's timeline beside a clock of the server. All in nanoseconds.
struct StreamClock {
    /// The estimate comes from the sample with the least delay in the last one or two windows.
    private static let window: Int64 = 4_000_000_000
    /// Viewers are told of larger changes.
    private static let tolerance: Int64 = 20_000_000

    private var windowStart = Int64.min / 2
    private var current: Int64?
    private var before: Int64?

    /// The time by which the take's timeline is ahead of the clock; nil before the first sample.
    var ahead: Int64? { [current, before].compactMap { $0 }.max() }

    /// Notes that a sample with this presentation time arrived at `now`.
    mutating func note(_ presentationTime: Int64, at now: Int64) {
        if now - windowStart >= Self.window {
            // After a silence as long as a window, the older value no longer counts.
            before = now - windowStart >= 2 * Self.window ? nil : current
            current = nil
            windowStart = now
        }
        current = max(current ?? .min, presentationTime - now)
    }

    /// Call for a pause: the timeline stops, so the estimate is wrong afterwards.
    mutating func reset() { self = StreamClock() }

    /// Whether viewers have to be told of the difference between two values of `ahead`.
    static func differ(_ a: Int64?, _ b: Int64?) -> Bool {
        guard let a, let b else { return (a == nil) != (b == nil) }
        return abs(a - b) > tolerance
    }
}
