// Decides whether a destination is live, from the reports of all processes of an extension in one take. Pure.
import KineWire

/// An extension that never reports liveness counts as live once its `broadcastStarted` has returned.
struct Liveness: Sendable, Equatable {
    /// The last report of the current process, if any.
    private var said: Bool?
    private var hasStarted = false
    /// The destination was live at some moment of this take.
    private(set) var hasBeenLive = false
    /// A client has removed the destination from the take.
    var isRemoved = false
    /// The reason why it is not live, from the extension.
    private(set) var problem: String?

    mutating func processLaunched() { (said, hasStarted) = (nil, false) }

    mutating func started() {
        hasStarted = true
        note()
    }

    /// A report without a reason keeps the previous reason.
    mutating func update(isLive: Bool, reason: String?) {
        said = isLive
        problem = isLive ? nil : reason ?? problem
        note()
    }

    private var isLive: Bool { hasStarted && said ?? true }

    private mutating func note() { if isLive { hasBeenLive = true } }

    /// The phase of a destination that runs and is not paused.
    var phase: DestinationPhase { isLive ? .live : hasBeenLive ? .reconnecting : .starting }

    /// The ending of a destination that ended with the take and without a fault.
    var ending: DestinationEnding {
        if hasBeenLive { return .finished }
        return .failed(
            problem.map { "It was never live; the last reason: \($0)" }
                ?? (isRemoved
                    ? "It was never live: it was removed before the broadcast had begun there."
                    : "It was never live: the take ended before the broadcast had begun there."))
    }
}

/// The memory of one process and its descendants, in bytes.
struct MemoryWatch: Sendable, Equatable {
    enum Verdict: Sendable, Equatable {
        case fits
        /// Above 80 % of the limit. Returned once, and again after it fell below 70 %.
        case isNearLimit
        case exceedsLimit
    }

    private let limit: Int
    private var peak = 0
    private var hasWarned = false

    init(limit: Int) { self.limit = limit }

    var ending: DestinationEnding { .memoryLimitExceeded(peak: peak, limit: limit) }

    mutating func measured(_ resident: Int) -> Verdict {
        peak = max(peak, resident)
        if resident > limit { return .exceedsLimit }
        // Compares by multiplication: limits are small enough not to overflow.
        if resident * 100 < limit * 70 { hasWarned = false }
        guard resident * 100 > limit * 80, !hasWarned else { return .fits }
        hasWarned = true
        return .isNearLimit
    }

    /// The kernel ended it at this many bytes.
    mutating func capped(at resident: Int) { peak = max(peak, resident) }
}

/// Allows `most` at once, then one after each interval. Instants and the interval are nanoseconds.
///
/// Limits how often another program may write to a terminal, change the clipboard, or post a notification.
package struct RateAllowance: Sendable, Equatable {
    private let most: Int64
    private let interval: Int64
    /// The instant at which `most` are allowed again.
    private var full = Int64.min / 2

    package init(most: Int64, interval: Int64) { (self.most, self.interval) = (most, interval) }

    /// The instant from which the next use is allowed.
    package var next: Int64 { full - (most - 1) * interval }

    package mutating func consume(at now: Int64) -> Bool {
        guard next <= now else { return false }
        full = max(full, now) + interval
        return true
    }
}
