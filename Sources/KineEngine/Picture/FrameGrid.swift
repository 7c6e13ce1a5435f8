// Times of pictures as players and editors count them, in frames of the take's rate: one place for each picture, and at a
// constant rate one picture for each place.
import KineMedia

/// Gives pictures their times in the file. Pure: the caller says when each was captured.
///
/// At a variable rate a picture keeps its own time, except where it would share its nearest frame with the one before: an
/// editor that conforms the file to a constant rate would lose one of the two, and ffmpeg complains of equal times.
/// `FramePacer` lets a picture make up for half a frame; it moves by no more.
public struct FrameGrid: Sendable {
    private let framesPerSecond: Int64
    private let isConstant: Bool
    /// The frame of the last picture.
    private var last: Int64?

    public init(framesPerSecond: Int, isConstant: Bool) {
        self.framesPerSecond = Int64(max(1, framesPerSecond))
        self.isConstant = isConstant
    }

    /// When the picture captured at `time` is shown, and at which times it is shown again, at a constant rate, because
    /// pictures before it were never taken. Times must not decrease.
    public mutating func place(_ time: MediaTime) -> (time: MediaTime, repeats: [MediaTime]) {
        guard let last else {
            self.last = isConstant ? 0 : nearest(time)
            return (isConstant ? .zero : time, [])
        }
        guard isConstant else {
            let frame = nearest(time)
            let next = start(of: last + 1)
            // Farther than the pacer can have let it, the picture's own time counts for more.
            guard frame <= last, (next - time).nanoseconds * framesPerSecond <= 550_000_000 else {
                self.last = frame
                return (max(time, start(of: frame)), [])
            }
            self.last = last + 1
            return (next, [])
        }
        let frame = max(current(time), last + 1)
        self.last = frame
        return (self.time(of: last + 1), (last + 2..<max(frame + 1, last + 2)).map { self.time(of: $0) })
    }

    /// At a constant rate, when the next picture should be taken; nil at a variable one.
    public var next: MediaTime? { isConstant ? last.map { self.time(of: $0 + 1) } : nil }

    /// When the last picture ends in a take that ends at `time`.
    public func end(_ time: MediaTime) -> MediaTime {
        guard isConstant, let last else { return time }
        return self.time(of: max(current(time), last) + 1)
    }

    private func time(of frame: Int64) -> MediaTime {
        MediaTime(nanoseconds: (frame * 1_000_000_000 + framesPerSecond / 2) / framesPerSecond)
    }

    /// By the file's clock, as those who read it see the time; what lies between two frames belongs to the later.
    private func nearest(_ time: MediaTime) -> Int64 {
        (2 * time.ticks(timescale: 90000) * framesPerSecond + 90000) / 180_000
    }

    /// The first instant that is nearest to `frame`, and a tick of the file's clock more: programs differ about halves.
    private func start(of frame: Int64) -> MediaTime {
        MediaTime(nanoseconds: (2 * frame - 1) * 1_000_000_000 / (2 * framesPerSecond) + 12_000)
    }

    /// The frame that lasts at `time`, which may be a nanosecond short of the frame's exact beginning.
    private func current(_ time: MediaTime) -> Int64 { (time.nanoseconds + 1) * framesPerSecond / 1_000_000_000 }
}
