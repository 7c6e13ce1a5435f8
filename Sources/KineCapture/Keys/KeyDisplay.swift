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
