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
package final class ExtensionSupervisor {
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

    /// Nanoseconds between two checks of an extension, and between close checks while its memory grows fast.
    private static let watchInterval: Int64 = 80_000_000
    private static let closeWatchInterval: Int64 = 10_000_000
    /// The growth in bytes between two checks from which on checks are close.
    private static let fastGrowth = 4 << 20
    /// The most threads of all processes of an extension together; an unreaped process has one. More would take long to
    /// check, and the search for processes stops at a limit anyway.
    private static let mostThreads = 1000
    /// The most reads in a row from one extension, so that other extensions get their turn.
    private static let reads = 4

    private let index: Int
    private let destination: TakeConfiguration.Destination
    private let service: Service
    private let setupInfo: [String: String]
    /// Announced with the first process.
    private var warning: String?
    private let secrets: [String]
    private let context: Context
    private var machine: ExtensionStateMachine
    private var process: ExtensionProcess?
    private var feed: SampleFeed?
    /// Open from the first process to the last: no other program gets the port, and viewers wait during a restart.
    private var listener: ListeningSocket?
    /// Processes that have ended and may have left descendants behind.
    private var exitedProcesses: [ExtensionProcess] = []
    /// The number of processes started.
    private var runs = 0
    private var isAnnotated = false
    /// The instant of the next check, if one is needed.
    private var nextWatch: Int64?
    private var lastResident = 0
    /// The counts of earlier feeds, and of the samples missed between them.
    private var earlierCounts = StreamSender.Counts()
    /// The take's progress at the end of the last feed; nil before the first and while there is a feed.
    private var countsAtFeedEnd: Take.Counts?

    /// `warning`: announced when it runs. `setupInfo`: checked, see `Service.setupInfo`. `poll` starts it.
    package init(
        index: Int, destination: TakeConfiguration.Destination, service: Service, setupInfo: [String: String],
        warning: String?, supervision: SupervisionLimits, context: Context
    ) {
        self.index = index
        self.destination = destination
        self.service = service
        self.setupInfo = setupInfo
        self.warning = warning
        self.context = context
        secrets = service.secrets(in: setupInfo)
        machine = ExtensionStateMachine(
            status: DestinationStatus(
                destination: index, service: service.id, label: destination.label, phase: .launching),
            limits: ExtensionLimits(manifest: service.manifest, supervision: supervision), now: MonotonicClock.now())
    }

    /// The destination has ended, and none of its processes is left.
    package var isDone: Bool { machine.isEnded && process == nil && exitedProcesses.isEmpty }

    package var isEnded: Bool { machine.isEnded }

    package var status: DestinationStatus {
        var status = machine.status
        // The engine counts these itself: a crashed extension reports nothing, and its numbers are not trusted.
        let counts = counts
        (status.framesSkipped, status.audioLost) = (counts.framesSkipped, counts.audioLost)
        status.statistics.frames = counts.frames
        status.statistics.audioSamples = counts.audioSamples
        status.statistics.bytes = counts.bytes
        status.statistics.queuedBytes = counts.queuedBytes
        status.confinement = process?.layers
        status.secondsSinceHeartbeat = machine.lastHeartbeat.map { Double(MonotonicClock.now() - $0) / 1e9 }
        return status
    }

    private var counts: StreamSender.Counts { earlierCounts + (feed?.sender.counts ?? StreamSender.Counts()) }

    package var pollEntries: [pollfd] {
        guard let process else { return [] }
        return [
            pollfd(
                fd: process.connection.isClosed ? -1 : process.connection.descriptor.rawValue,
                events: process.connection.pollEvents, revents: 0),
            pollfd(fd: process.exitDescriptor, events: Int16(POLLIN), revents: 0),
        ]
    }

    /// The latest instant to call `poll`, nanoseconds of CLOCK_MONOTONIC; nil: after poll returns.
    package var nextDeadline: Int64? { isDone ? nil : [machine.nextDeadline, nextWatch].compactMap(\.self).min() }

    /// The lateness, in nanoseconds, from which on the engine is taken to have been stopped.
    private static let stop: Int64 = 2_000_000_000

    /// Reads reports, checks the process and handles deadlines. Call it whenever the loop wakes.
    package func poll(at now: Int64) {
        guard !isDone else { return }
        if let due = nextDeadline, now - due >= Self.stop { handle(.resumed(after: now - due), at: now) }
        if let process {
            listen(to: process, at: now)
            if let end = process.poll() {
                // It wrote its last reports before it ended.
                listen(to: process, at: now)
                self.process = nil
                exitedProcesses.append(process)
                nextWatch = now
                if let error = end.notLoaded {
                    handle(.impossible(error.description.cleaned(of: secrets, limit: 500)), at: now)
                }
                let stderrTail = end.stderrTail?.cleaned(of: secrets, limit: 500, bytes: 1000)
                handle(.exited(end.ending, stderrTail: stderrTail, cappedAt: end.cappedAt), at: now)
            }
        }
        if let nextWatch, now >= nextWatch { watch(at: now) }
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
                    handle(.report(report.cleaned(of: secrets)), at: now)
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
            destination: index, service: service.manifest.name, secrets: secrets,
            groups: service.manifest.groups,
            answer: { [weak self, runs] answer in
                // The message fits: texts and payloads are limited when they are accepted.
                if let self, self.runs == runs { _ = self.process?.connection.deliver(.desktop(answer)) }
            })
    }

    private func watch(at now: Int64) {
        exitedProcesses.removeAll { $0.clear() }
        guard let process else {
            nextWatch = exitedProcesses.isEmpty ? nil : now + Self.closeWatchInterval
            return
        }
        let (resident, threads) = process.usage()
        if let feed {
            handle(.held(since: feed.sender.heldSince(now: now)), at: now)
            if feed.violation != nil {
                // Reports from before the violation still count.
                listen(to: process, at: now)
                handle(.protocolViolation("corrupted its sample buffer"), at: now)
            }
        }
        handle(.memory(resident: resident), at: now)
        if threads > Self.mostThreads {
            handle(.protocolViolation("has more than \(Self.mostThreads) processes and threads"), at: now)
        }
        let isClose =
            resident - lastResident > Self.fastGrowth || resident * 10 > service.manifest.memoryLimit * 6
        lastResident = resident
        nextWatch = now + (isClose ? Self.closeWatchInterval : Self.watchInterval)
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
    package func abandon() {
        let deadline = MonotonicClock.now() + 2_000_000_000
        process?.kill()
        while let process, MonotonicClock.now() < deadline {
            if process.poll() != nil {
                self.process = nil
                exitedProcesses.append(process)
            } else {
                _ = WakeSignal.poll([process.exitDescriptor], until: deadline)
            }
        }
        while !exitedProcesses.isEmpty, MonotonicClock.now() < deadline {
            exitedProcesses.removeAll { $0.clear() }
            if !exitedProcesses.isEmpty {
                _ = WakeSignal.poll([], until: MonotonicClock.now() + Self.closeWatchInterval)
            }
        }
    }

    /// Handles a feed, or the reason why there is none.
    package func feedReady(_ delivery: FeedDelivery, at now: Int64) {
        guard delivery.run == runs, let process else { return }
        switch delivery.result {
        case .failure(let error): handle(.impossible(error.message), at: now)
        case .success(let feed):
            self.feed = feed
            warnOfMissingAudio()
            sourceSwitched(at: now)
            do throws(ControlError) {
                var start = ExtensionStart(
                    service: service.manifest.id, setupInfo: completeSetupInfo, stream: feed.stream,
                    memoryLimit: service.manifest.memoryLimit, finishSeconds: service.manifest.finishSeconds)
                start.groups = process.groups
                try process.connection.send(.start(start), descriptors: feed.descriptors)
                handle(.startSent, at: now)
            } catch {
                handle(ExtensionStateMachine.Event(error), at: now)
            }
        }
    }

    /// Warns of audio that this take does not have: a destination that was added later cannot start it.
    private func warnOfMissingAudio() {
        guard runs == 1 else { return }
        for type in context.take.audio.missing(for: AudioRequirements(service.manifest.samples)) {
            let what = type == .audioMic ? "the microphone" : "the applications"
            let sentence =
                "\(service.manifest.name) gets no audio of \(what), for which this take has no track in its form; "
                + "start a take with this destination to have it."
            announce(.warning(sentence))
        }
    }

    private func announce(_ kind: DestinationEvent.Kind) {
        let isLog = if case .log = kind { true } else { false }
        context.observer?.announce(
            DestinationEvent(
                destination: index, label: destination.label, kind: kind, status: isLog ? nil : status))
    }

    /// Whether the extension runs and is a member of the request's group.
    package func passesFrames(to request: FrameRequest) -> Bool {
        machine.isRunning && service.manifest.groups.contains(request.group)
            && request.service.map { $0 == service.id } ?? true
    }

    /// Sends the extension one end of a pair of packet sockets. False if that fails.
    package func offer(_ socket: FileDescriptor, toReceiverIn group: String) -> Bool {
        guard let process else { return false }
        return (try? process.connection.send(.frameReceiver(group: group), descriptors: [socket])) != nil
    }

    private func handle(_ event: ExtensionStateMachine.Event, at now: Int64) {
        for action in machine.handle(event, at: now) {
            switch action {
            case .launch: launch(at: now)
            case .beginFeeding:
                context.observer?.extensionRuns(self)
                if let feed {
                    countMissed(by: feed, at: now)
                    context.take.beginFeeding(feed)
                }
            case .endFeeding:
                if let feed { context.take.endFeeding(feed) }
                countsAtFeedEnd = context.take.counts(at: now)
            case .send(let order): send(order, at: now)
            case .kill: process?.kill()
            case .requestKeyframe: context.take.requestKeyframe(.lost)
            case .requestEncoding(let request):
                if let feed { context.take.requestEncoding(request, for: feed) }
            case .announce(let kind): announce(kind)
            }
        }
        if machine.isEnded {
            forgetFeed()
            listener = nil
        }
    }

    private func launch(at now: Int64) {
        forgetFeed()
        runs += 1
        do throws(ExtensionProcess.StartError) {
            try openListener()
            let process = try ExtensionProcess(
                ExtensionProcess.Start(
                    service: service, mark: "\(index).\(runs)", setupInfo: setupInfo,
                    environment: context.environment, confinement: context.confinement,
                    listener: listener),
                orphans: context.orphans)
            self.process = process
            lastResident = 0
            nextWatch = now + Self.closeWatchInterval
            handle(.launched(pid: process.pid), at: now)
            if let warning = warning.take() { announce(.warning(warning)) }
        } catch {
            return handle(.impossible(error.description), at: now)
        }
        let (index, runs, deliver) = (index, runs, context.deliver)
        context.take.makeFeed(
            FeedRequest(service.manifest.samples, of: service.manifest.name) { result in
                deliver(FeedDelivery(destination: index, run: runs, result: result))
            })
    }

    /// The setup info with the links of an earlier run, so that open pages still work, and the listening socket's info.
    private var completeSetupInfo: [String: String] {
        var info = setupInfo
        if let link = machine.status.link { info["previousLink"] = link }
        if let link = machine.status.playerLink { info["previousPlayerLink"] = link }
        if let listener { info.merge(listener.setupInfo) { _, its in its } }
        return info
    }

    /// Opens the listening socket that the manifest asks for. Only the first call does.
    private func openListener() throws(ExtensionProcess.StartError) {
        guard listener == nil, let key = service.manifest.listen else { return }
        do throws(ListeningSocket.Error) {
            listener = try ListeningSocket(at: setupInfo[key] ?? "", setting: key, service: service.manifest.name)
        } catch {
            throw .notListening(error)
        }
    }

    private func forgetFeed() {
        feed?.sender.receiverEnded()
        earlierCounts = counts
        feed = nil
    }

    /// Counts the samples that the take made between two processes of the extension: no process received them.
    private func countMissed(by feed: SampleFeed, at now: Int64) {
        guard let before = countsAtFeedEnd.take() else { return }
        let counts = context.take.counts(at: now)
        let seconds = (counts.duration - before.duration).seconds
        if feed.hasVideo {
            let most = feed.frames?.framesPerSecond.map { Int(seconds * Double($0)) } ?? .max
            earlierCounts.framesSkipped += min(counts.framesDrawn - before.framesDrawn, most)
        }
        earlierCounts.audioLost += seconds * Double(feed.stream.audio.count)
    }

    private func send(_ order: ExtensionStateMachine.Order, at now: Int64) {
        guard let process, let feed else { return }
        do throws(ControlError) {
            try process.connection.send(order.request(after: feed.sender.position))
        } catch {
            handle(ExtensionStateMachine.Event(error), at: now)
        }
    }
}
