// Where decoding can begin: keyframes by time, because the number of pictures says nothing at a variable frame rate.
import KineMedia

/// Says which pictures must be keyframes. Pure.
public struct KeyframePolicy: Sendable {
    private var interval: MediaTime
    private let frames: Int?
    private var last: MediaTime?
    private var framesSince = 0

    /// `interval`: the longest time between keyframes while the picture changes. `frames`: or the most pictures.
    public init(interval: MediaTime, frames: Int?) {
        self.interval = interval
        self.frames = frames
    }

    /// From now on keyframes are at most so far apart.
    public mutating func shorten(to interval: MediaTime) { self.interval = min(self.interval, interval) }

    /// Whether the picture at `time` has to be a keyframe. Call once for each picture, in order. `isForced`: it will be one
    /// in any case, and the next is counted from it.
    public mutating func needsKeyframe(at time: MediaTime, isForced: Bool = false) -> Bool {
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
