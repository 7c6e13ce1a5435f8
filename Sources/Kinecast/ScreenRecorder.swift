// What an app holds to record itself, or the screen.
import FoundationEssentials
import KineClient
import KineControl
import KineMedia
import KinePlatform
import KineRelay
import Synchronization

/// Records what an app shows. Capture, encoding and writing run in an engine, a process of its own: an app that crashes or is killed
/// loses nothing, and an engine that dies leaves a file that plays.
///
/// All calls may come from any thread. There is one recording at a time for each recorder.
public final class ScreenRecorder: Sendable {
    /// A recorder for the whole app.
    public static let shared = ScreenRecorder()

    public enum Event: Sendable {
        /// Whether `isAvailable` is true now.
        case availabilityChanged(Bool)
        /// The screen that is recorded was locked or unlocked. While it is locked, the recording pauses, or shows a plain card, as
        /// `keepsRunningWhenLocked` says.
        case screenLocked(Bool)
        /// Something a person should know while the recording goes on; one sentence.
        case warning(String)
        /// The recording ended without a call of the app: because of `error`, which is `userStopped` where the person did it at the
        /// desktop, or as another program stopped it (nil). `preview` is what there is of it.
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
        var scope = CaptureScope.ownWindow
        var isMicrophoneEnabled = false
        var framesPerSecond = 30
        var showsCursor = true
        /// Of the next recording.
        var clipBuffer: Duration?
        var keepsRunningWhenLocked = false
    }

    /// A recording or a capture that runs.
    struct Active: Sendable {
        var session: EngineSession
        /// Nil: a capture.
        var file: URL?
        var start: Start
        /// `exportClip` can save its last moments.
        var hasClipBuffer = false
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
        fileprivate var delegate = WeakDelegate()
        /// Runs from the first time that somebody wants events.
        fileprivate var availabilityWatch: Task<Void, Never>?
    }

    fileprivate struct WeakDelegate {
        weak var object: (any ScreenRecorderDelegate)?
    }

    private let identity: AppIdentity?
    let locator: EngineLocator
    private let store: RecordingStore?
    let contents = Mutex(Contents())
    private let listeners = EventListeners<Event>()
    /// A take of its own beside the recording.
    let clipTake = ClipTake()

    /// - Parameter app: who the app is; nil: as `kinecast-app.json` beside its executable says, or else the executable's name.
    public convenience init(app: AppIdentity? = nil) { self.init(app: app, locator: EngineLocator()) }

    /// - Parameter store: nil: the app's own.
    init(app: AppIdentity?, locator: EngineLocator, store: RecordingStore? = nil) {
        identity = app
        self.locator = locator
        self.store = store
    }

    /// A recorder that is released ends its recording, whose file stays.
    deinit {
        contents.withLock { contents in
            contents.availabilityWatch?.cancel()
            if case .recording(let active) = contents.state { active.session.close() }
        }
    }

    /// Is told what `events` tell. Not kept alive by the recorder.
    public var delegate: (any ScreenRecorderDelegate)? {
        get { contents.withLock { $0.delegate.object } }
        set {
            contents.withLock { $0.delegate.object = newValue }
            watchAvailability()
        }
    }

    /// What happens from now on. Each call has a sequence of its own.
    public var events: AsyncStream<Event> {
        defer { watchAvailability() }
        return listeners.add()
    }

    /// The app's recordings that it has not saved yet.
    func recordings() throws(RecordingError) -> RecordingStore {
        if let store { store } else { RecordingStore(try AppIdentity.checked(identity)) }
    }

    /// Whether a recording of `scope` could begin now: there are an engine, and what it needs. The machine is asked each time.
    public var isAvailable: Bool {
        get async { await Availability.check(scope, locator) }
    }

    /// Compares cheap signs every two seconds, and asks the machine where they have changed.
    private func watchAvailability() {
        contents.withLock { contents in
            guard contents.availabilityWatch == nil else { return }
            contents.availabilityWatch = Task { [weak self, locator] in
                var signs = Availability.Signs(locator)
                var wasAvailable = await self?.isAvailable
                while (try? await Task.sleep(for: .seconds(2))) != nil {
                    let now = Availability.Signs(locator)
                    guard now != signs else { continue }
                    signs = now
                    guard let self else { return }
                    let isAvailable = await self.isAvailable
                    if isAvailable != wasAvailable { self.tell(.availabilityChanged(isAvailable)) }
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

    /// What the next recording shows.
    public var scope: CaptureScope {
        get { contents.withLock { $0.settings.scope } }
        set { contents.withLock { $0.settings.scope = newValue } }
    }

    /// Whether the microphone is recorded too, mixed with the app's audio. It can be turned on and off while a recording runs; while
    /// it is off, its device is closed. An event warns where there is no microphone, or where the person does not allow it, which turns
    /// it off again.
    public var isMicrophoneEnabled: Bool {
        get { contents.withLock { $0.settings.isMicrophoneEnabled } }
        set {
            contents.withLock { $0.settings.isMicrophoneEnabled = newValue }
            for session in [recording?.session, clipTake.session].compactMap(\.self) {
                Task { [weak self] in
                    do throws(ClientError) {
                        try await session.setMicrophone(isOn: newValue)
                    } catch {
                        // The person may not allow it.
                        if newValue { self?.contents.withLock { $0.settings.isMicrophoneEnabled = false } }
                        self?.tell(.warning(error.description))
                    }
                }
            }
        }
    }

    /// The most frames a second of the next recording; fewer where less changes.
    public var framesPerSecond: Int {
        get { contents.withLock { $0.settings.framesPerSecond } }
        set { contents.withLock { $0.settings.framesPerSecond = newValue } }
    }

    /// Whether the next recording shows the mouse cursor.
    public var showsCursor: Bool {
        get { contents.withLock { $0.settings.showsCursor } }
        set { contents.withLock { $0.settings.showsCursor = newValue } }
    }

    /// The time that the next recording also keeps for `exportClip`, 30 minutes at most; nil: it keeps none.
    public var recordingClipBuffer: Duration? {
        get { contents.withLock { $0.settings.clipBuffer } }
        set { contents.withLock { $0.settings.clipBuffer = newValue } }
    }

    /// The recording or capture that runs.
    var recording: Active? {
        contents.withLock { if case .recording(let active) = $0.state { active } else { nil } }
    }

    /// Whether the next recording goes on while the screen is locked, with a plain card instead of the lock screen; otherwise it pauses
    /// meanwhile. A virtual screen is never locked.
    public var keepsRunningWhenLocked: Bool {
        get { contents.withLock { $0.settings.keepsRunningWhenLocked } }
        set { contents.withLock { $0.settings.keepsRunningWhenLocked = newValue } }
    }

    /// Starts a recording. Returns when its first frame is there.
    ///
    /// - Parameter outlivesApp: where the app ends or is killed, the recording goes on until somebody stops it: the app with
    ///   `resumeControl()` when it runs again, or `kinecast stop`. Otherwise the recording ends with the app, and its file is complete.
    @discardableResult
    public func startRecording(outlivesApp: Bool = false) async throws(RecordingError) -> Start {
        try await start { _, configuration throws(RecordingError) in
            let file = try recordings().newFile()
            configuration.output = file.path
            configuration.outlivesClient = outlivesApp
            configuration.clipBuffer = try recordingClipBuffer.map(Self.checkedClipBuffer)
            return file
        } prepare: { _ throws(RecordingError) in
        }.start
    }

    /// Starts a capture: the app gets the samples itself, and no file is written. Returns when the first frame is there. The handler is
    /// called on a thread of its own until the capture ends.
    @discardableResult
    public func startCapture(
        _ request: SampleRequest = .uncompressed, handler: @escaping CaptureHandler
    ) async throws(RecordingError) -> Start {
        try await startCapture(request, handler: handler, ended: {})
    }

    /// The same for a `for await` loop.
    public func startCapture(_ request: SampleRequest = .uncompressed) async throws(RecordingError) -> CapturedSamples {
        let exchange = SampleExchange()
        try await startCapture(request, handler: { sample, _ in exchange.hand(sample) }, ended: { exchange.finish() })
        return CapturedSamples(exchange: exchange)
    }

    @discardableResult
    private func startCapture(
        _ request: SampleRequest, handler: @escaping CaptureHandler, ended: @escaping @Sendable () -> Void
    ) async throws(RecordingError) -> Start {
        try await start { _, configuration in
            configuration.expectedSamples = [request]
            return nil
        } prepare: { session throws(RecordingError) in
            let feed: ClientFeed
            do throws(ClientError) {
                feed = try await session.receiveSamples(request)
            } catch {
                throw RecordingError(error)
            }
            try CaptureReader.start(feed) { [weak self] sample, type in
                // The engine sends silence for a microphone that is off.
                if type == .audioMic, self?.isMicrophoneEnabled != true { return }
                handler(sample, type)
            } ended: {
                ended()
            }
        }.start
    }

    /// Starts a take and waits for its first frame.
    ///
    /// - Parameters:
    ///   - configure: completes what the engine is asked for; returns the file that it writes.
    ///   - prepare: called before the first frame.
    private func start(
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
            return active
        } catch {
            contents.withLock { $0.state = .idle }
            throw error
        }
    }

    /// The same for any take of this recorder.
    func begin(
        _ configure: (AppIdentity, inout TakeConfiguration) throws(RecordingError) -> URL?,
        prepare: (EngineSession) async throws(RecordingError) -> Void = { _ throws(RecordingError) in }
    ) async throws(RecordingError) -> Active {
        var hasClipBuffer = false
        let (session, file) = try await TakeStart(
            app: identity, locator: locator, settings: contents.withLock { $0.settings }
        ).session { app, configuration throws(RecordingError) in
            defer { hasClipBuffer = configuration.clipBuffer != nil }
            return try configure(app, &configuration)
        }
        try await prepare(session)
        return try await active(session, file: file, hasClipBuffer: hasClipBuffer)
    }

    /// Waits for a take's first frame.
    func active(
        _ session: EngineSession, file: URL?, hasClipBuffer: Bool
    ) async throws(RecordingError) -> Active {
        let take = try await firstFrame(session)
        return Active(
            session: session, file: file, start: Start(take: take.id, size: take.size, environment: take.environment),
            hasClipBuffer: hasClipBuffer)
    }

    /// The recorder records from now on, and is told of the take's end.
    func watch(_ active: Active) {
        contents.withLock { $0.state = .recording(active) }
        Task { [weak self] in
            for await event in active.session.events { self?.received(event, of: active) }
        }
    }

    private func firstFrame(_ session: EngineSession) async throws(RecordingError) -> TakeStarted {
        var events = session.events.makeAsyncIterator()
        while let event = await events.next(isolation: nil) {
            switch event {
            case .started(let take): return take
            case .warning(let sentence): tell(.warning(sentence))
            case .ended(let outcome): throw RecordingResult(outcome, hasBegun: false).error ?? .cancelled
            default: continue
            }
        }
        throw .cancelled
    }

    private func received(_ event: SessionEvent, of active: Active) {
        switch event {
        case .warning(let sentence): tell(.warning(sentence))
        case .screenLocked(let isLocked): tell(.screenLocked(isLocked))
        case .ended(let outcome): ended(active, outcome)
        default: break
        }
    }

    /// The take is over, whoever ended it.
    private func ended(_ active: Active, _ outcome: TakeOutcome) {
        let wasRunning = contents.withLock { contents in
            guard case .recording(let current) = contents.state, current.session === active.session else {
                return false
            }
            contents.state = .idle
            return true
        }
        guard wasRunning else { return }
        let result = RecordingResult(outcome, hasBegun: true, editor: RecordingEditor(locator))
        tell(
            .stopped(preview: result.preview, error: result.error ?? (result.isStoppedAtDesktop ? .userStopped : nil)))
    }

    func tell(_ event: Event) {
        listeners.tell(event)
        guard let delegate else { return }
        switch event {
        case .availabilityChanged: delegate.screenRecorderDidChangeAvailability(self)
        case .warning: break
        case .screenLocked(let isLocked): delegate.screenRecorder(self, didChangeScreenLock: isLocked)
        case .stopped(let preview, let error):
            delegate.screenRecorder(self, didStopRecordingWith: preview, error: error)
        case .clipBufferingStopped(let error):
            delegate.screenRecorder(self, didStopClipBufferingWith: error)
        }
    }

    /// Records nothing until `resumeRecording`. The file goes on as if no time had passed.
    public func pauseRecording() async throws(RecordingError) {
        let session = try running().session
        do throws(ClientError) { try await session.pause() } catch { throw RecordingError(error) }
    }

    public func resumeRecording() async throws(RecordingError) {
        let session = try running().session
        do throws(ClientError) { try await session.resume() } catch { throw RecordingError(error) }
    }

    private func running() throws(RecordingError) -> Active {
        try contents.withLock { contents throws(RecordingError) in
            guard case .recording(let active) = contents.state else { throw .notRecording }
            return active
        }
    }

    /// Ends the recording and waits until its file is finished. If it failed meanwhile, the error has the preview of what there is.
    public func stopRecording() async throws(RecordingError) -> RecordingPreview {
        let result = try await stop(isCapture: false)
        if let error = result.error { throw error.with(result.preview) }
        guard let preview = result.preview else {
            throw RecordingError(.failed, "Nothing was recorded; record longer.")
        }
        return preview
    }

    /// Ends the recording and moves its file there. If that fails, the error has the preview, whose file is as it was.
    public func stopRecording(to url: URL, replacing: Bool = false) async throws(RecordingError) {
        let preview = try await stopRecording()
        do throws(RecordingError) {
            try await preview.save(to: url, replacing: replacing)
        } catch {
            throw error.with(preview)
        }
    }

    /// Ends the recording and deletes what was recorded.
    public func discardRecording() async throws(RecordingError) {
        if let file = try await stop(isCapture: false).preview?.url { try? FileManager.default.removeItem(at: file) }
    }

    /// Ends a capture. The handler is still called for the samples that were there before.
    public func stopCapture() async throws(RecordingError) {
        if let error = try await stop(isCapture: true).error { throw error }
    }

    private func stop(isCapture: Bool) async throws(RecordingError) -> RecordingResult {
        let active = try contents.withLock { contents throws(RecordingError) in
            guard case .recording(let active) = contents.state, (active.file == nil) == isCapture else {
                throw .notRecording
            }
            contents.state = .stopping
            return active
        }
        defer { contents.withLock { $0.state = .idle } }
        // Until then the engine leaves a program on the private screen its time to end.
        defer { active.session.close() }
        do throws(ClientError) {
            return RecordingResult(
                try await active.session.stop(), hasBegun: true, editor: RecordingEditor(locator))
        } catch {
            throw RecordingError(error)
        }
    }
}
