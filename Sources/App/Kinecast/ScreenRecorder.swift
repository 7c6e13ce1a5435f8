// What an app holds to record itself, or the screen.
import FoundationEssentials
import KineClient
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// Records what an app shows. Capture, encoding and writing run in an engine, a process of its own: an app that crashes or is killed
/// loses nothing, and an engine that dies leaves a file that plays.
///
/// All calls may come from any thread. There is one recording at a time for each recorder.
@dynamicMemberLookup
public final class ScreenRecorder: Sendable {
    /// A recorder for the whole app.
    public static let shared = ScreenRecorder()

    public enum Event: Sendable {
        /// Whether `isAvailable` is true now. Told where the engine or the display has changed. Windows and monitors that come and go are
        /// not watched, and `scope` is the app's to change.
        case availabilityChanged(Bool)
        /// The screen that is recorded was locked or unlocked. While it is locked, the recording pauses, or shows a plain card, as
        /// `keepsRunningWhenLocked` says.
        case screenLocked(Bool)
        /// Something a person should know while the recording goes on; one sentence.
        case warning(String)
        /// The recording ended without a call of the app: because of `error`, which is `userStopped` where the person did it at the
        /// desktop and `sourceEnded` where the window was closed, or as another program stopped it (nil). `preview` is what there is of it.
        case stopped(preview: RecordingPreview?, error: RecordingError?)
        /// Clip buffering ended without a call of the app: because of an error, or as somebody else stopped it (nil).
        case clipBufferingStopped(error: RecordingError?)
    }

    /// What a recording has become by its first frame.
    public struct Start: Sendable, Equatable {
        /// The take's id, as `kinecast status` shows it.
        public var take: String
        /// The frame in pixels.
        public var size: PixelSize
        /// `NAME=value` for a program that is to appear on a virtual screen; empty otherwise.
        public var environment: [String]
    }

    /// What the app has chosen.
    struct Settings: Sendable {
        var capture = CaptureSettings()
        var isMicrophoneEnabled = false
        var camera: Camera?
        /// Of recordings; captures and broadcasts have the standard one.
        var colour = ColourFormat.standard
        /// Of the next recording.
        var clipBuffer: Duration?
    }

    /// A recording or a capture that runs.
    struct Active: Sendable {
        var session: EngineSession
        /// Nil: a capture.
        var file: URL?
        var start: Start
        /// `exportClip` can save its last moments.
        var hasClipBuffer = false
        /// By the time of its first frame.
        var isScreenLocked = false
        var isPaused = false
        var begunWithMicrophone = false
        var begunWithCamera: Camera?
    }

    enum State: Sendable {
        case idle
        case starting
        case recording(Active)
        case stopping
    }

    struct Contents {
        var settings = Settings()
        var state = State.idle
        /// Of a capture by a loop.
        var samples: SampleExchange?
        fileprivate var delegate = WeakDelegate()
        /// Runs from the first time that somebody wants events.
        fileprivate var availabilityWatch: Task<Void, Never>?
    }

    fileprivate struct WeakDelegate {
        weak var object: (any ScreenRecorderDelegate)?
    }

    let identity: AppIdentity?
    let locator: EngineLocator
    /// The app's recordings that it has not saved yet.
    let store: RecordingStore
    let contents = Mutex(Contents())
    private let listeners = EventListeners<Event>()
    private let delegateCalls = DelegateCalls<Event>()
    /// Told whether the recording is paused, whenever that changes; nil: it is over.
    let pauses = EventListeners<Bool?>()
    /// A take of its own beside the recording.
    let clipTake = ClipTake()

    /// - Parameter app: who the app is; nil: as `kinecast-app.json` beside its executable says, or else the executable's name.
    public convenience init(app: AppIdentity? = nil) { self.init(app: app, locator: EngineLocator()) }

    /// - Parameter store: nil: the app's own.
    init(app: AppIdentity?, locator: EngineLocator, store: RecordingStore? = nil) {
        identity = app
        self.locator = locator
        var store = store ?? RecordingStore(app)
        store.editor = RecordingEditor(locator)
        self.store = store
    }

    /// A recorder that is released ends its recording, whose file stays.
    deinit {
        contents.withLock { contents in
            contents.availabilityWatch?.cancel()
            if case .recording(let active) = contents.state { active.session.close() }
            contents.samples?.finish()
        }
    }

    /// Receives the same events as `events`. Held weakly.
    public var delegate: (any ScreenRecorderDelegate)? {
        get { contents.withLock { $0.delegate.object } }
        set {
            contents.withLock { $0.delegate.object = newValue }
            delegateCalls.begin { [weak self] in await self?.callDelegate($0) }
            watchAvailability()
        }
    }

    /// What happens from now on, over all recordings, until the recorder is released. Each access makes a sequence of its own.
    public var events: AsyncStream<Event> {
        defer { watchAvailability() }
        return listeners.add()
    }

    /// Whether a recording of `scope` could begin now: there are an engine, and what it needs. The machine is asked each time.
    public var isAvailable: Bool {
        get async { await Availability.check(captureSettings.scope, locator) }
    }

    /// Compares cheap signs every two seconds, and asks the machine where they have changed.
    private func watchAvailability() {
        contents.withLock { contents in
            guard contents.availabilityWatch == nil else { return }
            contents.availabilityWatch = Task { [weak self, locator] in
                guard var signs = self.map({ Availability.Signs($0.scope, locator) }) else { return }
                var wasAvailable = await self?.isAvailable
                while (try? await Task.sleep(for: .seconds(2))) != nil {
                    guard let self else { return }
                    let now = Availability.Signs(self.captureSettings.scope, locator)
                    guard now != signs else { continue }
                    let isSameScope = now.scope == signs.scope
                    signs = now
                    let isAvailable = await self.isAvailable
                    if isSameScope, isAvailable != wasAvailable { self.tell(.availabilityChanged(isAvailable)) }
                    wasAvailable = isAvailable
                }
            }
        }
    }

    public var isRecording: Bool {
        contents.withLock {
            switch $0.state {
            case .recording, .stopping: true
            case .idle, .starting: false
            }
        }
    }

    /// Nothing is recorded now: the app has paused the recording or capture, the screen is locked, or somebody else has paused it.
    public var isPaused: Bool { recording?.isPaused ?? false }

    func tell(_ event: Event) {
        listeners.tell(event)
        delegateCalls.tell(event)
    }

    private func callDelegate(_ event: Event) async {
        guard let delegate else { return }
        switch event {
        case .availabilityChanged: await delegate.screenRecorderDidChangeAvailability(self)
        case .warning: break
        case .screenLocked(let isLocked): await delegate.screenRecorder(self, didChangeScreenLock: isLocked)
        case .stopped(let preview, let error):
            await delegate.screenRecorder(self, didStopRecordingWith: preview, error: error)
            await delegate.screenRecorder(self, didStopRecordingWith: preview, error: error as (any Error)?)
        case .clipBufferingStopped(let error):
            await delegate.screenRecorder(self, didStopClipBufferingWith: error)
        }
    }
}

extension ScreenRecorder.Event: CustomStringConvertible {
    public var description: String {
        switch self {
        case .availabilityChanged(let isAvailable): isAvailable ? "available" : "not available"
        case .screenLocked(let isLocked): isLocked ? "screen locked" : "screen unlocked"
        case .warning(let sentence): "warning: \(sentence)"
        case .stopped(let preview, let error): "stopped" + detail(preview) + detail(error)
        case .clipBufferingStopped(let error): "clip buffering stopped" + detail(error)
        }
    }
}

/// What follows the name of an event.
func detail(_ part: (some CustomStringConvertible)?) -> String { part.map { ": \($0)" } ?? "" }
