// The take in the host's loop: the worker opens and finishes it, and the state machine's actions control it.
import KineCapture
import KineContainers
import KineMedia
import KinePlatform
import KineTake
import KineText
import KineWire

extension EngineHost {
    /// Checks the configuration, and opens the take if the person allows it. The others as in `ClientRequest.start`.
    func start(_ asked: TakeConfiguration, _ required: [String], _ confinement: ConfinementRequest) {
        var configuration = asked
        let request: TakeRequest
        do throws(EngineError) {
            let unknown = asked.unknown(among: required)
            guard unknown.isEmpty else { throw .unknownSettings(unknown) }
            permission = try TakePermission(clients.ownerProgram, configuration.app)
            // Only the engine's own kinecast may omit the indicator, whatever a message says.
            if permission?.subject != nil { configuration.isIndicated = true }
            request = try TakeRequest(configuration, confinement)
            if let camera = configuration.video.camera { try Self.check(camera) }
        } catch {
            return handle(.openFailed(error.failure))
        }
        self.request = request
        condition = TakeCondition(camera: configuration.video.camera)
        permission?.begin(capturing: configuration.capturedKinds)
        clients.listener = request.registration.listener
        clients.ownerWantsProgress = configuration.wantsProgress
        let desktop = TakeDesktop(configuration, of: permission?.subject, inbox: inbox)
        self.desktop = desktop
        handle(.openRequested)
        askPermission(configuration.capturedKinds, for: .beginning)
    }

    private static func check(_ camera: TakeConfiguration.Camera) throws(EngineError) {
        do throws(VideoSourceError) { _ = try CameraInput(camera) } catch { throw .take(.source(error)) }
    }

    func openTake() {
        guard let request else { return }
        let configuration = request.configuration
        let (inbox, cancellation) = (inbox, opening.cancellation)
        let services =
            request.destinations.map(\.service.manifest.samples)
            + configuration.expectedSamples.map { SampleRequirements($0) }
        let directory = request.registration.directory.escaped
        let cover = desktop?.cover ?? ScreenCover()
        worker.perform {
            inbox.post(
                .opened(
                    Result { () throws(TakeError) in
                        try OpenedTake(
                            configuration, services: services, directory: directory, cover: cover, inbox: inbox,
                            cancellation: cancellation)
                    }))
        }
    }

    func receive(_ message: Inbox.Message) {
        let now = MonotonicClock.now()
        switch message {
        case .take(.warning(let text)): clients.tellAll(.warning(text))
        case .opened(let result): takeOpened(result)
        case .desktop(let event): received(event, at: now)
        case .desktopService(let completion): desktopServices?.completed(completion, at: now)
        case .permission(let event): permission(event)
        // The take's threads start before the take arrives here: their messages are kept until then.
        case _ where opened == nil: opening.keep(message)
        case .take(let event): happened(event, at: now)
        case .recordingEnded(let ending): end.recordingEnded(ending)
        case .feed(let delivery): destinations?.feedReady(delivery, at: now)
        case .clientFeed(let delivery): clientFeeds.deliver(delivery, isPaused: machine.phase == .paused, at: now)
        case .clip(let delivery): clipExports.deliver(delivery)
        case .samplesEnded:
            destinations?.request(.finishRequested, at: now)
            clientFeeds.finished()
        }
    }

    private func happened(_ event: TakeEvent, at now: Int64) {
        switch event {
        case .warning(let text): clients.tellAll(.warning(text))
        case .cameraShown(let size):
            condition.cameraShown(size)
            clients.tellAll(.cameraShown(size))
        case .needsFrame(let instant): opened?.take.repeatFrame(at: instant)
        case .commandAwaited(let instant): handle(.commandAwaited(at: instant))
        case .began(let instant): handle(.began(at: instant))
        case .audioArrived: handle(.audioArrived)
        case .sourceEnded(let reason, let instant): handle(.stopRequested(.sourceEnded(reason), at: instant))
        case .sourceSwitched(let error): sourceSwitched(error, at: now)
        case .interrupted(let interruption): interrupted(interruption)
        case .audioUnrecorded(let audio):
            condition.found(audio)
            clients.tellAll(.audioUnrecorded(audio))
        case .audioLevels(let levels): clients.levels.tell(levels)
        case .exclusions(let findings):
            for sentence in condition.found(findings) { clients.tellAll(.warning(sentence)) }
        // A client that recovers the file of a dead engine reads its path in the registry.
        case .recordingContinued(let path): request?.registration.setOutput(path)
        case .recordingFailed(let error): recordingFailed(error, at: now)
        case .failed(let error): handle(.stopRequested(.failed(error.failure), at: now))
        }
    }

    /// The file cannot be written any more. A broadcast continues; the end of the take reports the error again.
    private func recordingFailed(_ error: TakeError, at now: Int64) {
        guard destinations?.haveRunning == true else {
            return handle(.stopRequested(.failed(error.failure), at: now))
        }
        end.recordingFailed()
        guard machine.phase != .finishing else { return }
        clients.tellAll(
            .warning("\(error.message) The recording has ended; the broadcast goes on.", code: error.problem))
        desktop?.recordingEnded()
    }

    private func takeOpened(_ result: Result<OpenedTake, TakeError>) {
        switch result {
        case .failure(let error):
            end.recordingEnded(.unrecorded(duration: .zero, frames: 0))
            handle(.openFailed(error.failure))
        case .success(let opened):
            let messages = opening.finish(opened)
            if let output, request?.configuration.isOutputNumbered == true { request?.registration.setOutput(output) }
            clientFeeds.opened(opened.take)
            measureLevels()
            handle(.opened)
            for message in messages { receive(message) }
        }
    }

    /// - Parameter asker: the request that caused the event, answered here.
    func handle(_ event: TakeStateMachine.Event, asked asker: Asker? = nil) {
        var refusal: Refusal?
        for action in machine.handle(event) {
            switch action {
            case .startDestinations: startDestinations()
            case .cancelOpening:
                opening.cancellation.cancel()
                abandonPermission()
            case .requestCommand: clients.tellOwner(.commandNeeded(environment: opened?.screen?.environment ?? []))
            case .announceStarted: announceStarted()
            case .pause(let instant):
                opened?.take.pause(at: instant)
                destinations?.request(.pauseRequested, at: instant)
                clientFeeds.paused()
                clients.tellAll(.paused)
                desktop?.paused()
                screenLock(.paused, at: instant)
            case .resume(let instant):
                // First, so that no card is drawn if the card ends with the pause.
                screenLock(.resumed, at: instant)
                clientFeeds.resuming()
                destinations?.request(.resumeRequested, at: instant)
                opened?.take.resume(at: instant)
                clients.tellAll(.resumed)
                desktop?.resumed()
            case .refuse(let reason): refusal = reason
            case .finish(let instant):
                desktop?.ended()
                finish(at: instant)
            case .end(let reason): conclude(reason)
            case .fail(let failure): leave(with: .failed(failure), status: failure.exitStatus)
            case .leave: end.leave(status: 0, by: 0)
            }
        }
        asker?.answer(refusal.map { .failure($0) } ?? .success(.done))
    }

    private func startDestinations() {
        guard let request, let opened else { return }
        let configuration = request.configuration
        let destinations = Destinations(
            take: opened.take, supervision: configuration.supervision, confinement: request.confinement,
            inbox: inbox, frameReceivers: frameReceivers, desktop: desktopServices,
            isScreenLocked: desktop?.isLocked == true,
            announce: { [weak self] in self?.announce($0) })
        self.destinations = destinations
        let now = MonotonicClock.now()
        // Cannot exceed the limit: the configuration is valid.
        for checked in request.destinations { _ = try? destinations.add(checked, at: now) }
    }

    private func announce(_ event: DestinationEvent) {
        clients.tellAll(.destination(event))
        if let destinations { desktop?.destinations(destinations.statuses) }
        answerRequests(upon: event)
        desktop?.tell(event, at: MonotonicClock.now())
    }

    /// The deadline of the first audio, while the take waits only for that.
    var audioDeadline: Int64? { machine.awaitsAudioSince.map { $0 + Self.audioTimeout } }

    private static let audioTimeout: Int64 = 5_000_000_000

    /// Begins the take without the missing audio.
    func giveUpAudio() {
        for target in opened?.take.audio.awaited ?? [] { clients.tellAll(.warning(target.undeliveredSentence)) }
        handle(.audioArrived)
    }

    private func announceStarted() {
        if let started { clients.tellStarted(started) }
        desktop?.began()
        screenLock(.began, at: MonotonicClock.now())
        clients.scheduleProgress(at: MonotonicClock.now())
    }

    /// Sends a later client the events that the owner got when the take began. A client that follows already changes only
    /// whether it gets progress.
    func follow(_ asker: Asker, progress: Bool) {
        let client = asker.client
        let isNew = clients.follow(client, progress: progress)
        replyStatus(to: asker)
        guard machine.phase == .recording || machine.phase == .paused, let started else { return }
        clients.scheduleProgress(at: MonotonicClock.now())
        guard isNew else { return }
        clients.tell(.event(.started(started)), to: client)
        if desktop?.isLocked == true { client.tell(.screenLocked(true)) }
        if let interruption = condition.interruption { client.tell(.sourceInterrupted(interruption.reason)) }
        if machine.phase == .paused { client.tell(.paused) }
    }

    private var started: TakeStarted? {
        guard let opened, let request else { return nil }
        let take = opened.take
        var started = TakeStarted(
            id: request.registration.record.id, output: take.output,
            size: take.size ?? PixelSize(width: 0, height: 0), environment: opened.screen?.environment ?? [],
            maximumBitrate: take.maximumBitrate)
        started.sourceName = sourceName
        return started
    }

    /// Refuses a client of another version. One that starts a take waits for events, so it gets the end instead.
    func refuseOtherVersion(_ asker: Asker) {
        if request == nil { handle(.openFailed(EngineError.otherVersion.failure)) } else { asker.refuse(.otherVersion) }
    }

    /// Finishing waits for threads and the disk, so the worker does it.
    private func finish(at instant: Int64) {
        clients.endProgress()
        guard let take = opened?.take else { return }
        let (inbox, movesIndex) = (inbox, end.movesIndex)
        worker.perform {
            let ending = take.finish(at: instant, movesIndex: movesIndex) { inbox.post(.samplesEnded) }
            inbox.post(.recordingEnded(ending))
        }
    }

    private func conclude(_ reason: TakeStateMachine.StopReason) {
        guard let ending = end.recording else { return }
        let now = MonotonicClock.now()
        let outcome = TakeOutcome(
            reason: reason, ending: ending, progress: progress(at: now),
            size: opened?.take.size ?? PixelSize(width: 0, height: 0), nothing: nothingCaptured, output: output,
            pausedByLock: desktop?.pausedByLock(at: now) ?? 0)
        leave(with: outcome.event, status: outcome.exitStatus)
    }

    private var nothingCaptured: TakeError {
        let isRecorded = request?.configuration.output != nil
        guard case .commandWindow(let window) = request?.configuration.source, opened?.take.size == nil else {
            return .nothingCaptured(isRecorded: isRecorded)
        }
        return .commandWindowNotShown(window.choice, isRecorded: isRecorded)
    }

    /// Nanoseconds for the client to end its programs on the private screen.
    private static let timeout: Int64 = 5_000_000_000

    private func leave(with event: EngineEvent, status: Int32) {
        // A client that knows of the end must not find the take any more: it would get no answer. The files of a private
        // screen are in the entry.
        if opened?.screen == nil { request?.registration.unregister() }
        clients.tellAll(event)
        end.leave(status: status, by: MonotonicClock.now() + Self.timeout)
    }
}
