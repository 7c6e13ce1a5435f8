// Keyframes by time, because the number of frames says nothing at a variable frame rate.
import KineMedia

/// Decides which frames must be keyframes. Pure.
struct KeyframePolicy: Sendable {
    private var interval: MediaTime
    private let frames: Int?
    private var last: MediaTime?
    private var framesSince = 0

    /// `interval`: the longest time between keyframes while the screen changes. `frames`: the most frames from one to the next;
    /// nil: no limit.
    init(interval: MediaTime, frames: Int?) {
        self.interval = interval
        self.frames = frames
    }

    /// Limits the time between keyframes from now on.
    mutating func shorten(to interval: MediaTime) { self.interval = min(self.interval, interval) }

    /// Whether the frame at `time` has to be a keyframe. Call once for each frame, in order. `isForced`: it is one in any case,
    /// and the next is counted from it.
    mutating func needsKeyframe(at time: MediaTime, isForced: Bool = false) -> Bool {
        framesSince += 1
        let due: Bool
        if let last {
            due = isForced || time - last >= interval || frames.map { framesSince >= $0 } ?? false
        } else {
            due = true
        }
        if due {
            last = time
            framesSince = 0
        }
        return due
    }
}

/// Grants at most two keyframes a second to sinks that join, and one in two seconds to sinks that lost frames, all of them
/// together. Pure; instants are nanoseconds of CLOCK_MONOTONIC.
///
/// Keyframes on request: for sinks that join in the middle, and for sinks that lost frames and have to begin anew. All sinks get
/// every keyframe, so their number is limited.
package struct KeyframeRequests: Sendable {
    package enum Reason: Sendable {
        case joined, lost
    }

    static let interval: Int64 = 1_000_000_000
    static let perInterval = 2
    /// The shortest time between keyframes for lost frames, so that one slow destination costs the others no more.
    static let lossInterval: Int64 = 2_000_000_000

    private var asked: Reason?
    /// The instants of the last grants, the oldest first.
    private var granted: [Int64] = []

    /// Requests a keyframe. Returns the instant at which a frame must be encoded, even if the screen stands still.
    mutating func ask(_ reason: Reason, at now: Int64) -> Int64 {
        if asked != .joined { asked = reason }
        return earliest(now)
    }

    /// Whether the frame being encoded must be a keyframe because a sink asked. That keyframe answers all requests.
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

/// Whether a sink lacks frames, and whether the keyframe that ends the gap was asked for. Pure.
///
/// Frames after the lost ones cannot be decoded before the next keyframe.
enum DecodingGap: Sendable {
    case none
    case unasked
    case asked

    /// True on the first call after a loss: the caller asks for a keyframe. False on later calls.
    mutating func consumeKeyframeRequest() -> Bool {
        guard self == .unasked else { return false }
        self = .asked
        return true
    }
}
