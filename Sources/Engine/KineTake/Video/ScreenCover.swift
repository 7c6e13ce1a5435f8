// Hides the screen while it is locked.
import KinePlatform
import Synchronization

/// Set by the desktop's thread and the main thread, read by capture.
///
/// Whether the screen's contents may be seen: while it is locked, they may not.
package final class ScreenCover: Sendable {
    enum State: Sendable {
        /// The desktop has not said yet whether the screen is locked.
        case unknown
        case open
        /// The screen was locked just now, and the main thread has still to decide: no frame is made, neither of the screen nor of the
        /// card, unless there was none yet.
        case held
        /// A card is shown instead.
        case covered
    }

    private let contents: Monitor<State>

    /// - Parameter isKnown: the screen is no desktop's, so that it cannot be locked.
    package init(isKnown: Bool = true) { contents = Monitor(isKnown ? .open : .unknown) }

    var state: State { contents.withLock { $0 } }

    /// The desktop says whether the screen is locked.
    package func screenLocked(_ isLocked: Bool) { contents.signal { $0 = isLocked ? .held : .open } }

    /// The main thread has paused the take, or it goes on with the card.
    package func settle() { contents.signal { if $0 == .held { $0 = .covered } } }

    /// The card is shown no more, unless the screen was locked again just now.
    package func uncover() { contents.signal { if $0 == .covered { $0 = .open } } }

    /// Waits until it is known, so that no take begins with a frame of the lock screen. A desktop that does not answer by `deadline`
    /// (nanoseconds of CLOCK_MONOTONIC) is not waited for.
    func wait(until deadline: Int64) { _ = contents.wait(until: deadline) { $0 == .unknown ? nil : true } }
}
