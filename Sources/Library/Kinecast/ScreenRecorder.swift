// The object with which an app records itself, or the screen.
import FoundationEssentials
import KineClient
import KineMedia
import KinePlatform
import KineWire
import Synchronization

/// Records what an app shows. Capture, encoding and writing run in an engine, a separate process: if the app crashes,
/// nothing is lost, and if the engine dies, the file still plays.
///
/// All methods may be called from any thread. A recorder makes one recording at a time.
@dynamicMemberLookup
public final class ScreenRecorder: Sendable {
    /// A recorder for the whole app.
    public static let shared = ScreenRecorder()

    public enum Event: Sendable, CustomStringConvertible {
        /// The new value of `isAvailable`. Sent after the engine or the display has changed, but not for windows and
        /// monitors, and not when the app changes `scope`.
        case availabilityChanged(Bool)
        /// The recorded screen was locked or unlocked. While it is locked, the recording pauses or shows a plain card;
        /// see `keepsRunningWhenLocked`.
        case screenLocked(Bool)
        /// A sentence for a person about a problem that does not end the recording.
        case warning(String)
        /// The recording ended without a call of the app. `error` is `userStopped` after a stop at the desktop,
        /// `sourceEnded` for a closed window, nil if another program stopped it. `preview` is the recording, if any.
        case stopped(preview: RecordingPreview?, error: RecordingError?)
        /// Clip buffering ended without a call of the app. `error` is nil if another program stopped it.
        case clipBufferingStopped(error: RecordingError?)

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

    /// The properties of a recording that has begun.
    public struct Start: Sendable, Equatable {
        /// The take's id, as `kinecast status` shows it.
        public var take: String
        /// The frame size in pixels.
        public var size: PixelSize
        /// `NAME=value` for programs to appear on the virtual screen; empty for other scopes.
        public var environment: [String]
    }

    /// The app's settings.
    struct Settings: Sendable {
        var capture = CaptureSettings()
        var isMicrophoneEnabled = false
        var camera: Camera?
        /// For recordings; captures and broadcasts use the standard one.
        var colour = ColourFormat.standard
        /// For the next recording.
        var clipBuffer: Duration?
    }

    /// A running recording or capture.
    struct Active: Sendable {
        var session: EngineSession
        /// Nil for a capture.
        var file: URL?
        var start: Start
        /// Whether `exportClip` can save its last moments.
        var hasClipBuffer = false
        /// Whether the screen was locked at the first frame.
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
        /// The sequence of a capture that a loop reads.
        var samples: SampleExchange?
        fileprivate var delegate = WeakDelegate()
        /// Runs from the first use of `events` or `delegate`.
        fileprivate var availabilityWatch: Task<Void, Never>?
    }

    fileprivate struct WeakDelegate {
        weak var object: (any ScreenRecorderDelegate)?
    }

    let identity: AppIdentity?
    let locator: EngineLocator
    /// The app's unsaved recordings.
    let store: RecordingStore
    let contents = Mutex(Contents())
    private let listeners = EventListeners<Event>()
    private let delegateCalls = DelegateCalls<Event>()
    /// Gets each new value of `isPaused`; nil: the recording is over.
    let pauses = EventListeners<Bool?>()
    let clipTake = ClipTake()

    /// - Parameter app: the app's identity; nil: `kinecast-app.json` beside its executable, or the executable's name.
    public convenience init(app: AppIdentity? = nil) { self.init(app: app, locator: EngineLocator()) }

    /// - Parameter store: nil: the app's own.
    init(app: AppIdentity?, locator: EngineLocator, store: RecordingStore? = nil) {
        identity = app
        self.locator = locator
        var store = store ?? RecordingStore(app)
        store.editor = RecordingEditor(locator)
        self.store = store
    }

    /// Ends the recording, whose file stays.
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

    /// The events of all recordings from now on, until the recorder is released. Each access returns a new sequence.
    public var events: AsyncStream<Event> {
        defer { watchAvailability() }
        return listeners.add()
    }

    /// Whether a recording of `scope` could begin now: the engine and all it needs exist. Each access checks.
    public var isAvailable: Bool {
        get async { await Availability.check(captureSettings.scope, locator) }
    }

    /// Compares cheap signs every two seconds, and checks `isAvailable` after they have changed.
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

    /// Whether the recording or capture is paused: by the app, by another program, or because the screen is locked.
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

/// The text that follows the name of an event.
func detail(_ part: (some CustomStringConvertible)?) -> String { part.map { ": \($0)" } ?? "" }
