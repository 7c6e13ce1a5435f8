// Decides how a screen cast that was lost in a take is got back. No clock, no portal: `PortalSource` carries out the answers.
import KineCapture

/// The way from the loss of a cast to the next one. Instants are nanoseconds of CLOCK_MONOTONIC.
///
/// The portal is asked with the restore token of the cast that was lost, so the person sees no question where the desktop remembers
/// their answer. Where it asks them, they are asked once: their no is the end.
struct CastRecovery {
    enum Step: Equatable {
        /// Call `advance` again, then at the latest.
        case wait(until: Int64)
        /// Ask the portal now. Answered by `failed`, unless there is a cast.
        case ask
        /// The take ends, by the loss.
        case end(VideoSourceError)
    }

    struct Limits: Sendable {
        /// Between the loss and the first question, and between two: PipeWire's clients need a moment after it.
        var interval: Int64
        /// How long PipeWire may be away.
        var absence: Int64
        /// How long a question may last that was asked before: a person may have to be fetched.
        var answer: Int64

        static let standard = Limits(interval: 1_000_000_000, absence: 15_000_000_000, answer: 60_000_000_000)
    }

    private enum State {
        /// PipeWire is waited for.
        case waiting(next: Int64)
        case asking
        case ended
    }

    let loss: VideoSourceError
    let interruption: VideoSourceInterruption
    private let limits: Limits
    private let lostAt: Int64
    private var state: State

    /// Nil where the cast has ended for good.
    ///
    /// - Parameter isOfMonitor: a monitor does not go away while one works with it. A window whose cast stops was closed.
    init?(from loss: VideoSourceError, isOfMonitor: Bool, at now: Int64, limits: Limits = .standard) {
        switch loss.kind {
        case .castLost: interruption = .castLost
        case .castStopped where isOfMonitor: interruption = .castStopped
        default: return nil
        }
        self.loss = loss
        self.limits = limits
        lostAt = now
        state = .waiting(next: now + limits.interval)
    }

    /// When `advance` has to be called at the latest.
    var deadline: Int64 {
        switch state {
        case .waiting(let next): next
        case .asking: lostAt + limits.answer
        case .ended: lostAt
        }
    }

    /// - Parameter isThere: PipeWire takes connections, as far as can be seen.
    mutating func advance(at now: Int64, isThere: () -> Bool) -> Step {
        switch state {
        case .waiting(let next) where now < next: return .wait(until: next)
        case .waiting where isThere():
            state = .asking
            return .ask
        case .waiting: return retry(at: now)
        case .asking where now < deadline: return .wait(until: deadline)
        case .asking, .ended:
            state = .ended
            return .end(loss)
        }
    }

    /// There is no cast.
    mutating func failed(_ error: VideoSourceError, at now: Int64) -> Step {
        // A cast that stopped while its connection held is asked for once: its desktop has answered.
        if error == .screenCastDeclined || interruption == .castStopped { state = .ended }
        if case .ended = state { return .end(loss) }
        return retry(at: now)
    }

    private mutating func retry(at now: Int64) -> Step {
        guard now - lostAt < limits.absence else {
            state = .ended
            return .end(loss)
        }
        state = .waiting(next: now + limits.interval)
        return .wait(until: now + limits.interval)
    }
}
