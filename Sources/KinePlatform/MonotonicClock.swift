// The clock of a take. Linux: it stops while the machine is suspended.
import Glibc

public enum MonotonicClock {
    /// Nanoseconds of CLOCK_MONOTONIC.
    public static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
