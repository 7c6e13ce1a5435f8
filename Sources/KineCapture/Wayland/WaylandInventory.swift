// What of a Wayland session can be recorded, for lists and checks.
import KineMedia
import KinePlatform

/// The outputs of a compositor, and whether it lets its clients copy them.
public struct WaylandInventory: Sendable {
    public var outputs: [WaylandOutput]
    public var hasScreencopy: Bool

    /// Nanoseconds that the compositor has for its answers.
    private static let patience: Int64 = 3_000_000_000

    /// Asks the compositor of that name, and waits for its answers.
    public init(display: String) throws(VideoSourceError) {
        let screen = try WaylandScreen(display: display)
        let deadline = MonotonicClock.now() + Self.patience
        // Its globals, and then its outputs' properties.
        for _ in 0..<2 {
            guard screen.connection.waitForAnswers(until: deadline) else {
                throw screen.connection.isBroken ? .compositorLost : .compositorSilent
            }
        }
        outputs = screen.outputs.all
        hasScreencopy = screen.globals != nil
    }
}
