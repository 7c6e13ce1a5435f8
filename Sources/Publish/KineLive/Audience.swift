// The viewers of a stream, counted apart from how they are served. Pure.

/// How many viewers a stream has, and how often they request keyframes.
package struct Audience: Sendable {
    /// One viewer. `join` returns it, and `leave` takes it.
    package struct Member: Equatable, Sendable {
        fileprivate let generation: Int
    }

    /// The number of viewers.
    package private(set) var count = 0
    /// Counts how often all viewers have been dismissed.
    private var generation = 0
    private var lastKeyframeRequest: Int64?

    /// The minimum nanoseconds between two keyframes that viewers request. Regular keyframes are no further apart.
    private static let keyframeInterval: Int64 = 2_000_000_000

    package init() {}

    package mutating func join() -> Member {
        count += 1
        return Member(generation: generation)
    }

    /// Call this once for each member. It changes nothing after a dismissal.
    package mutating func leave(_ member: Member) {
        if includes(member) { count -= 1 }
    }

    /// False for a member who was dismissed.
    package func includes(_ member: Member) -> Bool { member.generation == generation }

    /// Counts none of the present viewers any more.
    package mutating func dismissAll() {
        generation += 1
        count = 0
    }

    /// Whether to request a keyframe that a viewer needs at `now`, in nanoseconds. All viewers together request few, since
    /// each one costs the recording and every other destination bytes.
    package mutating func allowsKeyframeRequest(at now: Int64) -> Bool {
        if let lastKeyframeRequest, now - lastKeyframeRequest < Self.keyframeInterval { return false }
        lastKeyframeRequest = now
        return true
    }
}
