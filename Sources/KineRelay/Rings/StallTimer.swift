// Times a receiver that does not move although something waits for it, by the sender's own clock. Pure.

struct StallTimer: Equatable {
    /// The receiver has not moved since, though something waits: CLOCK_MONOTONIC, nanoseconds; nil: nothing waits.
    private(set) var since: Int64?
    private var progress: UInt64 = 0

    mutating func update(isWaiting: Bool, progress: UInt64, now: Int64) {
        if !isWaiting {
            since = nil
        } else if since == nil || progress != self.progress {
            since = now
        }
        self.progress = progress
    }
}
