// The seconds before a take, as a state machine without a clock. TakeRun carries out its steps before it starts the
// engine, so nothing is captured meanwhile.

/// Instants are nanoseconds of CLOCK_MONOTONIC.
struct Countdown {
    enum Step: Equatable {
        /// So many seconds are left; call `next` again.
        case show(Int)
        case sleep(until: Int64)
        case begin
    }

    /// The most seconds that a person may ask for.
    static let limit = 60
    private static let second: Int64 = 1_000_000_000

    private let end: Int64
    private var shown = 0

    init(seconds: Int, from now: Int64) { end = now + Int64(seconds) * Self.second }

    mutating func next(at now: Int64) -> Step {
        guard now < end else { return .begin }
        // Rounded up: after half a second of three, three are left.
        let left = Int((end - now + Self.second - 1) / Self.second)
        guard left == shown else {
            shown = left
            return .show(left)
        }
        return .sleep(until: end - Int64(left - 1) * Self.second)
    }
}
