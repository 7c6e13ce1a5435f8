// Drives one destination: starts its extension, reads its reports, checks its samples and memory, and carries out the
// actions of ExtensionStateMachine. Part of the engine's poll loop; only `abandon` waits.
import Glibc
import KineMedia
import KinePlatform
import KineRings
import KineServices
import KineTake
import KineText
import KineWire
import SystemPackage

/// One destination of a take. Used by the main thread.
package final class ExtensionSupervisor: PollSource {
    package struct Context {
        let take: Take
        let orphans: Orphans
        /// The engine's environment, as `NAME=value`.
        let environment: [String]
        let confinement: ConfinementRequest
        /// Passes a feed, or its error, to the main thread, which calls `feedReady`. Called on any thread.
        let deliver: @Sendable (FeedDelivery) -> Void
        weak var observer: (any SupervisionObserver)?

        package init(
            take: Take, orphans: Orphans, environment: [String], confinement: ConfinementRequest,
            deliver: @escaping @Sendable (FeedDelivery) -> Void, observer: any SupervisionObserver
        ) {
            self.take = take
            self.orphans = orphans
            self.environment = environment
            self.confinement = confinement
            self.deliver = deliver
            self.observer = observer
        }
    }

    /// The most threads of all processes of an extension together; an unreaped process has one. More would take long to
    /// check, and the search for processes stops at a limit anyway.
    private static let mostThreads = 1000
    /// The most reads in a row from one extension, so that other extensions get their turn.
    private static let reads = 4

    private let index: Int
    private let label: String
    /// Announced with the first process.
    private var warning: String?
    private let context: Context
    private var machine: ExtensionStateMachine
    private var setup: ExtensionSetup
    private var processes: ExtensionProcesses
    private var feeds = ExtensionFeeds()
    private var isAnnotated = false

    /// `warning`: announced when it runs. `setupInfo`: checked, see `Service.setupInfo`. `poll` starts it.
    package init(
        index: Int, destination: TakeConfiguration.Destination, service: Service, setupInfo: [String: String],
        warning: String?, supervision: SupervisionLimits, context: Context
    ) {
        self.index = index
        label = destination.label
        self.warning = warning
        self.context = context
        setup = ExtensionSetup(service: service, info: setupInfo)
        processes = ExtensionProcesses(memoryLimit: service.manifest.memoryLimit)
        var status = DestinationStatus(
            destination: index, service: service.id, label: destination.label, phase: .launching)
        status.reach = service.manifest.reach(with: setupInfo)
        machine = ExtensionStateMachine(
            status: status,
            limits: ExtensionLimits(manifest: service.manifest, supervision: supervision), now: MonotonicClock.now())
    }

    /// The destination has ended, and none of its processes is left.
    package var isDone: Bool { machine.isEnded && processes.areGone }

    package var isEnded: Bool { machine.isEnded }

    package var status: DestinationStatus {
        var status = machine.status
        // The engine counts these itself: a crashed extension reports nothing, and its numbers are not trusted.
        let counts = feeds.counts
        (status.framesSkipped, status.audioLost) = (counts.framesSkipped, counts.audioLost)
        status.statistics.frames = counts.frames
        status.statistics.audioSamples = counts.audioSamples
        status.statistics.bytes = counts.bytes
        status.statistics.queuedBytes = counts.queuedBytes
        status.confinement = processes.current?.layers
        status.secondsSinceHeartbeat = machine.lastHeartbeat.map { Double(MonotonicClock.now() - $0) / 1e9 }
        return status
    }

    package var pollEntries: [pollfd] {
        guard let process = processes.current else { return [] }
        let connection = process.connection.isClosed ? [] : process.connection.pollEntries
        return connection + ReadableDescriptor(process.exitDescriptor).pollEntries
    }

    /// The latest instant to call `poll`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    package var nextDeadline: Int64? {
        isDone ? nil : [machine.nextDeadline, processes.nextCheck].compactMap(\.self).min()
    }

    /// The lateness, in nanoseconds, from which on the engine is taken to have been stopped.
    private static let stop: Int64 = 2_000_000_000

    /// Reads reports, checks the process and handles deadlines. Call it whenever the loop wakes.
    package func poll(at now: Int64) {
        guard !isDone else { return }
        if let due = nextDeadline, now - due >= Self.stop { handle(.resumed(after: now - due), at: now) }
        if let process = processes.current {
            listen(to: process, at: now)
            if let end = process.poll() {
                // It wrote its last reports before it ended.
                listen(to: process, at: now)
                processes.currentExited(at: now)
                if let error = end.notLoaded {
                    handle(.impossible(error.description.cleaned(of: setup.secrets, limit: 500)), at: now)
                }
                let stderrTail = end.stderrTail?.cleaned(of: setup.secrets, limit: 500, bytes: 1000)
                handle(.exited(end.ending, stderrTail: stderrTail, cappedAt: end.cappedAt), at: now)
            }
        }
        if let nextCheck = processes.nextCheck, now >= nextCheck { check(at: now) }
        handle(.timePassed, at: now)
    }

    private func listen(to process: ExtensionProcess, at now: Int64) {
        guard !process.connection.isClosed else { return }
        do throws(ControlError) {
            // An error after readable reports is thrown by the next call. The number of calls is limited: an extension
            // that never stops writing would keep the engine here.
            for _ in 0..<Self.reads {
                let reports = try process.connection.readAvailable()
                if reports.isEmpty { break }
                for report in reports {
                    handle(.report(report.cleaned(of: setup.secrets)), at: now)
                    if case .desktop(let request) = report {
                        context.observer?.perform(request, for: desktopClient, at: now)
                    }
                }
            }
            if process.connection.isClosed { handle(.channelClosed, at: now) }
        } catch {
            handle(ExtensionStateMachine.Event(error), at: now)
        }
    }

    private var desktopClient: DesktopClient {
        DesktopClient(
            destination: index, service: setup.manifest.name, secrets: setup.secrets, groups: setup.manifest.groups,
            answer: { [weak self, run = processes.runs] answer in
                // The message fits: texts and payloads are limited when they are accepted.
                guard let self, self.processes.runs == run else { return }
                _ = self.processes.current?.connection.deliver(.desktop(answer))
            })
    }

    private func check(at now: Int64) {
        guard let (process, resident, threads) = processes.check(at: now) else { return }
        if let feed = feeds.current {
            handle(.held(since: feed.sender.heldSince(now: now)), at: now)
            if feed.violation != nil {
                // Reports from before the violation still count.
                listen(to: process, at: now)
                handle(.protocolViolation("corrupted its sample buffer"), at: now)
            }
            if feed.isOutgrown { handle(.formatOutgrown, at: now) }
        }
        handle(.memory(resident: resident), at: now)
        if threads > Self.mostThreads {
            handle(.protocolViolation("has more than \(Self.mostThreads) processes and threads"), at: now)
        }
    }

    /// Handles a request of the take or of a client.
    package func request(_ event: ExtensionStateMachine.Event, at now: Int64) {
        if case .annotateRequested = event { isAnnotated = true }
        handle(event, at: now)
    }

    /// Sends the new source to the extension, unless a client has set an annotation.
    package func sourceSwitched(at now: Int64) {
        let annotation = context.take.factory.annotation
        if !isAnnotated, !annotation.isEmpty { handle(.annotateRequested(annotation), at: now) }
    }

    package var canRenewLink: Bool { machine.canRenewLink }

    /// Kills the processes because the engine exits. Waits at most two seconds for their end.
    package func abandon() { processes.abandon() }

    /// Handles a feed, or the reason why there is none.
    package func feedReady(_ delivery: FeedDelivery, at now: Int64) {
        guard delivery.run == processes.runs, let process = processes.current else { return }
        switch delivery.result {
        case .failure(let error): handle(.impossible(error.message), at: now)
        case .success(let feed):
            feeds.open(feed)
            warnOfMissingAudio()
            sourceSwitched(at: now)
            do throws(ControlError) {
                let start = setup.startMessage(for: feed.stream, groups: process.groups, after: machine.status)
                try process.connection.send(.start(start), descriptors: feed.descriptors)
                handle(.startSent, at: now)
            } catch {
                handle(ExtensionStateMachine.Event(error), at: now)
            }
        }
    }

    /// Warns of audio that this take does not have: a destination that was added later cannot start it.
    private func warnOfMissingAudio() {
        guard processes.runs == 1 else { return }
        for type in context.take.audio.missing(for: AudioRequirements(setup.manifest.samples)) {
            let what = type == .audioMic ? "the microphone" : "the applications"
            let sentence =
                "\(setup.manifest.name) gets no audio of \(what), for which this take has no track in its form; "
                + "start a take with this destination to have it."
            announce(.warning(sentence))
        }
    }

    private func announce(_ kind: DestinationEvent.Kind, code: ProblemCode? = nil) {
        let isLog = if case .log = kind { true } else { false }
        context.observer?.announce(
            DestinationEvent(destination: index, label: label, kind: kind, code: code, status: isLog ? nil : status))
    }

    /// Whether the extension runs and is a member of the request's group.
    package func passesFrames(to request: FrameRequest) -> Bool {
        machine.isRunning && setup.manifest.groups.contains(request.group)
            && request.service.map { $0 == setup.service.id } ?? true
    }

    /// Sends the extension one end of a pair of packet sockets. False if that fails.
    package func offer(_ socket: FileDescriptor, toReceiverIn group: String) -> Bool {
        guard let process = processes.current else { return false }
        return (try? process.connection.send(.frameReceiver(group: group), descriptors: [socket])) != nil
    }

    private func handle(_ event: ExtensionStateMachine.Event, at now: Int64) {
        for action in machine.handle(event, at: now) {
            switch action {
            case .launch: launch(at: now)
            case .beginFeeding:
                context.observer?.extensionRuns(self)
                if let feed = feeds.current {
                    feeds.begin(at: context.take.counts(at: now))
                    context.take.beginFeeding(feed)
                }
            case .endFeeding:
                if let feed = feeds.current { context.take.endFeeding(feed) }
                feeds.end(at: context.take.counts(at: now))
            case .send(let order): send(order, at: now)
            case .kill: processes.current?.kill()
            case .requestKeyframe: context.take.requestKeyframe(.lost)
            case .requestEncoding(let request):
                if let feed = feeds.current { context.take.requestEncoding(request, for: feed) }
            case .announce(let kind, let code): announce(kind, code: code)
            }
        }
        if machine.isEnded {
            feeds.close()
            setup.closeListener()
        }
    }

    private func launch(at now: Int64) {
        feeds.close()
        let run = processes.beginRun()
        do throws(ExtensionProcess.StartError) {
            try setup.openListener()
            let process = try ExtensionProcess(
                setup.start(mark: "\(index).\(run)", in: context), orphans: context.orphans)
            processes.started(process, at: now)
            handle(.launched(pid: process.pid), at: now)
            if let warning = warning.take() { announce(.warning(warning)) }
        } catch {
            return handle(.impossible(error.description, code: error.problem), at: now)
        }
        let (index, deliver) = (index, context.deliver)
        context.take.makeFeed(
            FeedRequest(setup.manifest.samples, of: setup.manifest.name) { result in
                deliver(FeedDelivery(destination: index, run: run, result: result))
            })
    }

    private func send(_ order: ExtensionStateMachine.Order, at now: Int64) {
        guard let process = processes.current, let feed = feeds.current else { return }
        do throws(ControlError) {
            try process.connection.send(order.request(after: feed.sender.position))
        } catch {
            handle(ExtensionStateMachine.Event(error), at: now)
        }
    }
}
