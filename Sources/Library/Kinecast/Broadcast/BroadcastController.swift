// The object with which an app broadcasts: starts, pauses and finishes a broadcast, and finds it after a restart.
import FoundationEssentials
import KineClient
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// Broadcasts what an app shows to a service. Capture and upload run in separate processes: the broadcast goes on when
/// the app crashes or is killed, and `find` gives the restarted app a controller for it.
///
/// All methods may be called from any thread. After a broadcast has ended, the same controller can start another.
@dynamicMemberLookup
public final class BroadcastController: Sendable {
    struct Contents {
        var settings = ScreenRecorder.Settings()
        var outlivesApp = true
        var progress: BroadcastProgress
        var session: EngineSession?
        /// Set while `startBroadcast` runs.
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
    /// Nil for a broadcast found by `find`: only the app that set it up had its secrets.
    let setup: BroadcastSetup?
    let app: AppIdentity?
    let presenter: (any BroadcastPresenter)?
    let locator: EngineLocator
    /// Waits for one second of the countdown.
    let second: @Sendable () async throws -> Void
    let contents: Mutex<Contents>
    let listeners = EventListeners<Event>()
    private let delegateCalls = DelegateCalls<Event>()
    private let infoListeners = EventListeners<[String: String]>()
    /// Gets a value whenever `contents.progress` may have changed.
    let changes = EventListeners<Void>()

    /// Creates a controller without a picker, for an app with its own form.
    ///
    /// - Parameters:
    ///   - setup: the service with all its settings.
    ///   - app: the app's identity; nil: `kinecast-app.json` beside its executable, or the executable's name.
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

    /// Creates a controller of a running broadcast.
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

    /// Leaves a running broadcast as it is.
    deinit {
        contents.withLock { contents in
            contents.start?.countdown?.cancel()
            contents.session?.close()
        }
    }

    /// Whether a broadcast runs, paused or not.
    public var isBroadcasting: Bool { contents.withLock { $0.progress.isBroadcasting } }

    public var isPaused: Bool { contents.withLock { $0.progress.isPaused } }

    /// The address at which the broadcast can be watched; nil while it is unknown.
    public var broadcastURL: URL? { contents.withLock { $0.progress.broadcastURL } }

    /// The last information that the service sent with `updateServiceInfo`. The service defines the keys.
    public var serviceInfo: [String: String] { contents.withLock { $0.progress.serviceInfo } }

    /// `serviceInfo` after each change, until the broadcast is over. Each access returns a new sequence.
    public var serviceInfoUpdates: AsyncStream<[String: String]> { infoListeners.add() }

    /// The destinations, including those that have ended. `add` and `remove` change them.
    public var destinations: [BroadcastDestination] { contents.withLock { $0.progress.destinations } }

    /// The take's id, as `kinecast status` shows it; nil before the first frame.
    public var take: String? { contents.withLock { $0.progress.takeID } }

    /// `NAME=value` for programs to appear on the virtual screen; empty for other scopes and before the first frame.
    public var environment: [String] { contents.withLock { $0.progress.take?.environment ?? [] } }

    /// Receives the same events as `events`. Held weakly.
    public var delegate: (any BroadcastControllerDelegate)? {
        get { contents.withLock { $0.delegate.object } }
        set {
            contents.withLock { $0.delegate.object = newValue }
            delegateCalls.begin { [weak self] in await self?.callDelegate($0) }
        }
    }

    /// The events from now on. The sequence ends with `finished`; a start that fails does not end it. Each access
    /// returns a new sequence; one requested after the end has the events of the next broadcast.
    public var events: AsyncStream<Event> { listeners.add() }

    /// The settings of the next broadcast. Each of them is also a property of this object.
    public var captureSettings: CaptureSettings {
        get { contents.withLock { $0.settings.capture } }
        set { contents.withLock { $0.settings.capture = newValue } }
    }

    public subscript<Value: Sendable>(dynamicMember setting: WritableKeyPath<CaptureSettings, Value>) -> Value {
        get { contents.withLock { $0.settings.capture[keyPath: setting] } }
        set { contents.withLock { $0.settings.capture[keyPath: setting] = newValue } }
    }

    /// The camera shown over the picture, with its place and looks; nil: none. Can be changed during a broadcast; see
    /// `ScreenRecorder.camera`.
    public var camera: Camera? {
        get { contents.withLock { $0.settings.camera } }
        set {
            let isStarting = contents.withLock { contents in
                contents.settings.camera = newValue
                return contents.start != nil
            }
            // A successful start compares the setting again.
            if !isStarting { tellCamera() }
        }
    }

    /// Makes the take's camera follow `camera`.
    func tellCamera() {
        contents.withLock { $0.session }?.followCamera {
            self.camera
        } refused: { error in
            self.contents.withLock { $0.settings.camera = nil }
            self.tell(.warning(error.description))
        }
    }

    /// Whether the broadcast goes on when the app crashes or is killed. If not, the engine then finishes it.
    public var outlivesApp: Bool {
        get { contents.withLock { $0.outlivesApp } }
        set { contents.withLock { $0.outlivesApp = newValue } }
    }

    /// Whether the broadcast includes the microphone. Can be changed during a broadcast.
    public var isMicrophoneEnabled: Bool {
        get { contents.withLock { $0.settings.isMicrophoneEnabled } }
        set {
            let isStarting = contents.withLock { contents in
                contents.settings.isMicrophoneEnabled = newValue
                return contents.start != nil
            }
            // A successful start compares the setting again.
            if !isStarting { tellMicrophone() }
        }
    }

    /// Makes the take's microphone follow `isMicrophoneEnabled`.
    func tellMicrophone() {
        contents.withLock { $0.session }?.followMicrophone {
            self.isMicrophoneEnabled
        } refused: { error in
            self.contents.withLock { $0.settings.isMicrophoneEnabled = false }
            self.tell(.warning(error.description))
        }
    }

    func listen(to session: EngineSession) {
        Task { [weak self] in
            for await event in session.events { self?.received(event, of: session) }
        }
    }

    private func received(_ event: SessionEvent, of session: EngineSession) {
        let (actions, start) = contents.withLock { contents in
            // A late event of an ended session must not change the next broadcast.
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

    /// Ends the broadcast. Its sequences are removed under the same lock, so they get no event of the next one.
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
