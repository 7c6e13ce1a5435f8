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

    /// From now on keyframes are at most so far apart.
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
