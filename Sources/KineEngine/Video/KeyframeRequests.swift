// Keyframes on request: for sinks that join in the middle, and for sinks that lost frames and have to begin anew. All sinks get
// every keyframe, so their number is limited.

/// Grants at most two keyframes a second to sinks that join, and one in two seconds to sinks that lost frames, all of them
/// together. Pure; instants are nanoseconds of CLOCK_MONOTONIC.
struct KeyframeRequests: Sendable {
    enum Reason: Sendable {
        case joined, lost
    }

    static let interval: Int64 = 1_000_000_000
    static let perInterval = 2
    /// The shortest time between keyframes for lost frames: a destination that always falls behind costs the others no more.
    static let lossInterval: Int64 = 2_000_000_000

    private var asked: Reason?
    /// The instants of the last grants, the oldest first.
    private var granted: [Int64] = []

    /// A sink needs a keyframe. Returns the instant at which a frame has to be encoded for it, even if the screen stands still.
    mutating func ask(_ reason: Reason, at now: Int64) -> Int64 {
        if asked != .joined { asked = reason }
        return earliest(now)
    }

    /// Whether the frame that is encoded now is to be a keyframe because a sink asked. It then answers all requests.
    mutating func grant(at now: Int64) -> Bool {
        guard asked != nil, now >= earliest(now) else { return false }
        asked = nil
        granted.append(now)
        if granted.count > Self.perInterval { granted.removeFirst() }
        return true
    }

    /// Called for a keyframe made for any reason: it serves the sinks that asked as well.
    mutating func answer() { asked = nil }

    private func earliest(_ now: Int64) -> Int64 {
        switch asked {
        case .lost: max(now, granted.last.map { $0 + Self.lossInterval } ?? now)
        case .joined, nil: granted.count < Self.perInterval ? now : max(now, granted[0] + Self.interval)
        }
    }
}
