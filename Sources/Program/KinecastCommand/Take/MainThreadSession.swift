// The session of `record` and `broadcast` with their engine. Its tasks collect what comes, because the main thread polls.
import KineClient
import KineMedia
import KinePlatform
import KineWire

/// Used on the main thread.
final class MainThreadSession {
    /// What has come since the last call of `receive`.
    struct Arrivals {
        /// The take's id, when the engine has entered it in the registry.
        var opening: String?
        /// Set if the engine does not answer the request to stop.
        var unanswered: ClientError?
        var events: [SessionEvent] = []
    }

    private struct Inbox {
        var arrivals = Arrivals()
        var isClosed = false
    }

    /// The time for an engine to enter its take in the registry.
    private static let registrationTimeout = Duration.seconds(60)

    private let session: EngineSession
    private let inbox = Monitor(Inbox())
    /// Whether the take is paused, by the events that `receive` has returned.
    private(set) var isPaused = false

    /// Starts the take, and returns when the engine's process runs.
    ///
    /// - Parameter engine: a running engine; nil: one is started.
    init(
        _ configuration: TakeConfiguration, confinement: ConfinementRequest, in engine: WaitingEngine?
    ) throws(ClientError) {
        session = try MainThread.shared.wait { () async throws(ClientError) in
            try await EngineSession.start(configuration, confinement: confinement, in: engine)
        }
        listen()
    }

    private func listen() {
        Task(executorPreference: MainThread.shared) { [session, inbox] in
            for await event in session.events { inbox.withLock { $0.arrivals.events.append(event) } }
            await session.closed()
            inbox.withLock { $0.isClosed = true }
        }
    }

    /// Whether the engine and its helpers are gone.
    var isClosed: Bool { inbox.withLock { $0.isClosed } }

    /// Notes the take for the next toggle. The engine answers once the take is in the registry, or has failed.
    ///
    /// - Parameter toggle: unlocked then; nil: only `Arrivals.opening` is wanted.
    func note(in toggle: ToggleFile?) {
        let (session, inbox, timeout) = (session, inbox, Self.registrationTimeout)
        Task(executorPreference: MainThread.shared) {
            if let status = try? await session.status(within: timeout) {
                toggle?.text = status.id
                inbox.withLock { $0.arrivals.opening = status.id }
            }
            toggle?.unlock()
        }
    }

    /// Returns what the tasks have collected, once.
    func receive() -> Arrivals {
        let arrivals = inbox.withLock { inbox in
            defer { inbox.arrivals = Arrivals() }
            return inbox.arrivals
        }
        for event in arrivals.events {
            switch event {
            case .engine(.paused): isPaused = true
            case .engine(.resumed): isPaused = false
            default: break
            }
        }
        return arrivals
    }

    /// Waits for the engine's answer. The event may come later: another task receives it.
    func pause() throws(ClientError) {
        try MainThread.shared.wait { [session] () async throws(ClientError) in try await session.pause() }
    }

    /// Waits for the engine's answer.
    func resume() throws(ClientError) {
        try MainThread.shared.wait { [session] () async throws(ClientError) in try await session.resume() }
    }

    /// Ends the take. The outcome comes as an event.
    func stop() {
        Task(executorPreference: MainThread.shared) { [session, inbox] in
            do throws(ClientError) {
                _ = try await session.stop()
            } catch {
                if case .noAnswer = error { inbox.withLock { $0.arrivals.unanswered = error } }
            }
        }
    }

    /// Kills the engine and recovers the file. The outcome comes as an event.
    func abort() { session.abort() }

    /// Reports that COMMAND runs as `process`.
    func commandStarted(process: Int32) { session.commandStarted(process: process) }

    func close() { session.close() }
}
