// The engine's main loop: signals, clients and the take's own threads, in one poll. It holds the state machine and carries
// out its actions (EngineHost+Take); nothing in it blocks for longer than a message takes.
import CLinux
import Glibc
import KineCapture
import KineControl
import KinePlatform
import KineRelay
import SystemPackage

/// Runs one take for the client on a given socket. Used by the main thread.
public final class EngineHost {
    let client: EngineConnection
    let inbox = Inbox()
    private let signals: SignalDescriptor
    let worker: TakeWorker
    private var guests: [EngineConnection] = []
    var machine = TakeStateMachine()
    var registration: Registration?
    /// What the client asked for, once it has.
    var configuration: TakeConfiguration?
    /// The destinations, until the take is open.
    var checked: [Destinations.Checked] = []
    var screen: (any SourceSession)?
    var take: Take?
    var destinations: Destinations?
    var clientIsThere = true
    var isFinishingAtOnce = false
    /// What the take's threads said before the take was here.
    var early: [Inbox.Message] = []
    /// The instant at which a take ends that is still being opened.
    var endOfOpening: Int64?
    var nextProgress = Int64.max
    /// After there was no descriptor for a client, none is accepted before this instant.
    private var nextAccept = Int64.min
    /// Nanoseconds.
    private static let acceptRest: Int64 = 250_000_000
    /// The process's exit status, and until when it waits for the client to end what it shows on the private screen.
    var leaving: (status: Int32, deadline: Int64)?

    /// Ends whatever the opening of the take, or its source, waits for.
    let cancellation = Cancellation()
    /// What the worker leaves here.
    let opened = Monitor<Result<OpenedTake, TakeFailure>?>(nil)
    let finished = Monitor<Take.Ending?>(nil)

    /// `client` is the connected socket of the client that started this process. SIGINT, SIGTERM and SIGHUP are taken over.
    public init(client: FileDescriptor) throws(ControlError) {
        signals = SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
        self.client = try EngineConnection(adopting: client)
        do throws(Errno) {
            worker = try TakeWorker()
        } catch {
            throw .system(call: "pthread_create", error)
        }
    }

    /// Serves until the take is over. Returns the process's exit status.
    public func run() -> Int32 {
        while !hasLeft {
            waitForSomething()
            if signals.take() != nil {
                leaving?.deadline = 0
                handle(.stopRequested(.stopped, at: MonotonicClock.now()))
            }
            listen()
            for message in inbox.takeAll() { receive(message) }
            readClient()
            readGuests()
            destinations?.attend(at: MonotonicClock.now())
            tick()
        }
        destinations?.abandon()
        _ = client.drain(until: MonotonicClock.now() + 1_000_000_000)
        screen?.end()
        registration?.unregister()
        return leaving?.status ?? 0
    }

    /// The result is out, and the client has ended what it shows on the private screen: it ends before its display.
    private var hasLeft: Bool {
        guard let leaving else { return false }
        return screen == nil || !clientIsThere || MonotonicClock.now() >= leaving.deadline
    }

    private func waitForSomething() {
        var entries = [
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        if clientIsThere {
            entries.append(pollfd(fd: client.descriptor.rawValue, events: client.pollEvents, revents: 0))
        }
        if let registration, nextAccept == .min {
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
        let next = min(
            nextProgress, durationEnd ?? .max, destinations?.nextDeadline ?? .max, leaving?.deadline ?? .max,
            nextAccept == .min ? .max : nextAccept)
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
            if configuration == nil { leaving = leaving ?? (0, 0) }
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
        guard let registration, MonotonicClock.now() >= nextAccept else { return }
        let (accepted, isExhausted) = registration.listener.acceptWaiting(as: EngineConnection.self)
        guests += accepted
        // Connections that wait stay in the kernel's queue.
        nextAccept = isExhausted ? MonotonicClock.now() + Self.acceptRest : .min
    }

    func answer(_ message: ClientMessage, from connection: EngineConnection) {
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
        case .renewLinks:
            if destinations?.renewLinks(at: now) != true {
                try? connection.send(
                    .refused(
                        "No destination of this take has a link that can be renewed; the live page has one while it runs."
                    ))
            }
        case .unknown(let name): refuse(unknown: name, from: connection)
        case .stop(let immediately):
            isFinishingAtOnce = isFinishingAtOnce || immediately
            handle(.stopRequested(.stopped, at: now), from: connection)
        }
    }

    private var status: TakeStatus? {
        guard let registration, let configuration else { return nil }
        var status = TakeStatus(
            id: registration.record.id, phase: machine.phase, output: configuration.output,
            source: registration.record.source,
            progress: take?.progress(at: MonotonicClock.now()) ?? TakeProgress())
        status.destinations = destinations?.statuses ?? []
        return status
    }

    /// To the client that started the take, and to everybody else who is connected.
    func broadcast(_ message: EngineMessage) {
        send(message)
        for guest in guests { try? guest.send(message) }
    }

    func send(_ message: EngineMessage) {
        if clientIsThere { try? client.send(message) }
    }
}
