// The keys to show, and the check whether typed text may be visible.
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
