// The engine's main loop: signals, clients and the take's own threads, in one poll. It holds the state machine and carries
// out its actions (EngineHost+Take); nothing in it blocks for longer than a message takes.
import Glibc
import KineCapture
import KineControl
import KinePlatform
import KineRelay
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
    /// Nil until a take is asked for.
    var desktop: TakeDesktop?
    /// Nil until a take is asked for.
    var desktopServices: DesktopServices?
    /// The destinations that have been live.
    var liveDestinations: Set<Int> = []
    /// Nil until a take is asked for.
    var permission: TakePermission?
    /// The ending of the recording; nil until it has ended.
    var ending: Take.Ending?
    var isFinishingAtOnce = false
    /// The file is finished, since nothing more could be written to it, and the broadcast goes on.
    var hasRecordingFailed = false
    /// Messages of the take's threads that came before the take itself.
    var early: [Inbox.Message] = []
    var nextProgress: Int64?
    /// The exit status, and the instant until which the client may end its programs on the private screen; nil: the take goes on.
    var departure: (status: Int32, deadline: Int64)?
    /// The source that is shown now; nil: the one that the take began with.
    var shown: TakeConfiguration.Source?
    /// The source that is being opened to be shown, and who asked for it.
    var switching: (source: TakeConfiguration.Source, client: EngineConnection)?
    /// The excluded windows that the source found last; nil before that, and where it excludes none.
    var exclusions: ExclusionFindings?
    /// Windows with unreadable titles that a warning has named.
    var reportedUnreadable: Set<UInt32> = []
    /// The camera that is shown now; nil: none.
    var camera: TakeConfiguration.Camera?
    /// The kinds that the take captures and has captured.
    var captured = CapturedKinds()
    /// Ends every wait of the take's opening and of its source.
    let cancellation = Cancellation()

    /// `client` is the connected socket of the client that started this process. From now on SIGINT, SIGTERM, SIGQUIT and SIGHUP
    /// end the take.
    public init(client: FileDescriptor) throws(ControlError) {
        signals = SignalDescriptor([SIGINT, SIGTERM, SIGQUIT, SIGHUP])
        clients = try EngineClients(owner: client)
        do throws(Errno) {
            worker = try TakeWorker()
        } catch {
            throw .system(call: "pthread_create", error)
        }
    }

    /// Serves until the take is over. Returns the process's exit status.
    public func run() -> Int32 {
        clients.linkRefusal = { [unowned self] in refusal(of: captured.now, for: $0) }
        while !hasLeft {
            wait()
            let now = MonotonicClock.now()
            if signals.next() != nil {
                departure?.deadline = 0
                handle(.stopRequested(.stopped, at: now))
            }
            clients.accept(at: now)
            for message in inbox.drain() { receive(message) }
            if !clients.receive({ answer($0, from: $1) }), request?.configuration.outlivesClient != true {
                handle(.stopRequested(.clientLost, at: MonotonicClock.now()))
            }
            clients.dismissSilent(at: MonotonicClock.now())
            attendSwitch()
            destinations?.attend(at: MonotonicClock.now())
            clientFeeds.attend(at: MonotonicClock.now())
            desktopServices?.attend(at: MonotonicClock.now())
            doWhatIsDue(at: MonotonicClock.now())
        }
        destinations?.abandon()
        _ = clients.owner.drain(until: MonotonicClock.now() + 1_000_000_000)
        opened?.screen?.end()
        desktopServices?.leave(until: MonotonicClock.now() + 1_000_000_000)
        desktop?.leave()
        request?.registration.unregister()
        return departure?.status ?? 0
    }

    /// The result is sent, and the client has ended its programs on the private screen: they end before their display.
    private var hasLeft: Bool {
        guard let departure else { return false }
        return opened?.screen == nil || !clients.ownerIsThere || MonotonicClock.now() >= departure.deadline
    }

    private func wait() {
        var entries =
            [signals.descriptor, inbox.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            + clients.pollEntries + (destinations?.pollEntries ?? [])
        let deadlines = [
            nextProgress, durationEnd, destinations?.nextDeadline, departure?.deadline, clients.nextDeadline,
            clientFeeds.nextWatch, desktopServices?.nextDeadline, permission?.inquiry?.machine.deadline, audioDeadline,
        ]
        WakeSignal.poll(&entries, until: deadlines.compactMap(\.self).min())
    }

    /// The instant at which the take has its full length; nil before the first frame, in a pause and without a limit.
    private var durationEnd: Int64? {
        guard machine.isCapturing, let take = opened?.take, let limit = take.configuration.durationLimit
        else { return nil }
        return take.clock.snapshot.instant(afterRecording: limit)
    }

    private func doWhatIsDue(at now: Int64) {
        if let deadline = permission?.inquiry?.machine.deadline, now >= deadline { permission(.time(now)) }
        if let deadline = audioDeadline, now >= deadline { giveUpAudio() }
        if let end = durationEnd, now >= end { handle(.stopRequested(.durationReached, at: end)) }
        if let instant = nextProgress, now >= instant {
            nextProgress = isProgressWanted ? now + 1_000_000_000 : nil
            if let take = opened?.take, machine.phase == .recording {
                clients.tellProgress(
                    take.progress(at: now), ownerWantsIt: take.configuration.wantsProgress)
            }
        }
        if let destinations, destinations.haveAllEnded, isForDestinationsOnly {
            handle(.stopRequested(.failed(TakeError.noDestinationLeft.failure), at: now))
        }
        // The take is over when its file is finished and every extension has gone.
        if ending != nil, destinations?.areDone ?? true { handle(.finished) }
    }

    private func answer(_ message: ClientMessage, from client: EngineConnection) {
        if let reason = refusal(of: message.disclosed(of: captured), for: clients.program(of: client)) {
            return refuse(reason, message, to: client)
        }
        let now = MonotonicClock.now()
        switch message {
        case .start(let configuration):
            guard client === clients.owner, request == nil, machine.phase == .starting else {
                return refuse("This engine records already; start another with kinecast record.", message, to: client)
            }
            start(configuration)
        case .status: if let status { clients.tell(.status(status), to: client) }
        case .pause:
            if machine.phase == .paused, desktop?.takeOverPause() == true {
                client.tell(.paused)
            } else {
                handle(.pauseRequested(at: now), asked: (message, client))
            }
        case .resume: handle(.resumeRequested(at: now), asked: (message, client))
        case .annotate(let info):
            guard info.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= 65536 else {
                return refuse("An annotation has at most 65536 bytes; say less in it.", message, to: client)
            }
            destinations?.request(.annotateRequested(info), at: now)
        case .renewLinks:
            guard destinations?.renewLinks(at: now) != true else { return }
            refuse(
                "No destination of this take has a link that can be renewed; the live page has one while it runs.",
                message, to: client)
        case .setMicrophone(let isOn):
            if isOn, permission?.allows(.microphone) == false {
                guard permission?.inquiry == nil else {
                    return refuse("The person is being asked already; wait for their answer.", message, to: client)
                }
                return askPermission([.microphone], for: .microphone(client))
            }
            setMicrophone(isOn: isOn, for: client)
        case .permissionAnswer(let isAllowed):
            guard client === clients.owner else { return }
            permission(isAllowed.map { .answeredInTerminal(isAllowed: $0) } ?? .notInTerminal)
        case .commandStarted(let process):
            guard client === clients.owner else { return }
            opened?.take.commandStarted(process)
        case .switchSource(let source): switchSource(to: source, for: client)
        case .setCamera(let camera): setCamera(camera, for: client)
        case .receiveSamples(let request): addFeed(request, for: client)
        case .endSamples: clientFeeds.remove(client)
        case .receiveFrames(let request): receiveFrames(request, for: client)
        case .addDestination(let destination, let reference):
            addDestination(destination, reference: reference, for: client, at: now)
        case .removeDestination(let number): removeDestination(number, for: client, at: now)
        case .follow(let progress): follow(client, progress: progress)
        case .exportClip(let request):
            clipExports.add(request, for: client, in: opened?.take, isPaused: machine.phase == .paused, at: now)
        case .unknown(let name): refuse(unknown: name, from: client)
        case .stop(let immediately):
            isFinishingAtOnce = isFinishingAtOnce || immediately
            handle(.stopRequested(.stopped, at: now), asked: (message, client))
        }
    }

    func setMicrophone(isOn: Bool, for client: EngineConnection) {
        guard let opened else { return refuse(TakeError.notBegun.message, .setMicrophone(on: isOn), to: client) }
        if opened.take.audio.hasMicrophone { setCaptured(.microphone, isOn: isOn) }
        guard opened.take.audio.setMicrophone(isOn: isOn) else {
            return refuse(
                "This take was begun without a microphone; start another one with it, which can be off at first.",
                .setMicrophone(on: isOn), to: client)
        }
        clients.tellAll(.microphone(on: isOn))
        desktop?.microphone(isOn: isOn)
    }

    var isProgressWanted: Bool {
        clients.ownerIsThere && opened?.take.configuration.wantsProgress == true || clients.doesGuestWantProgress
    }

    private func addFeed(_ request: SampleRequest, for client: EngineConnection) {
        do throws(TakeConfiguration.Problem) {
            try TakeConfiguration.check(request)
        } catch {
            return refuse(error.description, .receiveSamples(request), to: client)
        }
        // Memory that a process has mapped cannot be taken back: a program that may lose its samples gets memory of its own.
        let program = clients.program(of: client)
        let mayHaveAll = refusal(of: Set(PermissionKind.allCases), for: program) == nil
        if let reason = clientFeeds.add(request, for: client, sharesMemory: mayHaveAll) {
            return refuse(reason, .receiveSamples(request), to: client)
        }
        client.tell(.samples(.accepted))
    }

    func refuse(_ reason: String, _ message: ClientMessage, to client: EngineConnection) {
        client.tell(.refused(reason, request: RequestReference(message)))
    }

    /// As `Take.output`; nil: there is none, or it is to be named by Kinecast and is not made yet.
    var output: String? {
        if let opened { return opened.take.output }
        return request?.configuration.isOutputNumbered == true ? nil : request?.configuration.output
    }

    var status: TakeStatus? {
        guard let request else { return nil }
        var status = TakeStatus(
            id: request.registration.record.id, phase: machine.phase, output: output,
            source: (shown ?? request.configuration.source).description,
            progress: opened?.take.progress(at: MonotonicClock.now()) ?? TakeProgress())
        status.camera = camera
        status.unmatchedExclusions = exclusions?.unmatched.map { TakeConfiguration.WindowRule($0) } ?? []
        status.destinations = destinations?.statuses ?? []
        return status
    }
}
