// Decides how a take recovers a lost screen cast. No clock, no portal: `PortalSource` carries out the steps.
import KineCapture
import KineMedia

/// The steps from the loss of a cast to the next cast. Instants are nanoseconds of CLOCK_MONOTONIC.
///
/// Asks the portal with the restore token of the lost cast: if the desktop remembers the person's answer, they see no
/// question. Otherwise they are asked once, and a refusal ends the take.
struct CastRecovery {
    enum Step: Equatable {
        /// Call `advance` again at this instant or earlier.
        case wait(until: Int64)
        /// Ask the portal now. Call `failed` if it gives no cast.
        case ask
        /// End the take with the loss.
        case end(VideoSourceError)
    }

    struct Limits: Sendable {
        /// Between the loss and the first attempt, and between attempts: PipeWire's clients need a moment.
        var interval: Int64
        /// How long PipeWire may be absent.
        var absence: Int64
        /// How long a question to the person may take, since the loss: they may be away.
        var answer: Int64

        static let standard = Limits(interval: 1_000_000_000, absence: 15_000_000_000, answer: 60_000_000_000)
    }

    private enum State {
        /// Waits for PipeWire.
        case waiting(next: Int64)
        case asking
        case ended
    }

    let loss: VideoSourceError
    let interruption: SourceInterruption
    private let limits: Limits
    private let lostAt: Int64
    private var state: State

    /// Nil if the cast has ended for good.
    ///
    /// - Parameter isOfMonitor: a monitor does not disappear during work, but a window whose cast stops was closed.
    init?(from loss: VideoSourceError, isOfMonitor: Bool, at now: Int64, limits: Limits = .standard) {
        switch loss.kind {
        case .castLost: interruption = SourceInterruption(.castLost)
        case .castStopped where isOfMonitor: interruption = SourceInterruption(.castStopped)
        default: return nil
        }
        self.loss = loss
        self.limits = limits
        lostAt = now
        state = .waiting(next: now + limits.interval)
    }

    /// The latest instant to call `advance`.
    var deadline: Int64 {
        switch state {
        case .waiting(let next): next
        case .asking: lostAt + limits.answer
        case .ended: lostAt
        }
    }

    /// - Parameter isThere: whether PipeWire seems to accept connections.
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

    /// The portal gave no cast.
    mutating func failed(_ error: VideoSourceError, at now: Int64) -> Step {
        // If the cast stopped while its connection worked, one attempt is enough: its desktop has answered.
        if error == .screenCastDeclined || interruption.reason == .castStopped { state = .ended }
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
