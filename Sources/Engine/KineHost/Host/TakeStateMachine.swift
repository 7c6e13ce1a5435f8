// The states of a take, and the driver's actions for each event. No clock, no thread, no I/O.
import KineWire

/// The pure part of a take. The driver carries out the actions, in order.
struct TakeStateMachine: Sendable {
    enum StopReason: Sendable, Equatable {
        case stopped
        /// The person at the screen pressed Stop.
        case stoppedAtDesktop
        case durationReached
        case clientLost
        /// The source ended by itself; a few words.
        case sourceEnded(String)
        /// A failure after the first frame. The recording up to it is kept.
        case failed(TakeFailure)

        /// For the summary.
        var text: String {
            switch self {
            case .stopped: "stopped"
            case .stoppedAtDesktop: "stopped at the desktop"
            case .durationReached: "duration reached"
            case .clientLost: "the client went away"
            case .sourceEnded(let reason): reason
            case .failed(let failure): failure.message
            }
        }
    }

    /// Instants are nanoseconds of CLOCK_MONOTONIC.
    enum Event: Sendable, Equatable {
        /// A client has sent its configuration, and the worker opens the take.
        case openRequested
        case opened
        /// The take could not be opened, or its configuration was refused.
        case openFailed(TakeFailure)
        /// The source waits for a window of COMMAND.
        case commandAwaited(at: Int64)
        /// The first frame was captured.
        case began(at: Int64)
        /// The awaited audio has begun, or its deadline has passed.
        case audioArrived
        case pauseRequested(at: Int64)
        case resumeRequested(at: Int64)
        case stopRequested(StopReason, at: Int64)
        /// The file is finished or was given up.
        case finished
    }

    enum Action: Sendable, Equatable {
        case startDestinations
        /// End the waits of the opening. `opened` or `openFailed` follows.
        case cancelOpening
        /// Ask the client to start COMMAND: the source waits for its window.
        case requestCommand
        case announceStarted
        case pause(at: Int64)
        case resume(at: Int64)
        /// The request is impossible in this state.
        case refuse(Refusal)
        /// End all threads and finish the file, which ends at `at`. Occurs at most once.
        case finish(at: Int64)
        /// Send the result to the clients and exit.
        case end(StopReason)
        /// Tell the clients that there is no take, and exit.
        case fail(TakeFailure)
        /// Exit without a result: no take was requested.
        case leave
    }

    private enum State: Sendable, Equatable {
        case idle
        case opening
        /// A stop was requested during the opening.
        case cancelled(StopReason, at: Int64)
        /// The take is open, without a frame yet.
        case starting
        /// The source waits for a window of COMMAND. COMMAND starts with the first audio: none is lost.
        case awaitingWindow(since: Int64)
        /// Frames come. `started` waits for the first audio, because COMMAND begins to play then.
        case awaitingAudio
        case recording
        case paused(since: Int64)
        case finishing(StopReason)
        case ended
    }

    private var state = State.idle
    private var hasAudio = false
    /// The instant of the first frame or of the last pause: the earliest end of the take.
    private var latest = Int64.min

    var phase: TakePhase {
        switch state {
        case .idle, .opening, .starting, .awaitingWindow, .awaitingAudio: .starting
        case .recording: .recording
        case .paused: .paused
        case .cancelled, .finishing: .finishing
        case .ended: .ended
        }
    }

    /// The instant since which only audio is missing; nil: audio is not missing, or something else is too.
    var awaitsAudioSince: Int64? {
        switch state {
        case .awaitingWindow(let instant) where !hasAudio: instant
        case .awaitingAudio: latest
        default: nil
        }
    }

    /// Frames come and belong to the take.
    var isCapturing: Bool { state == .recording || state == .awaitingAudio }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .openRequested:
            if state == .idle { state = .opening }
            return []
        case .opened:
            if case .cancelled(let reason, let instant) = state {
                state = .finishing(reason)
                return [.finish(at: instant)]
            }
            guard state == .opening else { return [] }
            state = .starting
            return [.startDestinations]
        case .openFailed(let failure):
            let action: Action
            switch state {
            case .idle, .opening: action = .fail(failure)
            // The opening failed because it was cancelled.
            case .cancelled(let reason, _): action = .end(reason)
            case .starting, .awaitingWindow, .awaitingAudio, .recording, .paused, .finishing, .ended: return []
            }
            state = .ended
            return [action]
        case .commandAwaited(let instant):
            guard state == .starting else { return [] }
            state = .awaitingWindow(since: instant)
            return hasAudio ? [.requestCommand] : []
        case .began(let instant): return began(at: instant)
        case .audioArrived:
            guard !hasAudio else { return [] }
            hasAudio = true
            if case .awaitingWindow = state { return [.requestCommand] }
            return announceIfComplete()
        case .pauseRequested(let instant): return pauseRequested(at: instant)
        case .resumeRequested(let instant): return resumeRequested(at: instant)
        case .stopRequested(let reason, let instant): return stopRequested(reason, at: instant)
        case .finished:
            guard case .finishing(let reason) = state else { return [] }
            state = .ended
            return [.end(reason)]
        }
    }

    private mutating func began(at instant: Int64) -> [Action] {
        switch state {
        case .starting, .awaitingWindow:
            state = .awaitingAudio
            latest = instant
            return announceIfComplete()
        case .idle, .opening, .cancelled, .awaitingAudio, .recording, .paused, .finishing, .ended: return []
        }
    }

    private mutating func announceIfComplete() -> [Action] {
        guard state == .awaitingAudio, hasAudio else { return [] }
        state = .recording
        return [.announceStarted]
    }

    private mutating func pauseRequested(at instant: Int64) -> [Action] {
        switch state {
        case .recording:
            latest = max(latest, instant)
            state = .paused(since: latest)
            return [.pause(at: latest)]
        case .paused: return []
        case .idle, .opening, .starting, .awaitingWindow, .awaitingAudio: return [Self.notBegun]
        case .cancelled, .finishing, .ended: return [Self.over]
        }
    }

    private mutating func resumeRequested(at instant: Int64) -> [Action] {
        switch state {
        case .paused(let since):
            latest = max(since, instant)
            state = .recording
            return [.resume(at: latest)]
        case .recording: return [.refuse(Refusal(.unavailable, "The take is not paused; pause it first."))]
        case .idle, .opening, .starting, .awaitingWindow, .awaitingAudio: return [Self.notBegun]
        case .cancelled, .finishing, .ended: return [Self.over]
        }
    }

    private static let notBegun = Action.refuse(EngineError.notBegun.refusal)
    private static let over = Action.refuse(EngineError.take(.over(reason: nil)).refusal)

    private mutating func stopRequested(_ reason: StopReason, at instant: Int64) -> [Action] {
        let end: Int64
        switch state {
        case .idle:
            state = .ended
            return [.leave]
        case .opening:
            state = .cancelled(reason, at: instant)
            return [.cancelOpening]
        case .starting, .awaitingWindow: end = instant
        case .awaitingAudio, .recording: end = max(latest, instant)
        // The pause lasts to the end: nothing after its start belongs to the take.
        case .paused(let since): end = since
        case .cancelled, .finishing, .ended: return []
        }
        state = .finishing(reason)
        return [.finish(at: end)]
    }
}
