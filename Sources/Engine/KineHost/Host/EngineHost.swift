// The engine's main loop: polls signals, clients and the take's threads. It holds the state machine and carries out its
// actions (EngineHost+Take). It never blocks for longer than a message takes.
import Glibc
import KineMedia
import KinePlatform
import KineTake
import KineWire
import SystemPackage

/// Runs one take for the client on a given socket. Used by the main thread.
public final class EngineHost {
    let clients: EngineClients
    let inbox = Inbox()
    let worker: TakeWorker
    private let signals: SignalDescriptor
    var machine = TakeStateMachine()
    var request: TakeRequest?
    var opening = TakeOpening()
    var condition = TakeCondition()
    var end = TakeEnd()
    var destinations: Destinations?
    lazy var clientFeeds = ClientFeeds(inbox: inbox)
    let frameReceivers = FrameReceivers()
    lazy var clipExports = ClipExports(inbox: inbox)
    /// Nil until a take is requested.
    var desktop: TakeDesktop?
    /// Nil until a take is requested.
    var permission: TakePermission?

    /// Nil until the take is open.
    var opened: OpenedTake? { opening.opened }
    var desktopServices: DesktopServices? { desktop?.services }
    /// The kinds that the take captures now or has captured.
    var captured: CapturedKinds { permission?.captured ?? CapturedKinds() }

    /// `client` is the connected socket of the client that started this process. After this, SIGINT, SIGTERM, SIGQUIT
    /// and SIGHUP end the take.
    public init(client: FileDescriptor) throws(ControlError) {
        signals = SignalDescriptor([SIGINT, SIGTERM, SIGQUIT, SIGHUP])
        clients = try EngineClients(owner: client)
        do throws(Errno) {
            worker = try TakeWorker()
        } catch {
            throw .system(call: "pthread_create", error)
        }
    }

    /// Serves until the take is over. Returns the exit status of the process.
    public func run() -> Int32 {
        clients.linkRefusal = { [unowned self] in refusal(of: captured.now, for: $0) }
        while !hasLeft {
            wait()
            let now = MonotonicClock.now()
            if signals.next() != nil {
                end.hurry()
                handle(.stopRequested(.stopped, at: now))
            }
            clients.accept(at: now)
            for message in inbox.drain() { receive(message) }
            if !clients.receive({ answer($0, to: $1) }), request?.configuration.outlivesClient != true {
                handle(.stopRequested(.clientLost, at: MonotonicClock.now()))
            }
            clients.dismissSilent(at: MonotonicClock.now())
            cancelAbandonedSwitch()
            destinations?.poll(at: MonotonicClock.now())
            clientFeeds.poll(at: MonotonicClock.now())
            if clients.levels.poll() { measureLevels() }
            desktopServices?.poll(at: MonotonicClock.now())
            handleTimers(at: MonotonicClock.now())
            // After the timers: a question that has expired is not shown any more.
            showPermissionQuestion()
        }
        destinations?.abandon()
        _ = clients.owner.drain(until: MonotonicClock.now() + 1_000_000_000)
        opened?.screen?.end()
        desktopServices?.leave(until: MonotonicClock.now() + 1_000_000_000)
        desktop?.leave()
        request?.registration.unregister()
        return end.exitStatus
    }

    /// The result was sent, and the client has ended its programs on the private screen: they must end before it.
    private var hasLeft: Bool {
        guard let deadline = end.exitDeadline else { return false }
        return opened?.screen == nil || !clients.ownerIsThere || MonotonicClock.now() >= deadline
    }

    private func wait() {
        PollLoop.wait(
            for: signals, inbox, clients, destinations, clientFeeds, desktopServices,
            until: durationEnd, end.exitDeadline, permission?.inquiry?.machine.deadline, audioDeadline)
    }

    /// When the take reaches its full length; nil before the first frame, in a pause and without a limit.
    private var durationEnd: Int64? {
        guard machine.isCapturing, let take = opened?.take, let limit = take.configuration.durationLimit
        else { return nil }
        return take.clock.snapshot.instant(afterRecording: limit)
    }

    private func handleTimers(at now: Int64) {
        if let deadline = permission?.inquiry?.machine.deadline, now >= deadline { permission(.time(now)) }
        if let deadline = audioDeadline, now >= deadline { giveUpAudio() }
        if let end = durationEnd, now >= end { handle(.stopRequested(.durationReached, at: end)) }
        if clients.isProgressDue(at: now), machine.phase == .recording { clients.tell(progress(at: now)) }
        if let destinations, destinations.haveAllEnded, isForDestinationsOnly {
            handle(.stopRequested(.failed(EngineError.noDestinationLeft.failure), at: now))
        }
        // The take is over when its file is finished and every extension has ended.
        if end.recording != nil, destinations?.areDone ?? true { handle(.finished) }
    }

    /// Carries out a request; nil: unknown to this version.
    private func answer(_ known: ClientRequest?, to asker: Asker) {
        guard let request = known, request.isFrozen || asker.client.isSameProtocol else {
            return refuseOtherVersion(asker)
        }
        let client = asker.client
        if let reason = refusal(of: request.disclosed(of: captured), for: clients.program(of: client)) {
            return asker.refuse(.notPermitted, reason)
        }
        let now = MonotonicClock.now()
        switch request {
        case .start(let configuration, let required, let confinement):
            guard client === clients.owner, self.request == nil, machine.phase == .starting else {
                return asker.refuse(.unavailable, "This engine records already; start another with kinecast record.")
            }
            start(configuration, required, confinement)
        case .status: replyStatus(to: asker)
        case .pause:
            if machine.phase == .paused { desktop?.takeOverPause(at: now) }
            handle(.pauseRequested(at: now), asked: asker)
        case .resume: handle(.resumeRequested(at: now), asked: asker)
        case .stop(let immediately):
            end.stopRequested(immediately: immediately)
            handle(.stopRequested(.stopped, at: now))
        case .annotate(let info): annotate(info, for: asker, at: now)
        case .renewLinks: renewLinks(for: asker, at: now)
        case .setMicrophone(let isOn):
            guard isOn, permission?.allows(.microphone) == false else { return setMicrophone(isOn: isOn, for: asker) }
            askPermission([.microphone], for: .microphone(asker), asker)
        case .setAppAudio(let isOn): setAppAudio(isOn: isOn, for: asker)
        case .setAppAudioOutput(let name): setAppAudioOutput(name, for: asker)
        case .showAudioLevels(let isOn): showAudioLevels(isOn, for: asker)
        case .permissionAnswer(let isAllowed):
            if client === clients.owner {
                permission(isAllowed.map { .answeredInTerminal(isAllowed: $0) } ?? .notInTerminal)
            }
            asker.reply()
        case .showPermissionQuestions(let isOn): showPermissionQuestions(isOn, for: asker)
        case .answerPermission(let question, let isAllowed):
            answerPermission(question, isAllowed: isAllowed, for: asker)
        case .commandStarted(let process):
            if client === clients.owner { opened?.take.commandStarted(process) }
            asker.reply()
        case .switchSource(let source): switchSource(to: source, for: asker)
        case .setCamera(let camera): setCamera(camera, for: asker)
        case .receiveSamples(let request): addFeed(request, for: asker)
        case .endSamples:
            clientFeeds.remove(client)
            asker.reply()
        case .receiveFrames(let request): receiveFrames(request, for: asker)
        case .addDestination(let destination): addDestination(destination, for: asker, at: now)
        case .removeDestination(let number): removeDestination(number, for: asker, at: now)
        case .follow(let progress): follow(asker, progress: progress)
        case .exportClip(let request):
            clipExports.add(request, for: asker, in: opened?.take, isPaused: machine.phase == .paused, at: now)
        case .mark(let title): mark(title, for: asker, at: now)
        case .notePointer(let x, let y, let isClick):
            notePointer(PixelPoint(x: x, y: y), isClick: isClick, for: asker, at: now)
        }
    }

    private func mark(_ title: String?, for asker: Asker, at now: Int64) {
        if let problem = title.flatMap(Chapter.problem(ofTitle:)) { return asker.refuse(.invalidRequest, problem) }
        guard let take = opened?.take, machine.phase != .starting else { return asker.refuse(.notBegun) }
        guard machine.phase == .recording || machine.phase == .paused else {
            return asker.refuse(.take(.over(reason: nil)))
        }
        do throws(MarkError) {
            asker.reply(.marked(try take.mark(title, at: now)))
        } catch {
            asker.refuse(.unavailable, error.message)
        }
    }

    private func notePointer(_ place: PixelPoint, isClick: Bool, for asker: Asker, at now: Int64) {
        guard let take = opened?.take, machine.phase != .starting else { return asker.refuse(.notBegun) }
        guard machine.phase != .paused else { return asker.refuse(.unavailable, NotePointerError.paused.message) }
        guard machine.phase == .recording else { return asker.refuse(.take(.over(reason: nil))) }
        do throws(NotePointerError) {
            try take.note(pointer: place, isClick: isClick, at: now)
            asker.reply()
        } catch {
            asker.refuse(.unavailable, error.message)
        }
    }

    private func addFeed(_ request: SampleRequest, for asker: Asker) {
        do throws(TakeConfiguration.Problem) {
            try TakeConfiguration.check(request)
        } catch {
            return asker.refuse(.configuration(error))
        }
        // Mapped memory cannot be revoked: a program that may lose its samples gets its own memory.
        let program = clients.program(of: asker.client)
        let mayHaveAll = refusal(of: Set(PermissionKind.allCases), for: program) == nil
        if let reason = clientFeeds.add(request, for: asker.client, sharesMemory: mayHaveAll) {
            return asker.refuse(.unavailable, reason)
        }
        asker.reply()
    }

    /// As `Take.output`; nil: there is none, or Kinecast has not made its name yet.
    var output: String? {
        if let opened { return opened.take.output }
        guard let configuration = request?.configuration, !configuration.isOutputNumbered else { return nil }
        return configuration.file(part: 1) ?? configuration.output
    }

    /// As in `TakeStatus`: the name that the source had when it was opened.
    var sourceName: String? { opened?.take.factory.sourceName ?? request?.configuration.source.name }

    func progress(at now: Int64) -> TakeProgress {
        var progress = TakeProgress()
        if let counts = opened?.take.counts(at: now) {
            progress.duration = counts.duration
            progress.bytes = counts.bytes
            progress.framesDrawn = counts.framesDrawn
            progress.framesUnchanged = counts.framesUnchanged
            progress.framesDropped = counts.framesDropped
        }
        progress.destinations = destinations?.statuses ?? []
        return progress
    }

    /// Refuses if no take was requested.
    func replyStatus(to asker: Asker) {
        guard let request else { return asker.refuse(.notBegun) }
        var status = TakeStatus(
            id: request.registration.record.id, phase: machine.phase, output: output,
            source: request.configuration.source.description, progress: progress(at: MonotonicClock.now()))
        condition.fill(&status)
        status.sourceName = sourceName
        status.isAppAudioOn = opened?.take.audio.isOn(.app)
        if opened?.take.audio.has(.microphone) == true { status.isMicrophoneOn = captured.now.contains(.microphone) }
        asker.reply(.status(status))
    }
}
