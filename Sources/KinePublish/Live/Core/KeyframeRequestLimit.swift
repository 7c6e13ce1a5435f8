// Limits how often the viewers of a stream together request a keyframe: each one costs the recording and every other destination
// bytes. Pure.

struct KeyframeRequestLimit: Sendable {
    /// Nanoseconds between two requests at least: regular keyframes are no further apart.
    static let interval: Int64 = 2_000_000_000

    private var last: Int64?

    /// A viewer needs a keyframe at that instant. Returns whether to request one.
    mutating func allows(at now: Int64) -> Bool {
        if let last, now - last < Self.interval { return false }
        last = now
        return true
    }
}
