// The keys to show, and the check whether typed text may be visible.
import Glibc
import KineMedia
import KinePlatform

/// The keys that are shown at the bottom of the frames.
public struct KeyDisplay: Sendable {
    public var keys: TakeConfiguration.ShownKeys
    /// Makes the inspector, on the thread that uses it; nil: typed keys are not shown.
    public var inspector: @Sendable () -> (any FocusInspector)?
    /// Nanoseconds before a badge starts to fade.
    public var hold: Int64

    public static let defaultHold: Int64 = 1_500_000_000

    public init(
        _ keys: TakeConfiguration.ShownKeys, hold: Int64 = defaultHold,
        inspector: @escaping @Sendable () -> (any FocusInspector)? = { nil }
    ) {
        self.keys = keys
        self.hold = hold
        self.inspector = inspector
    }
}

/// Knows the object with the keyboard focus: a text field, a password field. Used on one thread, which polls.
public protocol FocusInspector: AnyObject, PollSource {
    /// Called whenever another object gets the focus, or may get it.
    var focusMoved: () -> Void { get set }
    /// Sends and receives without waiting; calls `focusMoved` and the answers.
    func process()
    /// Asks for the focused object of a process. The answer names the object if its typed text may be visible; nil: it
    /// may not, or is unknown. The answer may come late or never.
    func ask(process: Int32, answer: @escaping (String?) -> Void)
}

/// The state of a badge by its age: opaque, then fading in steps, then gone.
enum BadgeFading: Equatable {
    case whole
    /// From 1 to `steps` - 1.
    case paler(Int)
    case gone

    /// Nanoseconds for each step.
    static let stepLength: Int64 = 33_333_333
    static let steps = 10

    /// The state at `now` of a badge that is opaque for `hold` nanoseconds from `since` on.
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

    /// The time of the next change; nil: never.
    func end(shownSince since: Int64, hold: Int64) -> Int64? {
        switch self {
        case .whole: since + hold
        case .paler(let step): since + hold + Int64(step) * Self.stepLength
        case .gone: nil
        }
    }
}
