// The engine's main loop: signals, clients and the take's own threads, in one poll. It holds the state machine and carries
// out its actions; nothing in it blocks for longer than a message takes.
import CLinux
import Glibc
import KineCapture
import KineContainers
import KineMedia
import KinePlatform
import KineRelay
import SystemPackage

/// Runs one take for the client on a given socket. Used by the main thread.
public final class EngineHost {
    private let client: EngineConnection
    private let inbox = Inbox()
    private let signals: SignalDescriptor
    private var guests: [EngineConnection] = []
    private var machine = TakeStateMachine()
    private var registration: Registration?
    private var screen: VirtualScreen?
    private var take: Take?
    private var destinations: Destinations?
    private var clientIsThere = true
    private var isFinishingAtOnce = false
    private var nextProgress = Int64.max
    private var exitStatus: Int32?

    /// What the finishing thread leaves here.
    private let finished = Monitor<Take.Ending?>(nil)

    /// `client` is the connected socket of the client that started this process. SIGINT, SIGTERM and SIGHUP are taken over.
    public init(client: FileDescriptor) throws(ControlError) {
        signals = SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
        self.client = try EngineConnection(adopting: client)
    }

    /// Serves until the take is over. Returns the process's exit status.
    public func run() -> Int32 {
        while exitStatus == nil {
            waitForSomething()
            if signals.take() != nil { handle(.stopRequested(.stopped, at: MonotonicClock.now())) }
            listen()
            for message in inbox.takeAll() { receive(message) }
            readClient()
            readGuests()
            destinations?.attend(at: MonotonicClock.now())
            tick()
        }
        destinations?.abandon()
        _ = client.drain(until: MonotonicClock.now() + 1_000_000_000)
        registration?.unregister()
        return exitStatus ?? 0
    }

    private func waitForSomething() {
        var entries = [
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        if clientIsThere {
            entries.append(pollfd(fd: client.descriptor.rawValue, events: client.pollEvents, revents: 0))
        }
        if let registration {
            entries.append(pollfd(fd: registration.listener.descriptor.rawValue, events: Int16(POLLIN), revents: 0))
        }
        for guest in guests {
            entries.append(pollfd(fd: guest.descriptor.rawValue, events: guest.pollEvents, revents: 0))
        }
        entries += destinations?.pollEntries ?? []
        WakeSignal.poll(&entries, until: nextDeadline)
    }

    /// When the loop has something to do by itself: progress to send, or the take's time is up.
    private var nextDeadline: Int64? {
        let next = min(nextProgress, durationEnd ?? .max, destinations?.nextDeadline ?? .max)
        return next == .max ? nil : next
    }

    /// The instant at which the take has lasted as long as it should; nil where that is not known yet or paused.
    private var durationEnd: Int64? {
        guard machine.phase == .recording, let take, let limit = take.configuration.durationLimit else { return nil }
        let timeline = take.clock.snapshot
        guard let origin = timeline.origin, !timeline.isPaused else { return nil }
        let paused = timeline.pauses.reduce(Int64(0)) { $0 + $1.upperBound - max($1.lowerBound, origin) }
        return origin + paused + limit.nanoseconds
    }

    private func tick() {
        let now = MonotonicClock.now()
        if let end = durationEnd, now >= end { handle(.stopRequested(.durationReached, at: end)) }
        if now >= nextProgress {
            nextProgress = now + 1_000_000_000
            if let take, machine.phase == .recording { send(.progress(take.progress(at: now))) }
        }
        if let destinations, destinations.haveAllEnded, take?.configuration.output == nil {
            let message =
                "Every destination has ended and nothing is recorded; correct what was said of them and start again."
            handle(.stopRequested(.failed(exitStatus: ExitStatus.destinationFailed, message: message), at: now))
        }
        endWhenFinished()
    }

    // MARK: Clients

    private func readClient() {
        guard clientIsThere else { return }
        do throws(ControlError) {
            for message in try client.readAvailable() {
                if case .start(let configuration) = message {
                    start(configuration)
                } else {
                    answer(message, from: client)
                }
            }
            _ = try client.flush()
            if client.isClosed { throw .closed }
        } catch {
            // The client has died or was killed: what it wanted recorded is finished without it.
            clientIsThere = false
            if take == nil { exitStatus = 0 }
            handle(.stopRequested(.clientLost, at: MonotonicClock.now()))
        }
    }

    private func readGuests() {
        // Not removeAll: an answer goes to every guest, so the list is read while its members are served.
        let gone = guests.filter { guest in
            do throws(ControlError) {
                for message in try guest.readAvailable() { answer(message, from: guest) }
                _ = try guest.flush()
                return guest.isClosed
            } catch {
                return true
            }
        }
        if !gone.isEmpty { guests.removeAll { guest in gone.contains { $0 === guest } } }
    }

    private func listen() {
        if let registration { guests += registration.listener.acceptWaiting() }
    }

    private func answer(_ message: ClientMessage, from connection: EngineConnection) {
        let now = MonotonicClock.now()
        switch message {
        case .start:
            try? connection.send(.refused("This engine records already; start another with kinecast record."))
        case .status:
            if let status { try? connection.send(.status(status)) }
        case .pause:
            handle(.pauseRequested(at: now), from: connection)
        case .resume:
            handle(.resumeRequested(at: now), from: connection)
        case .annotate(let info): destinations?.annotate(info, at: now)
        case .stop(let immediately):
            isFinishingAtOnce = isFinishingAtOnce || immediately
            handle(.stopRequested(.stopped, at: now), from: connection)
        }
    }

    private var status: TakeStatus? {
        guard let registration, let take else { return nil }
        var status = TakeStatus(
            id: registration.record.id, phase: machine.phase, output: take.configuration.output,
            source: registration.record.source,
            progress: take.progress(at: MonotonicClock.now()))
        status.destinations = destinations?.statuses ?? []
        return status
    }

    /// To the client that started the take, and to everybody else who is connected.
    private func broadcast(_ message: EngineMessage) {
        send(message)
        for guest in guests { try? guest.send(message) }
    }

    private func send(_ message: EngineMessage) {
        if clientIsThere { try? client.send(message) }
    }

    // MARK: The take

    private func start(_ configuration: TakeConfiguration) {
        guard take == nil else {
            return answer(.start(configuration), from: client)
        }
        do throws(TakeFailure) {
            let checked = try Destinations.check(configuration.destinations, in: Self.catalog)
            let registration = try register(configuration)
            self.registration = registration
            if case .virtual(let size) = configuration.source {
                screen = try startScreen(size, configuration, registration)
            }
            let take = try Take(
                configuration: configuration, services: checked.map(\.service.manifest), inbox: inbox)
            self.take = take
            let inbox = inbox
            destinations = Destinations(
                checked, supervision: configuration.supervision, feeder: take,
                deliver: { inbox.post(.feed($0)) }, announce: { [weak self] in self?.broadcast(.destination($0)) })
        } catch {
            leave(with: .failed(error), status: error.exitStatus)
        }
    }

    /// What is installed for this user, and beside this executable.
    private static var catalog: ServiceCatalog {
        .standard(executableDirectory: FilePath(ExecutableSearch.own ?? "/").removingLastComponent())
    }

    private func register(_ configuration: TakeConfiguration) throws(TakeFailure) -> Registration {
        do throws(TakeRegistry.Error) {
            return try TakeRegistry.standard().register(
                output: configuration.output, source: configuration.source.description)
        } catch {
            throw TakeFailure(exitStatus: ExitStatus.unavailable, message: error.description)
        }
    }

    private func startScreen(
        _ size: PixelSize, _ configuration: TakeConfiguration, _ registration: Registration
    ) throws(TakeFailure) -> VirtualScreen {
        do throws(VirtualScreen.Error) {
            let screen = try VirtualScreen(
                size: size, directory: registration.directory.string, withSound: configuration.audio.app != .none)
            // This process's own sources look at the private servers from here on.
            for entry in screen.environment {
                let parts = entry.split(separator: "=", maxSplits: 1)
                setenv(String(parts[0]), String(parts[1]), 1)
            }
            return screen
        } catch {
            throw TakeFailure(exitStatus: ExitStatus.unavailable, message: error.description)
        }
    }

    private func receive(_ message: Inbox.Message) {
        switch message {
        case .event(let event): handle(event)
        case .warning(let text): broadcast(.warning(text))
        case .needsPicture(let instant): take?.repeatPicture(at: instant)
        case .recordingEnded: break  // woken for it, the loop looks by itself
        case .feed(let delivery): destinations?.fed(delivery, at: MonotonicClock.now())
        case .samplesEnded: destinations?.finish(at: MonotonicClock.now())
        case .failure(let status, let text):
            handle(.stopRequested(.failed(exitStatus: status, message: text), at: MonotonicClock.now()))
        }
    }

    private func handle(_ event: TakeStateMachine.Event, from connection: EngineConnection? = nil) {
        for action in machine.handle(event) {
            switch action {
            case .announceStarted: announceStarted()
            case .pause(let instant):
                take?.pause(at: instant)
                destinations?.pause(at: instant)
                broadcast(.paused)
            case .resume(let instant):
                destinations?.resume(at: instant)
                take?.resume(at: instant)
                broadcast(.resumed)
            case .refuse(let reason): try? connection?.send(.refused(reason))
            case .finish(_, let instant): finish(at: instant)
            case .end(let reason): end(reason)
            }
        }
    }

    private func announceStarted() {
        guard let take, let registration else { return }
        let started = TakeStarted(
            id: registration.record.id, output: take.configuration.output,
            size: take.size ?? PixelSize(width: 0, height: 0),
            environment: screen?.environment ?? [])
        send(.started(started))
        if take.configuration.wantsProgress { nextProgress = MonotonicClock.now() + 1_000_000_000 }
    }

    /// Finishing waits for threads and for the disk, so it has a thread of its own and the loop goes on answering.
    private func finish(at instant: Int64) {
        nextProgress = .max
        guard let take else {
            exitStatus = 0  // it was told to end before it was told what to record
            return
        }
        let inbox = inbox
        let finished = finished
        let leavesOutIndexMove = isFinishingAtOnce
        _ = DedicatedThread(name: "finish") {
            let ending = take.finish(at: instant, movesIndex: !leavesOutIndexMove) { inbox.post(.samplesEnded) }
            finished.signal { $0 = ending }
            inbox.post(.recordingEnded)
        }
    }

    /// The take is over when its file is finished and every extension has gone.
    private func endWhenFinished() {
        guard machine.phase == .finishing, finished.withLock({ $0 != nil }), destinations?.areDone ?? true else {
            return
        }
        handle(.finished)
    }

    private func end(_ reason: TakeStateMachine.StopReason) {
        guard let take, let recording = finished.withLock({ $0 }) else { return }
        let outcome = TakeOutcome(
            reason: reason, ending: recording, progress: take.progress(at: MonotonicClock.now()),
            size: take.size ?? PixelSize(width: 0, height: 0), output: take.configuration.output,
            destinations: destinations?.statuses ?? [])
        leave(with: outcome.message, status: outcome.exitStatus)
    }

    private func leave(with message: EngineMessage, status: Int32) {
        screen?.end()
        screen = nil
        broadcast(message)
        exitStatus = status
    }
}
