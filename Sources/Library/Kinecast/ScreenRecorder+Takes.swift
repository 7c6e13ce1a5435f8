// Starts, watches and ends a recorder's take.
import FoundationEssentials
import KineClient
import KineMedia
import KineWire

extension ScreenRecorder {
    var recording: Active? {
        contents.withLock { if case .recording(let active) = $0.state { active } else { nil } }
    }

    /// Starts a take and waits for its first frame.
    ///
    /// - Parameters:
    ///   - configure: completes the request to the engine; returns the output file.
    ///   - prepare: called before the first frame.
    func start(
        _ configure: (AppIdentity, inout TakeConfiguration) throws(RecordingError) -> URL?,
        prepare: (EngineSession) async throws(RecordingError) -> Void
    ) async throws(RecordingError) -> Active {
        try contents.withLock { contents throws(RecordingError) in
            guard case .idle = contents.state else { throw .alreadyRecording }
            contents.state = .starting
        }
        do throws(RecordingError) {
            let active = try await begin(configure, prepare: prepare)
            watch(active)
            // The settings may have changed since the take was requested.
            if isMicrophoneEnabled != active.begunWithMicrophone { tellMicrophone() }
            if camera != active.begunWithCamera { tellCamera() }
            return active
        } catch {
            contents.withLock { $0.state = .idle }
            throw error
        }
    }

    /// Starts any take of this recorder, also the clip buffer's, and waits for its first frame.
    func begin(
        _ configure: (AppIdentity, inout TakeConfiguration) throws(RecordingError) -> URL?,
        prepare: (EngineSession) async throws(RecordingError) -> Void = { _ throws(RecordingError) in }
    ) async throws(RecordingError) -> Active {
        var hasClipBuffer = false
        let settings = contents.withLock { $0.settings }
        let (session, file) = try await TakeStart(app: identity, locator: locator, settings: settings).session {
            app, configuration throws(RecordingError) in
            defer { hasClipBuffer = configuration.clipBuffer != nil }
            return try configure(app, &configuration)
        }
        do throws(RecordingError) {
            try await prepare(session)
            var active = try await active(session, file: file, hasClipBuffer: hasClipBuffer)
            active.isPaused = active.isScreenLocked && !settings.capture.keepsRunningWhenLocked
            active.begunWithMicrophone = settings.isMicrophoneEnabled
            active.begunWithCamera = settings.camera
            return active
        } catch {
            if let outcome = await session.giveUp() { RecordingResult(outcome, store: store).deleteFile() }
            throw error
        }
    }

    /// Waits for a take's first frame.
    func active(
        _ session: EngineSession, file: URL?, hasClipBuffer: Bool
    ) async throws(RecordingError) -> Active {
        let (take, isScreenLocked) = try await firstFrame(session)
        return Active(
            session: session, file: file, start: Start(take: take.id, size: take.size, environment: take.environment),
            hasClipBuffer: hasClipBuffer, isScreenLocked: isScreenLocked)
    }

    /// Makes this the recorder's running take, and follows its events.
    func watch(_ active: Active) {
        contents.withLock { $0.state = .recording(active) }
        if active.isScreenLocked { tell(.screenLocked(true)) }
        Task { [weak self] in
            for await event in active.session.events { self?.received(event, of: active) }
        }
    }

    private func firstFrame(
        _ session: EngineSession
    ) async throws(RecordingError) -> (TakeStarted, isScreenLocked: Bool) {
        var events = session.events.makeAsyncIterator()
        var isScreenLocked = false
        while let event = await events.next(isolation: nil) {
            switch event {
            case .engine(.started(let take)): return (take, isScreenLocked)
            case .engine(.screenLocked(let isLocked)): isScreenLocked = isLocked
            case .engine(.warning(let sentence, _)): tell(.warning(sentence))
            case .engine(.sourceInterrupted(let interruption?)): tell(.warning(interruption.sentence))
            case .ended(let outcome): throw outcome.error(hasBegun: false) ?? .cancelled
            default: continue
            }
        }
        throw .cancelled
    }

    private func received(_ event: SessionEvent, of active: Active) {
        switch event {
        case .engine(.warning(let sentence, _)): tell(.warning(sentence))
        case .engine(.sourceInterrupted(let interruption?)): tell(.warning(interruption.sentence))
        case .engine(.screenLocked(let isLocked)): tell(.screenLocked(isLocked))
        case .engine(.paused): paused(true, active)
        case .engine(.resumed): paused(false, active)
        case .ended(let outcome): ended(active, outcome)
        default: break
        }
    }

    private func paused(_ isPaused: Bool, _ active: Active) {
        contents.withLock { contents in
            guard case .recording(var current) = contents.state, current.session === active.session else { return }
            current.isPaused = isPaused
            contents.state = .recording(current)
        }
        pauses.tell(isPaused)
    }

    /// Handles the end of a take, whatever caused it.
    private func ended(_ active: Active, _ outcome: TakeOutcome) {
        defer { active.session.close() }
        pauses.tell(nil)
        let wasRunning = contents.withLock { contents in
            guard case .recording(let current) = contents.state, current.session === active.session else {
                return false
            }
            contents.state = .idle
            return true
        }
        guard wasRunning else { return }
        endSamples()
        let result = RecordingResult(outcome, store: store)
        tell(
            .stopped(preview: result.preview, error: result.error ?? result.cause.map { RecordingError($0) }))
    }

    func stop(isCapture: Bool) async throws(RecordingError) -> RecordingResult {
        let active = try contents.withLock { contents throws(RecordingError) in
            guard case .recording(let active) = contents.state, (active.file == nil) == isCapture else {
                throw .notRecording
            }
            contents.state = .stopping
            return active
        }
        endSamples()
        pauses.tell(nil)
        defer { contents.withLock { $0.state = .idle } }
        // Closing earlier would cut short the time that a program on the private screen has to end.
        defer { active.session.close() }
        let outcome = try await RecordingError.translating { () async throws(ClientError) in
            try await active.session.stop()
        }
        return RecordingResult(outcome, store: store)
    }
}
