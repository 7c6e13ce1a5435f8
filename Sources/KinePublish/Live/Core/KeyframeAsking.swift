// How often the viewers of a stream together ask for a keyframe: each costs the recording and every other destination bytes. Pure.

struct KeyframeAsking: Sendable {
    /// The least time between two requests, in nanoseconds: regular keyframes are no farther apart.
    static let interval: Int64 = 2_000_000_000

    private var last: Int64?

    /// A viewer needs a keyframe at that instant; whether it is to be asked for.
    mutating func asks(at now: Int64) -> Bool {
        if let last, now - last < Self.interval { return false }
        last = now
        return true
    }
}
