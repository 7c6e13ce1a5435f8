// Clips: files with the last moments of a capture.
import FoundationEssentials
import KineClient
import KineMedia
import Synchronization

/// The state of one recorder's clip buffer. Its take ends when this object is released.
final class ClipTake: Sendable {
    private enum State: Sendable {
        case idle
        case starting
        case running(EngineSession)
        case stopping
    }

    private let state = Mutex(State.idle)

    deinit { session?.close() }

    /// The session of the running take, if any.
    var session: EngineSession? {
        state.withLock { if case .running(let session) = $0 { session } else { nil } }
    }

    /// Starts a take. `start` must return when its first frame exists.
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

    func stop() async throws(RecordingError) {
        let session = try state.withLock { state throws(RecordingError) in
            guard case .running(let session) = state else { throw .notBuffering }
            state = .stopping
            return session
        }
        defer { state.withLock { $0 = .idle } }
        // Closing earlier would cut short the time that a program on the private screen has to end.
        defer { session.close() }
        let outcome = try await RecordingError.translating { () async throws(ClientError) in try await session.stop() }
        if let error = outcome.error(hasBegun: true) { throw error }
    }

    /// Handles a take that ended without `stop`. Returns false if it is not the running one.
    func ended(_ session: EngineSession) -> Bool {
        defer { session.close() }
        return state.withLock { state in
            guard case .running(let current) = state, current === session else { return false }
            state = .idle
            return true
        }
    }
}

/// A file with the last moments of a capture.
public struct Clip: Sendable, Equatable {
    /// How the clip's start compares with the requested start.
    public enum Beginning: Sendable, Equatable {
        /// The clip starts exactly as requested.
        case asAsked
        /// The clip starts at the previous keyframe, earlier by this duration: at most two seconds.
        case earlier(by: Duration)
        /// The buffer held less than requested; this duration is missing.
        case later(by: Duration)
    }

    public let url: URL
    /// The clip's playing time.
    public let duration: Duration
    /// The time of the clip's first frame since the capture began, without pauses.
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
