// Decides what a locked screen means for a take. No bus, no clock: the host feeds events and carries out the actions, in order.
import KineMedia
import KinePlatform
import KineTake

/// A take and the lock of the screen that it shows.
///
/// A take that is to pause does so when the screen is locked, and goes on when it is unlocked, if it was the lock that paused it. A
/// take that goes on, by its configuration or because somebody resumed it, shows a card instead of the screen. Where the service that
/// said so has gone, the screen counts as locked until a service says that it is not, or the take is resumed.
struct ScreenLockStateMachine: Sendable {
    enum Event: Sendable, Equatable {
        case lockChanged(isLocked: Bool)
        /// The service that said the screen is locked has gone: perhaps nothing will say that it is unlocked.
        case lockLost
        /// The take's first frame was captured.
        case began
        /// The take has paused or goes on, whoever asked for it.
        case paused
        case resumed
    }

    enum Action: Sendable, Equatable {
        /// Tell clients and extensions.
        case announce(isLocked: Bool)
        case pause
        case resume
        /// Show the screen, by the word of who resumed the take.
        case uncover
    }

    private enum Take {
        case notBegun
        case running
        case paused
        case pausedByLock
    }

    private let whenLocked: TakeConfiguration.WhenLocked
    private var take = Take.notBegun
    private(set) var isLocked = false
    private var isLockLost = false

    init(_ whenLocked: TakeConfiguration.WhenLocked) { self.whenLocked = whenLocked }

    /// A card is shown instead of the screen.
    var isCardShown: Bool { isLocked && take == .running }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .lockChanged(let isLocked):
            isLockLost = false
            guard isLocked != self.isLocked else { return [] }
            self.isLocked = isLocked
            return [.announce(isLocked: isLocked)] + (isLocked ? pauseIfWanted() : resumeIfPaused())
        case .lockLost:
            isLockLost = isLocked
            return []
        case .began:
            guard take == .notBegun else { return [] }
            take = .running
            return isLocked ? pauseIfWanted() : []
        case .paused:
            if take == .running { take = .paused }
            return []
        case .resumed:
            if take != .notBegun { take = .running }
            guard isLockLost else { return [] }
            (isLocked, isLockLost) = (false, false)
            return [.uncover, .announce(isLocked: false)]
        }
    }

    /// Somebody asks for a pause. Where the lock has paused the take already, the pause outlasts it now, and this returns true.
    mutating func takeOverPause() -> Bool {
        guard take == .pausedByLock else { return false }
        take = .paused
        return true
    }

    private mutating func pauseIfWanted() -> [Action] {
        guard take == .running, whenLocked == .pause else { return [] }
        take = .pausedByLock
        return [.pause]
    }

    private mutating func resumeIfPaused() -> [Action] {
        guard take == .pausedByLock else { return [] }
        take = .running
        return [.resume]
    }
}
