// Decides how a take reacts to a locked screen. No bus, no clock: the host carries out the actions, in order.
import KineMedia
import Synchronization

/// A take and the lock of the screen that it shows.
///
/// If the configuration says so, the lock pauses the take, and the unlock resumes it if the lock had paused it. A take
/// that continues, by its configuration or after a resume, shows a card instead of the screen. If the service that
/// reported the lock ends, the screen counts as locked until a service reports it unlocked, or a client resumes.
struct ScreenLockStateMachine: Sendable {
    enum Event: Sendable, Equatable {
        case lockChanged(isLocked: Bool)
        /// The service that reported the lock has ended: an unlock may never be reported.
        case lockLost
        case began
        /// The take has paused or resumed, at any client's request.
        case paused
        case resumed
    }

    enum Action: Sendable, Equatable {
        case announce(isLocked: Bool)
        case pause
        case resume
        /// Show the screen, because a client has resumed the take.
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

    var isCardShown: Bool { isLocked && take == .running }
    var isPausing: Bool { take == .pausedByLock }

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

    /// A client requests a pause. If the lock has paused the take, it stays paused after the unlock; true in that case.
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

/// The screen is locked if the desktop's services or the X server say so.
final class LockReports: Sendable {
    enum Witness { case desktop, x11 }

    private let witnesses = Mutex<Set<Witness>>([])
    private let report: @Sendable (Bool) -> Void

    init(_ report: @escaping @Sendable (_ isLocked: Bool) -> Void) { self.report = report }

    func report(_ isLocked: Bool, by witness: Witness) {
        // Reported inside the lock, so that two threads' reports keep their order.
        witnesses.withLock { witnesses in
            if isLocked { witnesses.insert(witness) } else { witnesses.remove(witness) }
            report(!witnesses.isEmpty)
        }
    }
}
