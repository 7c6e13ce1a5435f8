// What an app holds to broadcast: it starts, pauses and finishes a broadcast to a service, and finds it again after a restart.
import FoundationEssentials
import KineClient
import KineControl
import KinePlatform
import KineRelay
import Synchronization

/// Broadcasts what an app shows, to a service that a person has picked or that the app has set up. Capture and upload run in processes of
/// their own: the broadcast goes on when the app crashes or is killed, and `find` gives the app a controller for it.
///
/// All calls may come from any thread. When a broadcast is over, for whatever reason, the same controller can start another.
public final class BroadcastController: Sendable {
    struct Contents {
        var settings = ScreenRecorder.Settings()
        var outlivesApp = true
        var progress: BroadcastProgress
        var session: EngineSession?
        /// From the call of `startBroadcast` until it returns.
        var start: Start?
        var delegate = WeakDelegate()
    }

    struct Start {
        let outcome = Promise<Result<Void, BroadcastError>>()
        var countdown: Task<Void, any Error>?
    }

    struct WeakDelegate {
        weak var object: (any BroadcastControllerDelegate)?
    }

    /// The identifier of the service.
    public let extensionIdentifier: String
    /// Nil for a broadcast that was found again: the app that set it up knew its secrets.
    private let setup: BroadcastSetup?
    private let app: AppIdentity?
    private let presenter: (any BroadcastPresenter)?
    private let locator: EngineLocator
    /// Waits for a second of the countdown.
    private let second: @Sendable () async throws -> Void
    let contents: Mutex<Contents>
    private let listeners = EventListeners<Event>()
    private let infoListeners = EventListeners<[String: String]>()

    /// A controller without a picker, for an app with a form of its own.
    ///
    /// - Parameter app: who the app is; nil: as `kinecast-app.json` beside its executable says, or else the executable's name.
    public convenience init(_ setup: BroadcastSetup, app: AppIdentity? = nil) {
        self.init(setup, app: app, presenter: nil, locator: EngineLocator())
    }

    init(
        _ setup: BroadcastSetup, app: AppIdentity?, presenter: (any BroadcastPresenter)?, locator: EngineLocator,
        second: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) {
        extensionIdentifier = setup.service.id
        self.setup = setup
        self.app = app
        self.presenter = presenter
        self.locator = locator
        self.second = second
        contents = Mutex(Contents(progress: BroadcastProgress(broadcastURL: setup.broadcastURL)))
    }

    /// A controller of a broadcast that runs.
    init(_ status: TakeStatus, _ session: EngineSession, service: String) {
        extensionIdentifier = service
        setup = nil
        app = nil
        presenter = nil
        locator = EngineLocator()
        second = {}
        var contents = Contents(progress: BroadcastProgress(status))
        contents.session = session
        self.contents = Mutex(contents)
        listen(to: session)
    }

    /// A controller that is released leaves its broadcast as it is.
    deinit {
        contents.withLock { contents in
            contents.start?.countdown?.cancel()
            contents.session?.close()
        }
    }

    // MARK: State

    /// A broadcast runs, paused or not.
    public var isBroadcasting: Bool { contents.withLock { $0.progress.isBroadcasting } }

    public var isPaused: Bool { contents.withLock { $0.progress.isPaused } }

    /// Where the broadcast can be watched; nil while nobody has said so.
    public var broadcastURL: URL? { contents.withLock { $0.progress.broadcastURL } }

    /// What the service told last with `updateServiceInfo`. The keys are its own.
    public var serviceInfo: [String: String] { contents.withLock { $0.progress.serviceInfo } }

    /// `serviceInfo` whenever it has changed. Each call has a sequence of its own.
    public var serviceInfoUpdates: AsyncStream<[String: String]> { infoListeners.add() }

    /// The destinations, those that have ended included. One at first; `add` and `remove` change them.
    public var destinations: [BroadcastDestination] { contents.withLock { $0.progress.destinations } }

    /// The take's id, as `kinecast status` shows it; nil before the first frame.
    public var take: String? { contents.withLock { $0.progress.takeID } }

    /// `NAME=value` for a program that is to appear on a virtual screen; empty otherwise, and before the first frame.
    public var environment: [String] { contents.withLock { $0.progress.take?.environment ?? [] } }

    /// Is told what `events` tell. Not kept alive by the controller.
    public var delegate: (any BroadcastControllerDelegate)? {
        get { contents.withLock { $0.delegate.object } }
        set { contents.withLock { $0.delegate.object = newValue } }
    }

    /// What happens from now on. Each call has a sequence of its own.
    public var events: AsyncStream<Event> { listeners.add() }

    // MARK: What the next broadcast shows

    public var scope: CaptureScope {
        get { contents.withLock { $0.settings.scope } }
        set { contents.withLock { $0.settings.scope = newValue } }
    }

    /// The most frames a second; fewer where less changes.
    public var framesPerSecond: Int {
        get { contents.withLock { $0.settings.framesPerSecond } }
        set { contents.withLock { $0.settings.framesPerSecond = newValue } }
    }

    /// Whether the broadcast goes on when the app crashes or is killed. If not, the engine finishes it then.
    public var outlivesApp: Bool {
        get { contents.withLock { $0.outlivesApp } }
        set { contents.withLock { $0.outlivesApp = newValue } }
    }

    /// Whether the microphone is heard too. It can be turned on and off while a broadcast runs.
    public var isMicrophoneEnabled: Bool {
        get { contents.withLock { $0.settings.isMicrophoneEnabled } }
        set {
            let session: EngineSession? = contents.withLock { contents in
                contents.settings.isMicrophoneEnabled = newValue
                return contents.progress.isBroadcasting ? contents.session : nil
            }
            guard let session else { return }
            Task { [weak self] in
                do throws(ClientError) {
                    try await session.setMicrophone(isOn: newValue)
                } catch {
                    self?.tell(.warning(error.description))
                }
            }
        }
    }

    // MARK: Broadcasting

    /// Counts down, and starts the broadcast. Returns when the first frame is there and the service is live, or says why it is not yet
    /// and tries again, as when its server does not answer: `events` tells when it is live. Throws `cancelled` where the person, the
    /// task or `cancelStart` cancels; it can be started again after any error.
    ///
    /// - Parameters:
    ///   - url: a file to record to as well; one take makes both.
    ///   - replacing: an older file of that name is replaced.
    ///   - countdown: seconds until it begins; 0: at once.
    public func startBroadcast(
        recordingTo url: URL? = nil, replacing: Bool = false, countdown: Int = 3
    ) async throws(BroadcastError) {
        guard let setup else {
            throw BroadcastError(
                .unavailable, "A broadcast that was found again cannot be started anew; present the picker once more.")
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
            presenter?.close()
        } catch {
            presenter?.close()
            let session = contents.withLock { contents in
                contents.progress.startFailed()
                contents.start = nil
                defer { contents.session = nil }
                return contents.session
            }
            // Nothing of it stays, also where another client still watches.
            if let session { _ = try? await session.stop(immediately: true) }
            session?.close()
            throw error
        }
    }

    /// Cancels a countdown, or a start that has not succeeded yet: `startBroadcast` throws `cancelled`.
    public func cancelStart() {
        let start = contents.withLock { $0.start }
        start?.countdown?.cancel()
        start?.outcome.fulfil(.failure(.cancelled))
    }

    private func countDown(_ seconds: Int) async throws(BroadcastError) {
        guard seconds > 0 else { return }
        let task = Task { [weak self, second, presenter] in
            for left in (1...seconds).reversed() {
                try Task.checkCancellation()
                self?.tell(.countdown(left))
                presenter?.showCountdown(left) { [weak self] in self?.cancelStart() }
                try await second()
            }
        }
        contents.withLock { $0.start?.countdown = task }
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
            contents.progress.takeRequested([setup.destination])
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
        contents.withLock { $0.start = nil }
    }

    /// Nothing is broadcast until `resumeBroadcast`; the extension gets `broadcastPaused()`.
    public func pauseBroadcast() async throws(BroadcastError) {
        if isPaused { return }
        try await ask(until: .paused) { (session) async throws(ClientError) in try await session.pause() }
    }

    public func resumeBroadcast() async throws(BroadcastError) {
        guard isPaused else { return try requireBroadcast() }
        try await ask(until: .resumed) { (session) async throws(ClientError) in try await session.resume() }
    }

    /// Returns when the event has been told too, so that the controller's state is what was asked for.
    private func ask(
        until awaited: Event, _ request: (EngineSession) async throws(ClientError) -> Void
    ) async throws(BroadcastError) {
        let events = listeners.add()
        try await ask(request)
        for await event in events {
            if event == awaited { return }
            if case .finished = event { throw .notBroadcasting }
        }
        throw .cancelled
    }

    /// Ends the broadcast, and waits until the service and the recording are finished. If the service failed meanwhile, the error has the
    /// preview of the recording. Nil: nothing was recorded.
    @discardableResult
    public func finishBroadcast() async throws(BroadcastError) -> RecordingPreview? {
        let session = try contents.withLock { contents throws(BroadcastError) in
            try contents.progress.finishRequested()
            return contents.session
        }
        defer {
            contents.withLock { contents in
                contents.progress.finished()
                contents.session = nil
            }
            session?.close()
        }
        let outcome: TakeOutcome
        do throws(ClientError) {
            guard let session else { throw .takeIsOver }
            outcome = try await session.stop()
        } catch {
            throw BroadcastError(error)
        }
        let result = RecordingResult(outcome, hasBegun: true)
        let summary = if case .finished(let summary) = outcome { summary.destinations } else { [DestinationStatus]() }
        let failure = result.error.map { BroadcastError($0) } ?? contents.withLock { $0.progress.failure(in: summary) }
        if let failure { throw failure.with(result.preview) }
        return result.preview
    }

    // MARK: Further destinations

    /// Broadcasts to a further service while the broadcast goes on. Returns its number among `destinations`.
    @discardableResult
    public func add(_ setup: BroadcastSetup) async throws(BroadcastError) -> Int {
        let number = try await ask { (session) async throws(ClientError) in
            try await session.addDestination(setup.destination)
        }
        contents.withLock { $0.progress.added(setup.destination, number: number) }
        return number
    }

    /// Finishes the broadcast to one destination while the others go on. Refused for the last one of a broadcast without a recording.
    public func remove(_ number: Int) async throws(BroadcastError) {
        _ = try await ask { (session) async throws(ClientError) in try await session.removeDestination(number) }
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

    // MARK: Events

    private func listen(to session: EngineSession) {
        Task { [weak self] in
            for await event in session.events { self?.received(event, of: session) }
        }
    }

    private func received(_ event: SessionEvent, of session: EngineSession) {
        let (actions, start) = contents.withLock { contents in
            // One that is over already says nothing about the next.
            guard contents.session === session else { return ([BroadcastProgress.Action](), nil as Start?) }
            return (contents.progress.received(event), contents.start)
        }
        for action in actions {
            switch action {
            case .tell(let event): tell(event)
            case .begun: start?.outcome.fulfil(.success(()))
            case .failedToBegin(let error): start?.outcome.fulfil(.failure(error))
            case .over(let outcome): over(outcome, session)
            }
        }
    }

    private func over(_ outcome: TakeOutcome, _ session: EngineSession) {
        let result = RecordingResult(outcome, hasBegun: true)
        let error = contents.withLock { contents in
            contents.session = nil
            return contents.progress.error(of: result)
        }
        session.close()
        tell(.finished(preview: result.preview, error: error))
    }

    private func tell(_ event: Event) {
        listeners.tell(event)
        if case .serviceInfoChanged(let info) = event { infoListeners.tell(info) }
        guard let delegate else { return }
        switch event {
        case .finished(let preview, let error):
            delegate.broadcastController(self, didFinishWith: preview, error: error)
        case .serviceInfoChanged(let info): delegate.broadcastController(self, didUpdateServiceInfo: info)
        case .broadcastURLChanged(let url): delegate.broadcastController(self, didUpdateBroadcast: url)
        case .countdown, .live, .reconnecting, .paused, .resumed, .warning, .serviceEnded: break
        }
    }
}
