// The choice of the keys that are shown, and the question whether what is typed may be seen.
import Glibc

/// The keys that are shown at the bottom of the frames.
public struct KeyDisplay: Sendable {
    public enum Keys: Sendable {
        /// Combinations with Ctrl, Alt or Super, function keys and Esc.
        case shortcuts
        /// Typed keys too, as far as they may be seen.
        case all
    }

    public var keys: Keys
    /// Makes the inspector, on the thread that uses it; nil: nothing that is typed is shown.
    public var inspector: @Sendable () -> (any FocusInspector)?
    /// Nanoseconds for which a badge is whole before it fades.
    public var hold: Int64

    /// Long enough to be read.
    public static let defaultHold: Int64 = 1_500_000_000

    public init(
        _ keys: Keys, hold: Int64 = defaultHold, inspector: @escaping @Sendable () -> (any FocusInspector)? = { nil }
    ) {
        self.keys = keys
        self.hold = hold
        self.inspector = inspector
    }
}

/// Knows the object in which the keyboard's focus is: a text field, a password field. Used on one thread, which polls.
public protocol FocusInspector: AnyObject {
    var pollEntries: [pollfd] { get }
    /// The latest instant to call `process`, nanoseconds of CLOCK_MONOTONIC; nil: not before poll returns.
    var nextDeadline: Int64? { get }
    /// Called whenever another object gets the focus, or may get it.
    var focusMoved: () -> Void { get set }
    /// Sends and receives without waiting, and calls `focusMoved` and answers.
    func process()
    /// Asks for the focused object of a process, now. The answer names the object if what is typed there may be seen by anyone; nil:
    /// it may not, or is not known. It may come late or never.
    func ask(process: Int32, answer: @escaping (String?) -> Void)
}

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
