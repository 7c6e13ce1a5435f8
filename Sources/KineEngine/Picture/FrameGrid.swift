// Times of pictures as players and editors count them, in frames of the take's rate: one place for each picture, and at a
// constant rate one picture for each place.
import KineMedia

/// Gives pictures their times in the file. Pure: the caller says when each was captured.
///
/// At a variable rate a picture keeps its own time, except where it would share its nearest frame with the one before: an
/// editor that conforms the file to a constant rate would lose one of the two, and ffmpeg complains of equal times.
/// So a picture moves by up to half a frame. Where each would, because one early picture has pushed all that follow out of
/// their frames, one of them shares a frame after all, and the others are back at their own times.
public struct FrameGrid: Sendable {
    private let framesPerSecond: Int64
    private let isConstant: Bool
    /// The frame of the last picture.
    private var last: Int64?
    /// When the last picture is shown, at a variable rate.
    private var lastTime: MediaTime?
    /// How many pictures in a row were moved by more than a part of a frame.
    private var movesInRow = 0

    private static let mostMovesInRow = 4

    public init(framesPerSecond: Int, isConstant: Bool) {
        self.framesPerSecond = Int64(max(1, framesPerSecond))
        self.isConstant = isConstant
    }

    /// When the picture captured at `time` is shown, and at which times it is shown again, at a constant rate, because
    /// pictures before it were never taken. Times must not decrease.
    public mutating func place(_ time: MediaTime) -> (time: MediaTime, repeats: [MediaTime]) {
        guard isConstant else { return (placeFreely(time), []) }
        guard let last else {
            self.last = 0
            return (.zero, [])
        }
        let frame = max(current(time), last + 1)
        self.last = frame
        return (self.time(of: last + 1), (last + 2..<max(frame + 1, last + 2)).map { self.time(of: $0) })
    }

    /// At a variable rate.
    private mutating func placeFreely(_ time: MediaTime) -> MediaTime {
        guard let last, let lastTime else { return settle(time) }
        guard nearest(time) <= last else {
            movesInRow = 0
            return settle(max(time, start(of: nearest(time))))
        }
        let next = start(of: last + 1)
        let move = (next - time).nanoseconds
        movesInRow = move > frame / 16 ? movesInRow + 1 : 0
        // Farther, and too often, the picture's own time counts for more, but for the order.
        guard move <= frame * 11 / 20, movesInRow <= Self.mostMovesInRow else {
            movesInRow = 0
            return settle(max(time, lastTime + MediaTime(nanoseconds: frame / 4)))
        }
        return settle(next)
    }

    private mutating func settle(_ time: MediaTime) -> MediaTime {
        last = nearest(time)
        lastTime = time
        return time
    }

    /// Nanoseconds.
    private var frame: Int64 { 1_000_000_000 / framesPerSecond }

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

    /// By the file's clock, as its readers see the time; what lies between two frames belongs to the later.
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
