// What of a Wayland session can be recorded, for lists and checks.
import KineCapture
import KineMedia
import KinePlatform

/// The outputs of a compositor, and how it lets its clients copy them.
public struct WaylandInventory: Sendable {
    public var outputs: [WaylandOutput]
    /// Nil: this compositor's screens cannot be copied.
    public var copyProtocol: WaylandCopyProtocol?
    /// The compositor, by the protocols that only it has; nil: not known.
    public var compositor: String?

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
        copyProtocol = screen.copyProtocol
        compositor = Self.compositor(with: screen.interfaces)
    }

    /// The output of that name; case does not matter. Throws where there is none.
    public func output(named name: String) throws(VideoSourceError) -> WaylandOutput {
        try WaylandLayout.output(named: name, on: outputs)
    }

    /// A protocol has its author's name in front. wlroots' own come last: other compositors have some of them too.
    static func compositor(with interfaces: Set<String>) -> String? {
        let authors = [
            ("hyprland_", "Hyprland"), ("org_kde_plasma_", "KWin"), ("gtk_shell", "Mutter"), ("mutter_", "Mutter"),
            ("weston_", "Weston"), ("zcosmic_", "cosmic-comp"), ("zwlr_", "a compositor of wlroots"),
        ]
        return authors.first { author in interfaces.contains { $0.hasPrefix(author.0) } }?.1
    }
}
