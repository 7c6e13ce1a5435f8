import KineControl
// The life of a take: what may follow what, and what each event makes the driver do. No clock, no thread, no I/O.
import KineMedia

/// The pure part of a take. The driver feeds events and carries out the actions, in order.
public struct TakeStateMachine: Sendable {
    /// Why a take ends.
    public enum StopReason: Sendable, Equatable {
        case stopped
        case durationReached
        case clientLost
        /// The source came to its natural end; a few words.
        case sourceEnded(String)
        /// Something failed after the first picture. What was recorded is kept.
        case failed(exitStatus: Int32, message: String)

        /// For the summary.
        public var text: String {
            switch self {
            case .stopped: "stopped"
            case .durationReached: "duration reached"
            case .clientLost: "the client went away"
            case .sourceEnded(let reason): reason
            case .failed(_, let message): message
            }
        }
    }

    /// What happens to a take. Instants are nanoseconds of CLOCK_MONOTONIC.
    public enum Event: Sendable, Equatable {
        /// The first picture was taken.
        case began(at: Int64)
        case pauseRequested(at: Int64)
        case resumeRequested(at: Int64)
        case stopRequested(StopReason, at: Int64)
        /// The last sample is in the file, or the file was given up.
        case finished
    }

    public enum Action: Sendable, Equatable {
        case announceStarted
        case pause(at: Int64)
        case resume(at: Int64)
        /// The request cannot be carried out in this state; one sentence for who asked.
        case refuse(String)
        /// End all threads and finish the file, whose last moment is `at`. Follows at most once.
        case finish(StopReason, at: Int64)
        /// Tell the clients the result and leave.
        case end(StopReason)
    }

    private enum State: Sendable, Equatable {
        case starting
        case recording
        case paused(since: Int64)
        case finishing(StopReason)
        case ended
    }

    private var state = State.starting
    /// The instant of the last picture taken or pause made, before which the take cannot end.
    private var latest = Int64.min

    public init() {}

    public var phase: TakePhase {
        switch state {
        case .starting: .starting
        case .recording: .recording
        case .paused: .paused
        case .finishing: .finishing
        case .ended: .ended
        }
    }

    public mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.starting, .began(let instant)):
            state = .recording
            latest = instant
            return [.announceStarted]
        case (_, .began):
            return []

        case (.recording, .pauseRequested(let instant)):
            latest = max(latest, instant)
            state = .paused(since: latest)
            return [.pause(at: latest)]
        case (.paused, .pauseRequested):
            return [.refuse("The take is paused already; kinecast resume goes on.")]
        case (.starting, .pauseRequested), (.starting, .resumeRequested):
            return [.refuse("The take has not begun yet; try again in a moment.")]

        case (.paused(let since), .resumeRequested(let instant)):
            latest = max(since, instant)
            state = .recording
            return [.resume(at: latest)]
        case (.recording, .resumeRequested):
            return [.refuse("The take is not paused; kinecast pause pauses it.")]
        case (.finishing, .pauseRequested), (.finishing, .resumeRequested), (.ended, .pauseRequested),
            (.ended, .resumeRequested):
            return [.refuse("The take is over; kinecast status shows what runs.")]

        case (.starting, .stopRequested(let reason, let instant)):
            state = .finishing(reason)
            return [.finish(reason, at: instant)]
        case (.recording, .stopRequested(let reason, let instant)):
            state = .finishing(reason)
            return [.finish(reason, at: max(latest, instant))]
        case (.paused(let since), .stopRequested(let reason, _)):
            // The pause lasts to the end: nothing after its beginning belongs to the take.
            state = .finishing(reason)
            return [.finish(reason, at: since)]
        case (.finishing, .stopRequested), (.ended, .stopRequested):
            return []

        case (.finishing(let reason), .finished):
            state = .ended
            return [.end(reason)]
        case (_, .finished):
            return []
        }
    }
}
