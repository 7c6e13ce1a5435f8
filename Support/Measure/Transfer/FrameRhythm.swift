// A sender's loop: frames at even instants, and none made up for where the way is too slow.
import Glibc
import KinePlatform

public enum FrameRhythm {
    /// Calls `body` with 0, 1, 2 … at even instants for `seconds`. A frame whose turn is over before the last call has
    /// returned is left out, as every sender does that is still busy with the one before. Returns how many were left out,
    /// and what this process was on a processor for during the calls: sleeping until the next instant is no sender's own.
    public static func run(
        framesPerSecond: Int, seconds: Double, _ body: (_ frame: Int) throws -> Void
    ) rethrows -> (skipped: Int, processorNanoseconds: Int64) {
        let interval = 1_000_000_000 / Int64(framesPerSecond)
        let start = MonotonicClock.now() + interval
        var skipped = 0
        var processor: Int64 = 0
        for frame in 0..<Int(seconds * Double(framesPerSecond)) {
            let due = start + Int64(frame) * interval
            guard MonotonicClock.now() < due + interval else {
                skipped += 1
                continue
            }
            sleep(until: due)
            let before = KineMeasure.processorNanoseconds()
            try body(frame)
            processor += KineMeasure.processorNanoseconds() - before
        }
        return (skipped, processor)
    }

    /// CLOCK_MONOTONIC so many seconds from now, in nanoseconds.
    public static func instant(after seconds: Double) -> Int64 { MonotonicClock.now() + Int64(seconds * 1e9) }

    /// Until CLOCK_MONOTONIC reaches `instant` (nanoseconds).
    public static func sleep(until instant: Int64) {
        var time = timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
    }
}

/// Nanoseconds that this process has been on a processor, all threads together.
public func processorNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
