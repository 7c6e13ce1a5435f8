// The pace at which a file that stands in for a camera gives its frames. Pure.

/// The instants at which the frames of a file are due.
struct CameraPace {
    /// The first frame's, and its time in the file.
    private var begin: (instant: Int64, time: Int64)?
    private var last: (instant: Int64, time: Int64)?

    /// Of a frame whose time is not known.
    private static let interval: Int64 = 33_333_333
    private static let longestGap: Int64 = 10_000_000_000

    /// The file is read from its beginning again. A file of one frame gives it at no higher rate than others.
    mutating func restart() { begin = nil }

    /// The instant of the next frame, of CLOCK_MONOTONIC as `now`. `time`: the frame's in its file; nil: not known.
    mutating func instant(of time: Int64?, now: Int64) -> Int64 {
        let time = time ?? (last.map { $0.time + Self.interval } ?? 0)
        var due = max(now, last.map { $0.instant + Self.interval } ?? now)
        // Where a time leaps, or the machine has slept, the pace starts again with this frame.
        if let begin, let last, time >= last.time, time - last.time < Self.longestGap,
            begin.instant + time - begin.time > now - 1_000_000_000
        {
            due = begin.instant + time - begin.time
        } else {
            begin = (due, time)
        }
        last = (due, time)
        return due
    }
}
