// Decides whether an extension uses too much memory. Pure.
import KineWire

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
