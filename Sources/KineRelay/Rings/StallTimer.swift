// For how long an extension has not moved although something waits for it, by the engine's own clock.

/// Pure: it is shown, as often as somebody looks, whether anything waits and how far the extension has come.
struct HoldWatch: Equatable {
    /// CLOCK_MONOTONIC, nanoseconds, at which what waits began to wait; nil: nothing does.
    private(set) var since: Int64?
    private var progress: UInt64 = 0

    mutating func note(isWaiting: Bool, progress: UInt64, now: Int64) {
        if !isWaiting {
            since = nil
        } else if since == nil || progress != self.progress {
            since = now
        }
        self.progress = progress
    }
}
