// Decides how a take recovers a lost screen cast. No clock, no portal: `PortalSource` carries out the steps.
import KineCapture
import KineMedia

/// The steps from the loss of a cast to the next cast. Instants are nanoseconds of CLOCK_MONOTONIC.
///
/// Asks the portal with the restore token of the lost cast: if the desktop remembers the person's answer, they see no
/// question. Otherwise they are asked once, and a refusal ends the take.
///
/// Portals end the cast of a monitor that is unplugged, as they do when the person ends it. So a known monitor is looked for
/// first: only if it is gone, the take waits until it is back, without a limit.
struct CastRecovery {
    /// The thing that must be there before the portal is asked.
    enum Sought: Equatable { case pipeWire, monitor }

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
        /// How long a question to the person may take since the loss: they may be away. After a monitor's return it may take any time, as
        /// the monitor may have been away for any time.
        var answer: Int64
        /// Between two looks for a monitor whose cast has ended.
        var lookInterval: Int64
        /// How long a monitor may still be listed by its compositor after its cast has ended.
        var listingDelay: Int64

        static let standard = Limits(
            interval: 1_000_000_000, absence: 15_000_000_000, answer: 60_000_000_000, lookInterval: 250_000_000,
            listingDelay: 1_000_000_000)
    }

    private enum State {
        /// Looks whether the cast has ended with its monitor.
        case looking(next: Int64)
        /// Waits for PipeWire, or for the monitor.
        case waiting(next: Int64)
        case asking
        case ended
    }

    let loss: VideoSourceError
    private let monitor: String?
    private let limits: Limits
    /// The instant of the loss; while the monitor is gone, the last look for it.
    private var lostAt: Int64
    private var sought = Sought.pipeWire
    private var state: State

    /// Nil if the cast has ended for good.
    ///
    /// - Parameters:
    ///   - isOfMonitor: it is a monitor's cast. A window whose cast stops was closed.
    ///   - monitor: the monitor's name, if it can be looked for.
    init?(
        from loss: VideoSourceError, isOfMonitor: Bool, monitor: String? = nil, at now: Int64,
        limits: Limits = .standard
    ) {
        switch loss.kind {
        case .castLost: state = .waiting(next: now + limits.interval)
        case .castStopped where isOfMonitor:
            state = monitor == nil ? .waiting(next: now + limits.interval) : .looking(next: now)
        case .castClosed where isOfMonitor && monitor != nil: state = .looking(next: now)
        default: return nil
        }
        self.loss = loss
        self.monitor = monitor
        self.limits = limits
        lostAt = now
    }

    /// Nil while it is not known whether the cast has ended for good.
    var interruption: SourceInterruption? {
        switch (sought, state, loss.kind) {
        case (.monitor, _, _): SourceInterruption(.monitorGone, monitor: monitor)
        case (.pipeWire, .looking, _): nil
        case (.pipeWire, _, .castLost): SourceInterruption(.castLost)
        case (.pipeWire, _, _): SourceInterruption(.castStopped)
        }
    }

    /// The latest instant to call `advance`.
    var deadline: Int64 {
        switch state {
        case .looking(let next), .waiting(let next): next
        case .asking: sought == .monitor ? .max : lostAt + limits.answer
        case .ended: lostAt
        }
    }

    /// - Parameter isThere: whether PipeWire seems to accept connections, or the monitor is plugged in.
    mutating func advance(at now: Int64, isThere: (Sought) -> Bool) -> Step {
        switch state {
        case .looking(let next), .waiting(let next):
            if now < next { return .wait(until: next) }
        case .asking, .ended: break
        }
        switch state {
        case .looking: return look(at: now, isPlugged: isThere(.monitor))
        case .waiting where isThere(sought):
            state = .asking
            return .ask
        case .waiting:
            if sought == .monitor { lostAt = now }
            return retry(at: now)
        case .asking where now < deadline: return .wait(until: deadline)
        case .asking, .ended:
            state = .ended
            return .end(loss)
        }
    }

    /// The portal gave no cast.
    mutating func failed(_ error: VideoSourceError, at now: Int64) -> Step {
        // If the cast stopped while its connection worked, one attempt is enough: its desktop has answered.
        if error == .screenCastDeclined || sought == .pipeWire && loss.kind == .castStopped { state = .ended }
        if case .ended = state { return .end(loss) }
        return retry(at: now)
    }

    private mutating func look(at now: Int64, isPlugged: Bool) -> Step {
        if !isPlugged {
            (sought, lostAt) = (.monitor, now)
            return retry(at: now)
        }
        if now - lostAt < limits.listingDelay {
            state = .looking(next: now + limits.lookInterval)
            return .wait(until: now + limits.lookInterval)
        }
        guard loss.kind == .castStopped else {
            state = .ended
            return .end(loss)
        }
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
