// Keyframes that somebody asks for: who joins in the middle, or lost pictures and has to begin anew. Everybody gets every
// keyframe, so they must not become many.

/// Grants what is asked for at most twice a second. Pure; instants are nanoseconds of CLOCK_MONOTONIC.
struct KeyframeRequests: Sendable {
    static let interval: Int64 = 1_000_000_000
    static let perInterval = 2

    private var isAsked = false
    /// When the last ones were granted, the oldest first.
    private var granted: [Int64] = []

    /// Somebody needs a keyframe. Returns when a picture has to be encoded for it, although the screen may stand still.
    mutating func ask(at now: Int64) -> Int64 {
        isAsked = true
        return earliest(now)
    }

    /// Whether the picture that is encoded now is to be a keyframe because somebody asked. It then is the answer to all.
    mutating func take(at now: Int64) -> Bool {
        guard isAsked, now >= earliest(now) else { return false }
        isAsked = false
        granted.append(now)
        if granted.count > Self.perInterval { granted.removeFirst() }
        return true
    }

    /// A keyframe came for another reason, and serves those who asked as well.
    mutating func cameByItself() { isAsked = false }

    private func earliest(_ now: Int64) -> Int64 {
        granted.count < Self.perInterval ? now : max(now, granted[0] + Self.interval)
    }
}
