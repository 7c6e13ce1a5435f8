// Starts a broadcast: the countdown, the take, and the first report of the service.
import FoundationEssentials
import KineClient

extension BroadcastController {
    /// Counts down, and starts the broadcast. Returns when the first frame exists and the service is live, or has
    /// reported why it is still trying; `events` then has `live` later. Throws `cancelled` if the person, the task or
    /// `cancelStart` cancels. After any error it can be called again.
    ///
    /// - Parameters:
    ///   - url: a file to record to as well. If the start fails, no file is left.
    ///   - replacing: whether to replace an existing file. If the start then fails, the error has a preview.
    ///   - countdown: in seconds; 0: none.
    public func startBroadcast(
        recordingTo url: URL? = nil, replacing: Bool = false, countdown: Int = 3
    ) async throws(BroadcastError) {
        guard let setup else {
            throw BroadcastError(
                .unavailable,
                "This controller was found for a broadcast that ran, and cannot start another one; present the picker.")
        }
        if let url, !url.isFileURL || !url.path.hasPrefix("/") {
            throw BroadcastError(
                .failedToSave, "\(url.absoluteString) is not the address of a file; give an absolute path.")
        }
        let start = Start()
        try contents.withLock { contents throws(BroadcastError) in
            try contents.progress.startRequested(hasRecording: url != nil)
            contents.start = start
        }
        do throws(BroadcastError) {
            try await countDown(countdown)
            try await begin(setup, start, output: url?.path, replacing: replacing)
            await presenter?.close()
        } catch {
            await presenter?.close()
            let session = contents.withLock { contents in
                contents.progress.startFailed()
                contents.start = nil
                defer { contents.session = nil }
                return contents.session
            }
            guard let result = await session?.giveUp().map(result) else { throw error }
            // The older file is already gone, so the new recording stays.
            guard !replacing else { throw error.with(result.preview) }
            result.deleteFile()
            throw error
        }
    }

    /// Cancels a countdown, or a start that has not succeeded yet: `startBroadcast` throws `cancelled`.
    public func cancelStart() {
        let start = contents.withLock { contents in
            contents.start?.isCancelled = true
            return contents.start
        }
        start?.countdown?.cancel()
        start?.outcome.fulfil(.failure(.cancelled))
    }

    private var isStartCancelled: Bool { contents.withLock { $0.start?.isCancelled == true } }

    private func countDown(_ seconds: Int) async throws(BroadcastError) {
        guard seconds > 0 else { return }
        let task = Task { [weak self, second, presenter] in
            for left in (1...seconds).reversed() {
                try Task.checkCancellation()
                guard self?.isStartCancelled != true else { throw CancellationError() }
                self?.tell(.countdown(left))
                await presenter?.showCountdown(left) { [weak self] in self?.cancelStart() }
                try await second()
            }
        }
        contents.withLock { $0.start?.countdown = task }
        // The start may have been cancelled before the task was stored.
        if isStartCancelled { task.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            try Task.checkCancellation()
        } catch {
            throw .cancelled
        }
    }

    private func begin(
        _ setup: BroadcastSetup, _ start: Start, output: String?, replacing: Bool
    ) async throws(BroadcastError) {
        let (settings, outlivesApp) = contents.withLock { contents in
            contents.progress.takeRequested()
            contents.start?.countdown = nil
            return (contents.settings, contents.outlivesApp)
        }
        let session: EngineSession
        do throws(RecordingError) {
            session = try await TakeStart(app: app, locator: locator, settings: settings).session { _, configuration in
                configuration.output = output
                configuration.overwrite = replacing
                configuration.isOutputPrivate = false
                configuration.destinations = [setup.destination]
                configuration.outlivesClient = outlivesApp
                configuration.wantsProgress = true
                return nil
            }.session
        } catch {
            throw BroadcastError(error)
        }
        contents.withLock { $0.session = session }
        listen(to: session)
        // Nil: the task was cancelled.
        try await (start.outcome.value() ?? .failure(.cancelled)).get()
        let now = contents.withLock { contents in
            contents.start = nil
            return contents.settings
        }
        if now.isMicrophoneEnabled != settings.isMicrophoneEnabled { tellMicrophone() }
        if now.camera != settings.camera { tellCamera() }
    }
}
