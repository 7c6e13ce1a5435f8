// Clips that an app saves: the last moments of what was captured.
import FoundationEssentials
import KineClient
import KineMedia
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

/// A file with the last moments of what was captured.
public struct Clip: Sendable, Equatable {
    /// The relation of the clip's beginning to the time that was asked for.
    public enum Beginning: Sendable, Equatable {
        /// It begins exactly then.
        case asAsked
        /// It begins at the keyframe before, earlier by that much: two seconds at most.
        case earlier(by: Duration)
        /// There is no more; so much is missing.
        case later(by: Duration)
    }

    public let url: URL
    /// The time that the clip plays.
    public let duration: Duration
    /// The clip's first frame, since the capture began, pauses left out.
    public let start: Duration
    public let beginning: Beginning

    init(_ clip: ExportedClip) {
        url = URL(filePath: clip.output)
        duration = Duration(clip.duration)
        start = Duration(clip.start)
        beginning =
            switch clip.beginning {
            case .asAsked: .asAsked
            case .earlier(let time): .earlier(by: Duration(time))
            case .later(let time): .later(by: Duration(time))
            }
    }
}
