// Drives one destination: starts its extension, listens to it, watches what it holds and how much memory it has, and does
// what ExtensionStateMachine says. Part of the engine's poll loop; nothing in it waits.
import CLinux
import Glibc
import KineControl
import KinePlatform
import KineRelay
import KineServices
import SystemPackage

/// What an extension's samples come from: the take.
protocol ExtensionFeeder: Sendable {
    /// Calls `ready`, on any thread, once the take's formats are known.
    func makeFeed(
        for manifest: ServiceManifest, setupInfo: [String: String],
        ready: @escaping @Sendable (Result<ExtensionFeed, TakeFailure>) -> Void)
    func beginFeeding(_ feed: ExtensionFeed)
    func endFeeding(_ feed: ExtensionFeed)
    func requestKeyframe()
    func requestEncoding(_ request: EncodingRequest, for feed: ExtensionFeed)
    /// What is being shown.
    var annotation: [String: String] { get }
}

extension Take: ExtensionFeeder {}

/// A feed that is ready, or cannot be had, on its way to the main thread.
public struct FeedDelivery: Sendable {
    let destination: Int
    let run: Int
    let result: Result<ExtensionFeed, TakeFailure>
}

/// One destination of a take. Used by the main thread, but for what its feed calls back.
final class ExtensionSupervisor {
    /// What a supervisor shares with the others of its engine.
    struct Surroundings {
        let feeder: any ExtensionFeeder
        let orphans: Orphans
        /// The engine's own, as `NAME=value`.
        let environment: [String]
        let confinement: ConfinementRequest
        /// Brings a feed that is ready to the main thread, and from there to `fed`.
        let deliver: @Sendable (FeedDelivery) -> Void
        let announce: (DestinationEvent) -> Void
    }

    /// Between two looks at the extension: nanoseconds, twelve times a second. Where memory is about to run out, more often.
    private static let watchInterval: Int64 = 80_000_000
    private static let closeWatchInterval: Int64 = 10_000_000
    /// Growth between two looks that calls for closer ones: bytes.
    private static let fastGrowth: Int64 = 4 << 20
    /// How often in a row an extension is listened to before others have their turn.
    private static let reads = 4

    private let index: Int
    private let destination: TakeConfiguration.Destination
    private let service: Service
    private let setupInfo: [String: String]
    private let secrets: [String]
    private let surroundings: Surroundings
    private var machine: ExtensionStateMachine
    private var process: ExtensionProcess?
    private var feed: ExtensionFeed?
    /// Kept from its first process to its last: nobody takes the port meanwhile, and viewers wait instead of being refused.
    private var listener: ListeningSocket?
    /// Processes that have ended and may have left others behind.
    private var remains: [ExtensionProcess] = []
    private var run = 0
    private var isAnnotated = false
    private var nextWatch = Int64.max
    private var lastResident: Int64 = 0
    private var endedCounts = (picturesSkipped: Int64(0), soundLost: 0.0)

    /// `setupInfo`: checked and complete, see `Service.setupInfo`. Its process starts with the first `attend`.
    init(
        index: Int, destination: TakeConfiguration.Destination, service: Service, setupInfo: [String: String],
        supervision: SupervisionLimits, surroundings: Surroundings
    ) {
        self.index = index
        self.destination = destination
        self.service = service
        self.setupInfo = setupInfo
        self.surroundings = surroundings
        secrets = service.secrets(in: setupInfo)
        machine = ExtensionStateMachine(
            status: DestinationStatus(
                destination: index, service: service.id, label: destination.label, phase: .launching),
            limits: ExtensionLimits(manifest: service.manifest, supervision: supervision), now: MonotonicClock.now())
    }

    /// It is over for good, and nothing of it is left running.
    var isDone: Bool { machine.isEnded && process == nil && remains.isEmpty }

    /// It is over for good.
    var isEnded: Bool { machine.isEnded }

    /// Where it stands.
    var status: DestinationStatus {
        var status = machine.status
        let counts = feed?.sender.counts
        status.picturesSkipped = endedCounts.picturesSkipped + (counts?.picturesSkipped ?? 0)
        status.soundLost = endedCounts.soundLost + (counts?.soundLost ?? 0)
        // The engine's own count of what waits is the one to believe.
        if let counts { status.statistics.queuedBytes = counts.queuedBytes }
        status.confinement = process?.layers
        return status
    }

    // MARK: The poll loop

    /// What to wait for.
    var pollEntries: [pollfd] {
        guard let process else { return [] }
        return [
            pollfd(
                fd: process.connection.isClosed ? -1 : process.connection.descriptor.rawValue,
                events: process.connection.pollEvents, revents: 0),
            pollfd(fd: process.exitDescriptor, events: Int16(POLLIN), revents: 0),
        ]
    }

    /// CLOCK_MONOTONIC, nanoseconds, at which `attend` is due at the latest; nil: never by itself.
    var nextDeadline: Int64? {
        guard !isDone else { return nil }
        return min(machine.nextDeadline ?? .max, nextWatch)
    }

    /// Listens, looks, and does what is due. To be called whenever the loop wakes.
    func attend(at now: Int64) {
        guard !isDone else { return }
        if let process {
            listen(to: process, at: now)
            if let end = process.poll() {
                // Its last words came before its end.
                listen(to: process, at: now)
                self.process = nil
                remains.append(process)
                nextWatch = now
                handle(
                    .exited(end.ending, lastWords: end.lastWords.map(clean), cappedAt: end.cappedAt), at: now)
            }
        }
        if now >= nextWatch { watch(at: now) }
        handle(.timePassed, at: now)
    }

    private func listen(to process: ExtensionProcess, at now: Int64) {
        guard !process.connection.isClosed else { return }
        do throws(ControlError) {
            // Again until nothing is there: what could not be understood behind what could is told by the next call. Not for
            // ever, or one that talks without end would keep the engine listening.
            for _ in 0..<Self.reads {
                let reports = try process.connection.readAvailable()
                if reports.isEmpty { break }
                for report in reports { handle(.report(clean(report)), at: now) }
            }
            if process.connection.isClosed { handle(.channelClosed, at: now) }
        } catch {
            switch error {
            case .protocolError(.version(let theirs)):
                let own = ControlHello.currentVersion
                handle(
                    .impossible("It was made for version \(theirs) of Kinecast's messages, and this is \(own)."),
                    at: now)
            case .protocolError: handle(.misbehaved("wrote nonsense on its control channel"), at: now)
            case .peerTooSlow: handle(.misbehaved("does not read its control channel"), at: now)
            default: handle(.channelClosed, at: now)
            }
        }
    }

    private func watch(at now: Int64) {
        remains.removeAll { $0.clear() }
        guard let process else {
            nextWatch = remains.isEmpty ? .max : now + Self.closeWatchInterval
            return
        }
        let resident = process.residentBytes()
        if let feed {
            handle(.held(since: feed.sender.heldSince(now: now)), at: now)
            if feed.misbehaviour != nil {
                // What it said before it did so still counts.
                listen(to: process, at: now)
                handle(.misbehaved("wrote nonsense into its ring"), at: now)
            }
        }
        handle(.memory(resident: resident), at: now)
        let isClose =
            resident - lastResident > Self.fastGrowth || resident * 10 > Int64(service.manifest.memoryLimit) * 6
        lastResident = resident
        nextWatch = now + (isClose ? Self.closeWatchInterval : Self.watchInterval)
    }

    // MARK: Orders

    func pause(at now: Int64) { handle(.pauseRequested, at: now) }

    func resume(at now: Int64) { handle(.resumeRequested, at: now) }

    func annotate(_ info: [String: String], at now: Int64) {
        isAnnotated = true
        handle(.annotateRequested(info), at: now)
    }

    var canRenewLink: Bool { machine.canRenewLink }

    func renewLink(at now: Int64) { handle(.linkRenewalRequested, at: now) }

    /// The last sample has been written: the extension is to finish.
    func finish(at now: Int64) { handle(.finishRequested, at: now) }

    /// Ends it now, whatever it does: the engine leaves. Waits a moment for what was killed.
    func abandon() {
        let deadline = MonotonicClock.now() + 2_000_000_000
        process?.kill()
        while let process, MonotonicClock.now() < deadline {
            if process.poll() != nil {
                self.process = nil
                remains.append(process)
            } else {
                _ = WakeSignal.poll([process.exitDescriptor], until: deadline)
            }
        }
        while !remains.isEmpty, MonotonicClock.now() < deadline {
            remains.removeAll { $0.clear() }
            if !remains.isEmpty { _ = WakeSignal.poll([], until: MonotonicClock.now() + Self.closeWatchInterval) }
        }
    }

    /// Its feed is ready, or cannot be had.
    func fed(_ delivery: FeedDelivery, at now: Int64) {
        guard delivery.run == run, let process else { return }
        switch delivery.result {
        case .failure(let failure): handle(.impossible(failure.message), at: now)
        case .success(let feed):
            self.feed = feed
            // What the client has said of the take stands; until it does, what the source says of itself.
            if !isAnnotated, !surroundings.feeder.annotation.isEmpty {
                handle(.annotateRequested(surroundings.feeder.annotation), at: now)
            }
            do throws(ControlError) {
                try process.connection.send(.start(feed.start), descriptors: feed.descriptors)
                handle(.startSent, at: now)
            } catch {
                handle(.channelClosed, at: now)
            }
        }
    }

    // MARK: Actions

    private func handle(_ event: ExtensionStateMachine.Event, at now: Int64) {
        for action in machine.handle(event, at: now) {
            switch action {
            case .launch: launch(at: now)
            case .beginFeeding: if let feed { surroundings.feeder.beginFeeding(feed) }
            case .endFeeding: if let feed { surroundings.feeder.endFeeding(feed) }
            case .send(let order): send(order, at: now)
            case .kill: process?.kill()
            case .requestKeyframe: surroundings.feeder.requestKeyframe()
            case .requestEncoding(let request):
                if let feed { surroundings.feeder.requestEncoding(request, for: feed) }
            case .announce(let kind):
                surroundings.announce(DestinationEvent(destination: index, label: destination.label, kind: kind))
            }
        }
        if machine.isEnded {
            forgetFeed()
            listener = nil
        }
    }

    private func launch(at now: Int64) {
        forgetFeed()
        run += 1
        do throws(ExtensionProcess.StartError) {
            try listen()
            let process = try ExtensionProcess(
                ExtensionProcess.Start(
                    service: service, mark: "\(index).\(run)", setupInfo: setupInfo,
                    environment: surroundings.environment,
                    confinement: surroundings.confinement, listener: listener),
                orphans: surroundings.orphans)
            self.process = process
            lastResident = 0
            nextWatch = now + Self.closeWatchInterval
            handle(.launched(pid: process.pid), at: now)
        } catch {
            return handle(.impossible(error.message), at: now)
        }
        let (index, run, deliver) = (index, run, surroundings.deliver)
        // One that is started again is told the link of its first run, for pages that are open to go on with.
        var setupInfo = setupInfo
        if let link = machine.status.link { setupInfo["previousLink"] = link }
        if let link = machine.status.playerLink { setupInfo["previousPlayerLink"] = link }
        if let listener { setupInfo.merge(listener.setupInfo) { _, its in its } }
        surroundings.feeder.makeFeed(for: service.manifest, setupInfo: setupInfo) { result in
            deliver(FeedDelivery(destination: index, run: run, result: result))
        }
    }

    /// Where its manifest says so, and it has not happened yet.
    private func listen() throws(ExtensionProcess.StartError) {
        guard listener == nil, let key = service.manifest.listen else { return }
        do throws(ListeningSocket.Error) {
            listener = try ListeningSocket(at: setupInfo[key] ?? "", setting: key, service: service.manifest.name)
        } catch {
            throw ExtensionProcess.StartError(message: error.description)
        }
    }

    private func forgetFeed() {
        if let counts = feed?.sender.counts {
            endedCounts.picturesSkipped += counts.picturesSkipped
            endedCounts.soundLost += counts.soundLost
        }
        feed = nil
    }

    private func send(_ order: ExtensionStateMachine.Order, at now: Int64) {
        guard let process, let feed else { return }
        let position = feed.sender.position
        let request: ExtensionRequest =
            switch order {
            case .pause: .pause(after: position)
            case .resume: .resume(after: position)
            case .annotate(let info): .annotate(info, after: position)
            case .renewLink: .renewLink(after: position)
            case .finish(let seconds): .finish(after: position, seconds: seconds)
            }
        do throws(ControlError) {
            try process.connection.send(request)
        } catch {
            handle(error == .peerTooSlow ? .misbehaved("does not read its control channel") : .channelClosed, at: now)
        }
    }

    // MARK: Its words

    /// Words of an extension that a person is shown: no longer than a line, nothing that steers a terminal, no secret.
    private func clean(_ report: ExtensionReport) -> ExtensionReport {
        switch report {
        case .link(let text): .link(clean(text, limit: 2000))
        case .links(let links):
            .links(
                BroadcastLinks(
                    page: clean(links.page, limit: 2000), player: links.player.map { clean($0, limit: 2000) },
                    isRenewable: links.isRenewable))
        case .state(let text): .state(clean(text))
        case .warning(let text): .warning(clean(text))
        case .failed(let text): .failed(clean(text))
        case .live(let isLive, let reason): .live(isLive, reason: reason.map(clean))
        case .started, .heartbeat, .statistics, .needsKeyframe, .encoding, .finished: report
        }
    }

    private func clean(_ text: String) -> String { clean(text, limit: 500) }

    private func clean(_ text: String, limit: Int) -> String { text.cleaned(of: secrets, limit: limit) }
}
