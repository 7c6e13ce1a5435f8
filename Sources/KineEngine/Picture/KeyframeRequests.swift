// Keyframes that somebody asks for: who joins in the middle, or lost pictures and has to begin anew. Everybody gets every
// keyframe, so they must not become many.

/// Grants readers that join at most two a second, and readers that lost pictures one in two seconds, all of them together. Pure;
/// instants are nanoseconds of CLOCK_MONOTONIC.
struct KeyframeRequests: Sendable {
    enum Reason: Sendable {
        case joined, lost
    }

    static let interval: Int64 = 1_000_000_000
    static let perInterval = 2
    /// A destination that always falls behind costs the others no more than this.
    static let lossInterval: Int64 = 2_000_000_000

    private var asked: Reason?
    /// When the last ones were granted, the oldest first.
    private var granted: [Int64] = []

    /// Somebody needs a keyframe. Returns when a picture has to be encoded for it, although the screen may stand still.
    mutating func ask(_ reason: Reason, at now: Int64) -> Int64 {
        if asked != .joined { asked = reason }
        return earliest(now)
    }

    /// Whether the picture that is encoded now is to be a keyframe because somebody asked. It then is the answer to all.
    mutating func take(at now: Int64) -> Bool {
        guard asked != nil, now >= earliest(now) else { return false }
        asked = nil
        granted.append(now)
        if granted.count > Self.perInterval { granted.removeFirst() }
        return true
    }

    /// A keyframe came for another reason, and serves the readers that asked as well.
    mutating func cameByItself() { asked = nil }

    private func earliest(_ now: Int64) -> Int64 {
        switch asked {
        case .lost: max(now, granted.last.map { $0 + Self.lossInterval } ?? now)
        case .joined, nil: granted.count < Self.perInterval ? now : max(now, granted[0] + Self.interval)
        }
    }
}
