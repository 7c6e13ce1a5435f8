// Controls a running broadcast: pauses it, adds and removes destinations, and ends it.
import KineClient
import KineMedia
import KineWire

extension BroadcastController {
    /// Pauses the broadcast until `resumeBroadcast`; the extension gets `broadcastPaused()`.
    public func pauseBroadcast() async throws(BroadcastError) {
        let changes = pauseChanges
        // Asked even while the locked screen pauses the broadcast: this pause outlasts the lock.
        try await ask { (session) async throws(ClientError) in try await session.pause() }
        try await wait { $0.isPaused || $0.pauseChanges != changes }
    }

    public func resumeBroadcast() async throws(BroadcastError) {
        guard isPaused else { return try requireBroadcast() }
        let changes = pauseChanges
        try await ask { (session) async throws(ClientError) in try await session.resume() }
        try await wait { !$0.isPaused || $0.pauseChanges != changes }
    }

    private var pauseChanges: Int { contents.withLock { $0.progress.pauseChanges } }

    /// Shows another scope in the running broadcast without a gap; the picture is fitted into the broadcast's size.
    /// Returns when the new scope is shown. On an error the broadcast keeps the old one. `self.scope` is unchanged.
    public func switchScope(to scope: CaptureScope) async throws(BroadcastError) {
        let source = try await BroadcastError.translating { () async throws(RecordingError) in
            try await scope.source(locator)
        }
        try await ask { (session) async throws(ClientError) in try await session.switchSource(to: source) }
    }

    /// Waits until the controller has read the event that follows the engine's answer, or until the broadcast is over.
    private func wait(until isDone: (BroadcastProgress) -> Bool) async throws(BroadcastError) {
        var changes = changes.add().makeAsyncIterator()
        while contents.withLock({ $0.progress.phase == .broadcasting && !isDone($0.progress) }) {
            guard await changes.next(isolation: nil) != nil else { throw .cancelled }
        }
    }

    /// Ends the broadcast, and waits until the service and the recording are finished. Returns nil if nothing was
    /// recorded. If the service failed, the error has the preview of the recording.
    @discardableResult
    public func finishBroadcast() async throws(BroadcastError) -> RecordingPreview? {
        let session = try contents.withLock { contents throws(BroadcastError) in
            try contents.progress.finishRequested()
            return contents.session
        }
        do throws(BroadcastError) {
            let preview = try await finish(session)
            finished(session, preview: preview, error: nil)
            return preview
        } catch {
            finished(session, preview: error.preview, error: error)
            throw error
        }
    }

    private func finish(_ session: EngineSession?) async throws(BroadcastError) -> RecordingPreview? {
        let outcome: TakeOutcome
        do throws(ClientError) {
            guard let session else { throw .takeIsOver }
            outcome = try await session.stop()
        } catch {
            throw BroadcastError(error)
        }
        let result = result(of: outcome)
        let summary = if case .finished(let summary) = outcome { summary.destinations } else { [DestinationStatus]() }
        let failure = result.error.map { BroadcastError($0) } ?? contents.withLock { $0.progress.failure(in: summary) }
        if let failure { throw failure.with(result.preview) }
        return result.preview
    }

    /// Adds a destination to the running broadcast. Returns its number in `destinations`.
    @discardableResult
    public func add(_ setup: BroadcastSetup) async throws(BroadcastError) -> Int {
        let number = try await ask { (session) async throws(ClientError) in
            try await session.addDestination(setup.destination)
        }
        try await wait { progress in progress.destinations.contains { $0.destination == number } }
        return number
    }

    /// Ends the broadcast to one destination; the others go on. Throws for the last one if there is no recording.
    public func remove(_ number: Int) async throws(BroadcastError) {
        try await ask { (session) async throws(ClientError) in _ = try await session.removeDestination(number) }
        try await wait { progress in
            progress.destinations.contains { $0.destination == number && $0.phase == .ended }
        }
    }

    private func requireBroadcast() throws(BroadcastError) {
        guard contents.withLock({ $0.progress.phase == .broadcasting }) else { throw .notBroadcasting }
    }

    private func ask<Answer>(
        _ request: (EngineSession) async throws(ClientError) -> Answer
    ) async throws(BroadcastError) -> Answer {
        try requireBroadcast()
        guard let session = contents.withLock({ $0.session }) else { throw .notBroadcasting }
        do throws(ClientError) {
            return try await request(session)
        } catch {
            throw BroadcastError(error)
        }
    }
}
