// Decides when a screen is as it was before something covered it. No clock, no screen.

/// The time that a compositor needs to show what lies below a window that has gone, with the window's last animation. Instants are
/// nanoseconds of CLOCK_MONOTONIC.
package struct ScreenSettling {
    package struct Limits: Sendable {
        /// The screen is still when there was no frame for that long.
        var quiet: Int64
        /// How long after its first frame a screen that goes on changing is looked at.
        var changing: Int64
        /// How long a first frame is waited for.
        var still: Int64

        private static let quiet: Int64 = 150_000_000

        /// A window has gone that the last frame may show. Its end is a change, so that a frame comes, however busy the machine is.
        package static let afterWindow = Limits(quiet: quiet, changing: 1_000_000_000, still: 10_000_000_000)
        /// No frame has come since before the window, which was shown elsewhere. Nor need one come.
        package static let elsewhere = Limits(quiet: quiet, changing: 1_000_000_000, still: 1_000_000_000)
        /// The dialog of a desktop fades out over a cast's first frames.
        package static let afterDialog = Limits(quiet: quiet, changing: 500_000_000, still: 0)
    }

    private let limits: Limits
    /// Of a screen that goes on changing; nil: there was no frame yet.
    private var end: Int64?
    /// The instant at which it is over, unless another frame comes.
    package private(set) var deadline: Int64

    package init(_ limits: Limits, since start: Int64) {
        self.limits = limits
        deadline = start + limits.still
    }

    package mutating func noteFrame(at now: Int64) {
        let end = end ?? now + limits.changing
        self.end = end
        deadline = min(now + limits.quiet, end)
    }

    package func isOver(at now: Int64) -> Bool { now >= deadline }
}
