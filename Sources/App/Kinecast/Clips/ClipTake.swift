// The take that keeps a recorder's last moments, apart from its recording.
import KineClient
import Synchronization

/// The states of one recorder's clip buffer. When it is released, its take ends.
final class ClipTake: Sendable {
    private enum State: Sendable {
        case idle
        case starting
        case running(EngineSession)
        case stopping
    }

    private let state = Mutex(State.idle)

    deinit { session?.close() }

    /// The session of the take that runs; nil: none does.
    var session: EngineSession? {
        state.withLock { if case .running(let session) = $0 { session } else { nil } }
    }

    /// Starts a take. `start` returns when its first frame is there.
    func start(
        _ start: () async throws(RecordingError) -> EngineSession
    ) async throws(RecordingError) -> EngineSession {
        try state.withLock { state throws(RecordingError) in
            guard case .idle = state else { throw .alreadyBuffering }
            state = .starting
        }
        do throws(RecordingError) {
            let session = try await start()
            state.withLock { $0 = .running(session) }
            return session
        } catch {
            state.withLock { $0 = .idle }
            throw error
        }
    }

    /// Ends the take.
    func stop() async throws(RecordingError) {
        let session = try state.withLock { state throws(RecordingError) in
            guard case .running(let session) = state else { throw .notBuffering }
            state = .stopping
            return session
        }
        defer { state.withLock { $0 = .idle } }
        // Until then the engine leaves a program on the private screen its time to end.
        defer { session.close() }
        let outcome: TakeOutcome
        do throws(ClientError) {
            outcome = try await session.stop()
        } catch {
            throw RecordingError(error)
        }
        if let error = outcome.error(hasBegun: true) { throw error }
    }

    /// The take has ended without `stop`. False if it is not the one that runs.
    func ended(_ session: EngineSession) -> Bool {
        defer { session.close() }
        return state.withLock { state in
            guard case .running(let current) = state, current === session else { return false }
            state = .idle
            return true
        }
    }
}
