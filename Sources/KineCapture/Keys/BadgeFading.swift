// The time for which a badge is seen. Pure.

/// A badge by its age: whole, then paler step by step, then gone.
enum BadgeFading: Equatable {
    case whole
    /// From 1 to `steps` - 1.
    case paler(Int)
    case gone

    /// Nanoseconds for each step.
    static let stepLength: Int64 = 33_333_333
    static let steps = 10

    /// A badge at the instant `now` that is whole for `hold` nanoseconds from `since` on.
    init(shownSince since: Int64, hold: Int64, at now: Int64) {
        guard now - since >= hold else {
            self = .whole
            return
        }
        let step = 1 + Int((now - since - hold) / Self.stepLength)
        self = step < Self.steps ? .paler(step) : .gone
    }

    /// From 0 to 1; nil: it is gone.
    var opacity: Double? {
        switch self {
        case .whole: 1
        case .paler(let step): 1 - Double(step) / Double(Self.steps)
        case .gone: nil
        }
    }

    /// The instant at which it becomes another; nil: never.
    func end(shownSince since: Int64, hold: Int64) -> Int64? {
        switch self {
        case .whole: since + hold
        case .paler(let step): since + hold + Int64(step) * Self.stepLength
        case .gone: nil
        }
    }
}
