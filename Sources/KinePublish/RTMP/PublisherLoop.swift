// Carries out what the state machines of KineRTMP decide, on one event loop: what a publisher holds, and what it is asked for.
// Its connections, the way to the socket and the watch on it are in files of their own.
import KineRTMP
import NIOCore
import NIOSSL

/// The publisher on its event loop.
final class PublisherLoop: @unchecked Sendable {
    // Sendable: everything that changes is touched only on `eventLoop`.
    private static let startDeadline = TimeAmount.seconds(5)

    let eventLoop: any EventLoop
    let settings: RTMPSettings
    let format: RTMPStreamFormat
    let wantsKeyframe: @Sendable () -> Void
    let observe: @Sendable (RTMPEvent) -> Void

    /// Which connection there is, and what follows.
    var machine: ReconnectStateMachine
    /// What the machine wants and has not got yet. One that is carried out may lead to more.
    var actions: [ReconnectStateMachine.Action] = []
    var isPerforming = false
    var timers: [ReconnectStateMachine.Timer: Scheduled<Void>] = [:]
    lazy var dialer = Dialer(on: eventLoop, resolver: settings.resolver, times: settings.times) { [unowned self] in
        self.connected($0)
    }
    /// The dialer's connection, until the machine has said what becomes of it.
    var incoming: (any Channel)?
    var clients: [ReconnectStateMachine.ConnectionID: RTMPClient] = [:]
    var tls: NIOSSLContext?
    lazy var networkWatch = NetworkWatch(on: eventLoop) { [weak self] in self?.networkReturned() }

    var queue = SendQueue()
    var controller: BitrateController
    var meter: ConnectionMeter?
    var measuring: RepeatedTask?
    var keyframeAsked: Int64?
    var status = RTMPStatus()
    private var started: ((PublishFailure?) -> Void)?
    private var finished: [() -> Void] = []

    init(
        _ settings: RTMPSettings, format: RTMPStreamFormat, on eventLoop: any EventLoop,
        wantsKeyframe: @escaping @Sendable () -> Void, observe: @escaping @Sendable (RTMPEvent) -> Void
    ) {
        self.settings = settings
        self.format = format
        self.eventLoop = eventLoop
        self.wantsKeyframe = wantsKeyframe
        self.observe = observe
        machine = ReconnectStateMachine(
            settings.url, policy: ReconnectPolicy(limit: settings.retries, firstDelay: settings.firstDelay))
        controller = Self.controller(settings, format)
    }

    var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }
    var chance: Double { .random(in: 0...1) }

    // MARK: What the publisher asks for

    func start(_ done: @escaping (PublishFailure?) -> Void) {
        guard machine.state == .idle else { return done(nil) }
        started = done
        // The caller of `start` is told "live" or "not possible" where that is quickly known, and need not wait for more.
        eventLoop.scheduleTask(in: Self.startDeadline) { self.answerStart(nil) }
        networkWatch.start()
        perform(machine.start(now: now))
    }

    func answerStart(_ failure: PublishFailure?) {
        started?(failure)
        started = nil
    }

    func take(_ items: [SendQueue.Item]) {
        for item in items {
            if item.isVideo, item.isKeyframe { perform(machine.keyframe(now: now)) }
            guard machine.takesSamples else {
                if item.isVideo { status.droppedPictures += 1 }
                continue
            }
            if queue.append(item) == .needsKeyframe { askForKeyframe() }
        }
        drain()
        if queue.exceedsAudioLimit, !machine.isEnding, let id = machine.sending {
            let failure = PublishFailure(
                .lost,
                "The connection to \(machine.destination.url) takes less than the sound needs; a new connection is made."
            )
            failed(id, failure)
        }
    }

    func finish(_ done: @escaping () -> Void) {
        guard machine.state != .ended, machine.state != .idle else { return done() }
        finished.append(done)
        perform(machine.finish())
    }

    // MARK: What the machine wants

    /// In order, also where carrying out one leads to more.
    func perform(_ new: [ReconnectStateMachine.Action]) {
        actions += new
        guard !isPerforming else { return }
        isPerforming = true
        while !actions.isEmpty { perform(actions.removeFirst()) }
        isPerforming = false
    }

    private func perform(_ action: ReconnectStateMachine.Action) {
        switch action {
        case .dial(let target): dial(target)
        case .probe(let target): dialer.probe(target)
        case .retarget(let target): dialer.retarget(to: target)
        case .stopDialing: dialer.stop()
        case .hold(let id): hold(id)
        case .turnAway: incoming.take()?.close(promise: nil)
        case .open(let id, let url, let authentication, let wasLive): open(id, url, authentication, wasLive: wasLive)
        case .becameLive(let id, let isAgain): becameLive(id, isAgain: isAgain)
        // Once what came with the server's yes has been answered.
        case .finish: eventLoop.execute { self.drain() }
        case .leave(let id): leave(id)
        case .close(let id): forget(id)?.close()
        case .reset(let id): forget(id)?.reset()
        case .emptyQueue: emptyQueue()
        case .askForKeyframe: askForKeyframe()
        case .startTimer(let timer, let delay):
            timers[timer]?.cancel()
            timers[timer] = eventLoop.scheduleTask(in: .nanoseconds(delay)) {
                self.perform(self.machine.fired(timer, now: self.now))
            }
        case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .interrupted(let failure, let delay): interrupted(failure, retryAfter: delay)
        case .ended(let failure): ended(failure)
        }
    }

    private func interrupted(_ failure: PublishFailure, retryAfter delay: Int64) {
        controller.reset()
        status.roundTrip = nil
        status.bitrate = 0
        report(machine.wasLive ? .reconnecting : .starting)
        observe(.interrupted(failure, retryAfter: Double(delay) / 1e9))
        answerStart(nil)
    }

    private func ended(_ failure: PublishFailure?) {
        networkWatch.stop()
        stopMeasuring()
        report(failure == nil ? .finished : .failed)
        // The caller that asked for the end learns from the status that it never was live, and from earlier events why.
        if let failure, finished.isEmpty { observe(.failed(failure)) }
        answerStart(failure)
        for done in finished { done() }
        finished = []
    }
}
