// What an app holds to broadcast: it starts, pauses and finishes a broadcast to a service, and finds it again after a restart.
import FoundationEssentials
import KineClient
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// Broadcasts what an app shows, to a service that a person has picked or that the app has set up. Capture and upload run in processes of
/// their own: the broadcast goes on when the app crashes or is killed, and `find` gives the app a controller for it.
///
/// All calls may come from any thread. When a broadcast is over, for whatever reason, the same controller can start another.
@dynamicMemberLookup
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
        var isCancelled = false
    }

    struct WeakDelegate {
        weak var object: (any BroadcastControllerDelegate)?
    }

    /// The identifier of the service.
    public let extensionIdentifier: String
    /// Nil for a broadcast that was found again: the app that set it up knew its secrets.
    let setup: BroadcastSetup?
    let app: AppIdentity?
    let presenter: (any BroadcastPresenter)?
    let locator: EngineLocator
    /// Waits for a second of the countdown.
    let second: @Sendable () async throws -> Void
    let contents: Mutex<Contents>
    let listeners = EventListeners<Event>()
    private let delegateCalls = DelegateCalls<Event>()
    private let infoListeners = EventListeners<[String: String]>()
    /// Told whenever `contents.progress` may have changed.
    let changes = EventListeners<Void>()

    /// A controller without a picker, for an app with a form of its own.
    ///
    /// - Parameters:
    ///   - setup: the service, with everything that it needs to know.
    ///   - app: who the app is; nil: as `kinecast-app.json` beside its executable says, or else the executable's name.
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
    init(
        _ status: TakeStatus, _ session: EngineSession, service: String, app: AppIdentity, locator: EngineLocator
    ) {
        extensionIdentifier = service
        setup = nil
        self.app = app
        presenter = nil
        self.locator = locator
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

    /// `serviceInfo` whenever it has changed, until the broadcast is over. Each access makes a sequence of its own.
    public var serviceInfoUpdates: AsyncStream<[String: String]> { infoListeners.add() }

    /// The destinations, those that have ended included. One at first; `add` and `remove` change them.
    public var destinations: [BroadcastDestination] { contents.withLock { $0.progress.destinations } }

    /// The take's id, as `kinecast status` shows it; nil before the first frame.
    public var take: String? { contents.withLock { $0.progress.takeID } }

    /// `NAME=value` for a program that is to appear on a virtual screen; empty otherwise, and before the first frame.
    public var environment: [String] { contents.withLock { $0.progress.take?.environment ?? [] } }

    /// Receives the same events as `events`. Held weakly.
    public var delegate: (any BroadcastControllerDelegate)? {
        get { contents.withLock { $0.delegate.object } }
        set {
            contents.withLock { $0.delegate.object = newValue }
            delegateCalls.begin { [weak self] in await self?.callDelegate($0) }
        }
    }

    /// What happens from now on, until `finished`, which is the last event: the sequence ends with it, and not with a start that fails. Each
    /// access makes a sequence of its own; one that is made after the end has the events of the next broadcast.
    public var events: AsyncStream<Event> { listeners.add() }

    // MARK: What the next broadcast shows

    /// The settings of the next broadcast. This object has each of them as a property too.
    public var captureSettings: CaptureSettings {
        get { contents.withLock { $0.settings.capture } }
        set { contents.withLock { $0.settings.capture = newValue } }
    }

    public subscript<Value: Sendable>(dynamicMember setting: WritableKeyPath<CaptureSettings, Value>) -> Value {
        get { contents.withLock { $0.settings.capture[keyPath: setting] } }
        set { contents.withLock { $0.settings.capture[keyPath: setting] = newValue } }
    }

    /// The camera that is shown over the picture, with its place and its looks; nil: none. It can be changed while a broadcast runs;
    /// see `ScreenRecorder.camera`.
    public var camera: Camera? {
        get { contents.withLock { $0.settings.camera } }
        set {
            let isStarting = contents.withLock { contents in
                contents.settings.camera = newValue
                return contents.start != nil
            }
            // A start that succeeds looks again.
            if !isStarting { tellCamera() }
        }
    }

    /// Has the take follow `camera`.
    func tellCamera() {
        contents.withLock { $0.session }?.followCamera {
            self.camera
        } refused: { error in
            self.contents.withLock { $0.settings.camera = nil }
            self.tell(.warning(error.description))
        }
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
            let isStarting = contents.withLock { contents in
                contents.settings.isMicrophoneEnabled = newValue
                return contents.start != nil
            }
            // A start that succeeds looks again.
            if !isStarting { tellMicrophone() }
        }
    }

    /// Has the take follow `isMicrophoneEnabled`.
    func tellMicrophone() {
        contents.withLock { $0.session }?.followMicrophone {
            self.isMicrophoneEnabled
        } refused: { error in
            self.contents.withLock { $0.settings.isMicrophoneEnabled = false }
            self.tell(.warning(error.description))
        }
    }

    // MARK: Events

    func listen(to session: EngineSession) {
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
        changes.tell(())
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
        let error = contents.withLock { $0.progress.error(of: outcome) }
        finished(session, preview: result(of: outcome).preview, error: error)
    }

    /// The broadcast is over, and the next one can be started. Its sequences are removed in the same moment, and none of them sees the next one.
    func finished(_ session: EngineSession?, preview: RecordingPreview?, error: BroadcastError?) {
        let (ended, endedInfos) = contents.withLock { contents in
            contents.progress.finished()
            contents.session = nil
            return (listeners.removeAll(), infoListeners.removeAll())
        }
        changes.tell(())
        session?.close()
        let event = Event.finished(preview: preview, error: error)
        for sequence in ended {
            sequence.yield(event)
            sequence.finish()
        }
        endedInfos.forEach { $0.finish() }
        delegateCalls.tell(event)
    }

    func result(of outcome: TakeOutcome) -> RecordingResult {
        var store = RecordingStore(app)
        store.editor = RecordingEditor(locator)
        return RecordingResult(outcome, isSaved: true, store: store)
    }

    func tell(_ event: Event) {
        listeners.tell(event)
        delegateCalls.tell(event)
        if case .serviceInfoChanged(let info) = event { infoListeners.tell(info) }
    }

    private func callDelegate(_ event: Event) async {
        guard let delegate else { return }
        switch event {
        case .finished(let preview, let error):
            await delegate.broadcastController(self, didFinishWith: preview, error: error)
            await delegate.broadcastController(self, didFinishWithError: error)
        case .serviceInfoChanged(let info): await delegate.broadcastController(self, didUpdateServiceInfo: info)
        case .broadcastURLChanged(let url): await delegate.broadcastController(self, didUpdateBroadcast: url)
        case .countdown, .live, .reconnecting, .paused, .resumed, .screenLocked, .log, .statistics, .warning,
            .serviceEnded:
            break
        }
    }
}
