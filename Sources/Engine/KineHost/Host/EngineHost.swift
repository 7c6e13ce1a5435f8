// The engine's main loop: polls signals, clients and the take's threads. It holds the state machine and carries out its
// actions (EngineHost+Take). It never blocks for longer than a message takes.
import Glibc
import KineCapture
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
    var opened: OpenedTake?
    var destinations: Destinations?
    lazy var clientFeeds = ClientFeeds(inbox: inbox)
    let frameReceivers = FrameReceivers()
    lazy var clipExports = ClipExports(inbox: inbox)
    /// Nil until a take is requested.
    var desktop: TakeDesktop?
    /// Nil until a take is requested.
    var desktopServices: DesktopServices?
    var liveDestinations: Set<Int> = []
    /// Nil until a take is requested.
    var permission: TakePermission?
    /// The question that the studio's windows show.
    var shownQuestion: PermissionInquiry?
    /// The number of the last question.
    var lastQuestion = 0
    /// The ending of the recording; nil until it has ended.
    var ending: Take.Ending?
    var isFinishingAtOnce = false
    /// The file was finished early because it could not be written any more, and the broadcast continues.
    var hasRecordingFailed = false
    /// Messages of the take's threads that arrived before the take itself.
    var early: [Inbox.Message] = []
    var nextProgress: Int64?
    /// The exit status, and the deadline for the client to end its programs on the private screen; nil: the take runs.
    var exitPlan: (status: Int32, deadline: Int64)?
    /// The current source; nil: the one that the take began with.
    var shown: TakeConfiguration.Source?
    /// The source that is being opened, and the request for it.
    var switching: (source: TakeConfiguration.Source, asker: Asker)?
    /// Requests that wait for an event of a destination.
    var destinationRequests = DestinationRequests()
    /// The excluded windows at the source's last search, if it excludes any.
    var exclusions: ExclusionFindings?
    /// The last report of sound on an output that is not recorded.
    var unrecordedAudio: UnrecordedAudio?
    /// Why the source stands still, and since when, in seconds since 1970; nil: it works.
    var interruption: (reason: SourceInterruption, since: Double)?
    /// Windows with unreadable titles that were warned of.
    var reportedUnreadable: Set<UInt32> = []
    /// The current camera, if any.
    var camera: TakeConfiguration.Camera?
    /// The size of the frames that a camera gave last.
    var cameraSize: PixelSize?
    var isAppAudioOn = true
    /// The kinds that the take captures now or has captured.
    var captured = CapturedKinds()
    /// Ends every wait of the take's opening and of its source.
    let cancellation = Cancellation()

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
                exitPlan?.deadline = 0
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
        return exitPlan?.status ?? 0
    }

    /// The result was sent, and the client has ended its programs on the private screen: they must end before it.
    private var hasLeft: Bool {
        guard let exitPlan else { return false }
        return opened?.screen == nil || !clients.ownerIsThere || MonotonicClock.now() >= exitPlan.deadline
    }

    private func wait() {
        var entries =
            [signals.descriptor, inbox.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            + clients.pollEntries + (destinations?.pollEntries ?? [])
        let deadlines = [
            nextProgress, durationEnd, destinations?.nextDeadline, exitPlan?.deadline, clients.nextDeadline,
            clientFeeds.nextWatch, desktopServices?.nextDeadline, permission?.inquiry?.machine.deadline, audioDeadline,
        ]
        WakeSignal.poll(&entries, until: deadlines.compactMap(\.self).min())
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
        if let instant = nextProgress, now >= instant {
            nextProgress = isProgressWanted ? now + 1_000_000_000 : nil
            if machine.phase == .recording {
                clients.tellProgress(
                    progress(at: now), ownerWantsIt: request?.configuration.wantsProgress == true)
            }
        }
        if let destinations, destinations.haveAllEnded, isForDestinationsOnly {
            handle(.stopRequested(.failed(EngineError.noDestinationLeft.failure), at: now))
        }
        // The take is over when its file is finished and every extension has ended.
        if ending != nil, destinations?.areDone ?? true { handle(.finished) }
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
            isFinishingAtOnce = isFinishingAtOnce || immediately
            handle(.stopRequested(.stopped, at: now))
        case .annotate(let info): annotate(info, for: asker, at: now)
        case .renewLinks: renewLinks(for: asker, at: now)
        case .setMicrophone(let isOn):
            guard isOn, permission?.allows(.microphone) == false else { return setMicrophone(isOn: isOn, for: asker) }
            askPermission([.microphone], for: .microphone(asker), asker)
        case .setAppAudio(let isOn): setAppAudio(isOn: isOn, for: asker)
        case .setAppAudioOutput(let name): setAppAudioOutput(name, for: asker)
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

    var isProgressWanted: Bool {
        clients.ownerIsThere && opened?.take.configuration.wantsProgress == true || clients.doesGuestWantProgress
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
            source: (shown ?? request.configuration.source).description, progress: progress(at: MonotonicClock.now()))
        (status.camera, status.cameraSize) = (camera, camera == nil ? nil : cameraSize)
        if opened?.take.audio.has(.microphone) == true { status.isMicrophoneOn = captured.now.contains(.microphone) }
        if opened?.take.audio.has(.app) == true { status.isAppAudioOn = isAppAudioOn }
        status.unrecordedAudio = unrecordedAudio
        (status.interruption, status.interruptedSince) = (interruption?.reason, interruption?.since)
        status.unmatchedExclusions = exclusions?.unmatched.map(\.optionValue) ?? []
        asker.reply(.status(status))
    }
}
