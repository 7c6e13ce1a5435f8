// The clocks of a take. Linux: CLOCK_MONOTONIC stops in suspend and CLOCK_BOOTTIME does not; their difference is how
// long the machine has slept.
import CLinux
import Glibc

public enum MonotonicClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public static func now() -> Int64 { read(CLOCK_MONOTONIC) }

    /// Nanoseconds that the machine has spent suspended since it started.
    public static func suspended() -> Int64 { read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
