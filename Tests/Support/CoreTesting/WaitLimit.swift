// How long a test waits for what has to happen.
import KinePlatform

package enum WaitLimit {
    /// Seconds; only a failing test waits so long. `scripts/sanitize` multiplies them by `KINECAST_WAIT_FACTOR`.
    package static let seconds = 60 * (ProcessEnvironment.value("KINECAST_WAIT_FACTOR").flatMap(Double.init) ?? 1)
    package static let nanoseconds = Int64(seconds * 1e9)

    /// The instant at which a wait that begins now has failed (CLOCK_MONOTONIC).
    package static func deadline() -> Int64 { MonotonicClock.now() + nanoseconds }
}
