// Carries out the actions of the state machines of KinePublisher and KineRTMP on one event loop. Its connections, the way to the socket and
// the measurements are in separate extensions.
import KineRTMP
import NIOCore
import NIOSSL

final class PublisherLoop: @unchecked Sendable {
    // Sendable: all mutable state is used only on `eventLoop`.
    typealias ConnectionID = RTMPReconnectStateMachine.ConnectionID

    private static let startDeadline = TimeAmount.seconds(5)

    let eventLoop: any EventLoop
    let settings: RTMPSettings
    /// The stream's formats; the video's is the newest keyframe's.
    var format: RTMPStreamFormat
    let observe: @Sendable (RTMPEvent) -> Void

    var machine: RTMPReconnectStateMachine
    /// Actions that are not yet carried out. Carrying out one may add others.
    private var actions: [RTMPReconnectStateMachine.Action] = []
    private var isPerforming = false
    private var timers: [RTMPReconnectStateMachine.Timer: Scheduled<Void>] = [:]
    lazy var dialer = Dialer(on: eventLoop, resolver: settings.resolver, times: settings.times) { [unowned self] in
        self.connected($0)
    }
    /// The dialer's connection, until the machine has numbered it or discarded it.
    var incoming: (any Channel)?
    /// Connections that have sent nothing yet.
    var held: [ConnectionID: any Channel] = [:]
    var clients: [ConnectionID: RTMPClient] = [:]
    var tls: NIOSSLContext?
    private lazy var networkWatch = NetworkWatch(on: eventLoop) { [weak self] in self?.networkReturned() }

    var queue = SendQueue()
    var audioPresence = AudioPresence()
    var controller: BitrateController
    var meter: ConnectionMeter?
    var measuring: RepeatedTask?
    var keyframeRequested: Int64?
    var status = RTMPStatus()
    /// Waiting callers of `start` and `finish`.
    private var starting: ((PublishFailure?) -> Void)?
    private var finishing: [(PublishFailure?) -> Void] = []

    init(
        _ settings: RTMPSettings, format: RTMPStreamFormat, on eventLoop: any EventLoop,
        observe: @escaping @Sendable (RTMPEvent) -> Void
    ) {
        self.settings = settings
        self.format = format
        self.eventLoop = eventLoop
        self.observe = observe
        machine = RTMPReconnectStateMachine(
            settings.url, policy: ReconnectPolicy(limit: settings.retries, firstDelay: settings.firstDelay))
        controller = Self.controller(settings, format)
    }

    var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }
    var jitter: Double { .random(in: 0...1) }

    func start(_ done: @escaping (PublishFailure?) -> Void) {
        guard machine.state == .idle else { return done(nil) }
        starting = done
        // The caller does not wait longer for the outcome.
        eventLoop.scheduleTask(in: Self.startDeadline) { self.answerStart(nil) }
        networkWatch.start()
        perform(machine.start(now: now))
    }

    func answerStart(_ failure: PublishFailure?) {
        starting?(failure)
        starting = nil
    }

    func enqueue(_ items: [SendQueue.Item]) {
        for var item in items {
            if !item.isVideo { audioPresence.received(now: now) }
            if item.isVideo, item.isKeyframe {
                perform(machine.keyframe(now: now))
                // A later format may come before this frame is sent.
                item.format = item.format ?? format.video
                format.video = item.format
            }
            guard machine.acceptsSamples else {
                if item.isVideo { status.droppedFrames += 1 }
                continue
            }
            if queue.append(item) == .needsKeyframe { requestKeyframe() }
        }
        drain()
        if queue.exceedsAudioLimit, !machine.isEnding, let id = machine.sending {
            failed(id, PublishFailure(.audioTooSlow, machine.destination.url))
        }
    }

    /// `done` gets the reason if the stream was never live.
    func finish(_ done: @escaping (PublishFailure?) -> Void) {
        guard machine.state != .ended, machine.state != .idle else { return done(nil) }
        finishing.append(done)
        perform(machine.finish())
    }

    /// Carries out actions in order, even when one adds others.
    func perform(_ new: [RTMPReconnectStateMachine.Action]) {
        actions += new
        guard !isPerforming else { return }
        isPerforming = true
        while !actions.isEmpty { perform(actions.removeFirst()) }
        isPerforming = false
    }

    private func perform(_ action: RTMPReconnectStateMachine.Action) {
        switch action {
        case .dial(let target): dial(target)
        case .probe(let target): dialer.probe(target)
        case .retarget(let target): dialer.retarget(to: target)
        case .stopDialing: dialer.stop()
        case .hold(let id): held[id] = incoming.take()
        case .discard: incoming.take()?.close(promise: nil)
        case .open(let id, let url, let authentication, let wasLive): open(id, url, authentication, wasLive: wasLive)
        case .accepted(let id): accepted(id)
        case .becameLive(let id, let isAgain): becameLive(id, isAgain: isAgain)
        // Only after all messages that came with the server's acceptance have been answered.
        case .finish: eventLoop.execute { self.drain() }
        case .leave(let id): leave(id)
        case .close(let id):
            held.removeValue(forKey: id)?.close(promise: nil)
            forget(id)?.close()
        case .reset(let id): forget(id)?.reset()
        case .emptyQueue: emptyQueue()
        case .requestKeyframe: requestKeyframe()
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
        status.server = nil
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
        if let failure, finishing.isEmpty { observe(.failed(failure)) }
        answerStart(failure)
        for done in finishing { done(failure) }
        finishing = []
    }
}

// A publisher's way from the queue to the socket.
extension PublisherLoop {
    private static let keyframeInterval: Int64 = 500_000_000

    /// Sends samples as long as the connection accepts them. When the stream ends, the goodbye follows the last sample; if it
    /// was never live, only once it is, or if nothing could make it so.
    func drain() {
        guard let id = machine.sending, let client = clients[id] else { return }
        let wasTooLong = queue.isTooLong
        sendQueue(to: client, isLast: false)
        if wasTooLong, !queue.isTooLong, queue.awaitsKeyframe { requestKeyframe() }
        if case .finishing = machine.state, queue.isEmpty, machine.wasLive || !client.hasSentKeyframe {
            client.finish()
        }
    }

    /// `isLast`: waits neither for room nor for audio.
    func sendQueue(to client: RTMPClient, isLast: Bool) {
        if !client.hasBegun, let first = queue.first {
            var announced = format
            if let video = queue.firstFormat { announced.video = video }
            if format.video != nil, format.audio != nil {
                let hasAudio = audioPresence.isAnnounced(now: now)
                guard hasAudio != nil || isLast || machine.isEnding else { return }
                if hasAudio != true { announced.audio = nil }
            }
            client.begin(announced, at: first.time)
        }
        while isLast || client.channel.isWritable, let item = queue.popFirst() {
            status.sentBytes += client.send(item, of: format)
        }
        client.channel.flush()
    }

    func requestKeyframe() {
        let now = now
        if let keyframeRequested, now - keyframeRequested < Self.keyframeInterval { return }
        keyframeRequested = now
        observe(.keyframeNeeded)
    }

    /// Starts a new queue, and counts the frames dropped with the old one.
    func emptyQueue() {
        status.droppedFrames += queue.droppedFrames + queue.frameCount
        queue = SendQueue()
    }
}
