// Limits how often the viewers of a stream together request a keyframe, since each one costs the recording and every other
// destination bytes. Pure.

struct KeyframeRequestLimit: Sendable {
    /// The least nanoseconds between two requests. Regular keyframes are no further apart.
    static let interval: Int64 = 2_000_000_000

    private var last: Int64?

    /// Whether to request a keyframe, which a viewer needs at `now`.
    mutating func allows(at now: Int64) -> Bool {
        if let last, now - last < Self.interval { return false }
        last = now
        return true
    }
}
