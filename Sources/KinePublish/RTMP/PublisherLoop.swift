// Carries out what the state machines of KineRTMP decide: connections, timers, and the way from the queue to the socket.
import KineRTMP
import NIOCore
import NIOSSL

/// The publisher on its event loop.
final class PublisherLoop: @unchecked Sendable {
    // Sendable: everything that changes is touched only on `eventLoop`.
    private enum Phase {
        case idle
        case connecting
        case live
        case waiting
        case finishing
        case ended
    }

    static let finishDeadline = TimeAmount.seconds(5)
    private static let startDeadline = TimeAmount.seconds(5)
    private static let measureInterval = TimeAmount.milliseconds(250)
    private static let keyframeInterval: Int64 = 500_000_000

    let eventLoop: any EventLoop
    private let settings: RTMPSettings
    private let format: RTMPStreamFormat
    private let wantsKeyframe: @Sendable () -> Void
    private let observe: @Sendable (RTMPEvent) -> Void

    private var phase = Phase.idle
    private var url: RTMPURL
    private var authentication: PublisherAuthentication
    private var tls: NIOSSLContext?
    private var policy: ReconnectPolicy
    private var queue = SendQueue()
    private var controller: BitrateController?
    private var status = RTMPStatus()

    private var session: RTMPSession?
    private var channel: (any Channel)?
    /// Counts connections, so that the last words of an old one are told from those of the present.
    private var number = 0
    private var hasBegun = false
    /// The server asked to go there; done at the next keyframe.
    private var moveTarget: RTMPURL?
    /// Samples are kept while the next connection is made: it is a move.
    private var isMoving = false
    private var liveSince: Int64 = 0
    private var keyframeAsked = Int64.min
    private var progress: (delivered: Int64, at: Int64) = (0, 0)
    private var measured = 0
    private var deadlineTimer: Scheduled<Void>?
    private var retryTimer: Scheduled<Void>?
    private var measuring: RepeatedTask?
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
        url = settings.url
        authentication = PublisherAuthentication(settings.url, challenge: .random(in: 0 ... .max))
        policy = ReconnectPolicy(limit: settings.retries)
        if let bitrate = format.video?.bitrate, bitrate > settings.minimumBitrate {
            controller = BitrateController(range: settings.minimumBitrate...bitrate)
        }
    }

    private var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    // MARK: What the publisher asks for

    func start(_ done: @escaping (PublishFailure?) -> Void) {
        guard phase == .idle else { return done(nil) }
        started = done
        // Who began the broadcast is told "live" or "not possible" where that is quickly known, and need not wait for more.
        eventLoop.scheduleTask(in: Self.startDeadline) { self.answerStart(nil) }
        connect()
    }

    private func answerStart(_ failure: PublishFailure?) {
        started?(failure)
        started = nil
    }

    func take(_ items: [SendQueue.Item]) {
        for item in items {
            if item.isVideo, item.isKeyframe, phase == .live, let target = moveTarget { move(to: target) }
            guard phase == .live || isMoving else {
                if item.isVideo { status.droppedPictures += 1 }
                continue
            }
            if queue.append(item) == .needsKeyframe { askForKeyframe() }
        }
        drain()
    }

    func finish(_ done: @escaping () -> Void) {
        guard phase != .ended, phase != .idle else { return done() }
        finished.append(done)
        retryTimer?.cancel()
        guard phase == .live else { return end(.finished) }
        phase = .finishing
        eventLoop.scheduleTask(in: Self.finishDeadline) { self.end(.finished) }
        drain()
    }

    // MARK: Connections

    private func connect() {
        phase = .connecting
        number += 1
        hasBegun = false
        session = nil
        let mine = number
        do {
            if url.isSecure, tls == nil {
                tls = try RTMPConnection.context(certificateAuthority: settings.certificateAuthority)
            }
        } catch {
            return failed(
                PublishFailure(
                    .configuration,
                    "The certificates in \(settings.certificateAuthority ?? "the system's store") cannot be read; "
                        + "give a PEM file with “ca”."))
        }
        RTMPConnection.open(url, tls: url.isSecure ? tls : nil, on: eventLoop, number: mine, owner: self)
            .whenComplete { result in
                guard mine == self.number, self.phase == .connecting || self.isMoving else {
                    if case .success(let channel) = result { channel.close(promise: nil) }
                    return
                }
                switch result {
                case .success(let channel): self.connected(channel)
                case .failure(let error): self.failed(RTMPConnection.failure(error, self.url))
                }
            }
    }

    private func connected(_ channel: any Channel) {
        self.channel = channel
        let random = (0..<1528).map { _ in UInt8.random(in: 0 ... .max) }
        session = RTMPSession(
            url, authentication: authentication, random: random, wasLive: status.reconnects > 0 || liveSince > 0)
        perform(session?.connected(now: now) ?? [])
    }

    private func perform(_ events: [RTMPSession.Event]) {
        for event in events {
            switch event {
            case .send(let bytes): write(bytes)
            case .live: becameLive()
            case .authenticate(let next):
                authentication = next
                dropChannel()
                connect()
            case .move(let target):
                moveTarget = target
                askForKeyframe()
            case .fail(let failure): failed(failure)
            case .close: closeWhenSent()
            }
        }
        channel?.flush()
        scheduleDeadline()
    }

    private func becameLive() {
        phase = .live
        policy.connected()
        if liveSince > 0 { status.reconnects += 1 }
        liveSince = now
        progress = (0, now)
        controller?.reset()
        if !isMoving { clearQueue() }
        isMoving = false
        status.server = session?.server
        report(.live)
        answerStart(nil)
        measuring?.cancel()
        measuring = eventLoop.scheduleRepeatedTask(initialDelay: Self.measureInterval, delay: Self.measureInterval) {
            _ in
            self.measure()
        }
        if queue.isWaitingForKeyframe, status.sentBytes > 0 { askForKeyframe() }
        drain()
    }

    private func failed(_ failure: PublishFailure) {
        guard phase != .ended else { return }
        if phase == .finishing { return end(.finished) }
        var atStreamName = false
        if case .publishing = session?.state { atStreamName = true }
        let delay = policy.failed(failure, atStreamName: atStreamName, chance: .random(in: 0...1))
        let wasRefused = failure.kind == .lost && atStreamName
        dropChannel()
        isMoving = false
        moveTarget = nil
        clearQueue()
        guard let delay else {
            let last = wasRefused ? PublishFailure(.refused, failure.description) : failure
            status.state = .failed
            observe(.status(status))
            observe(.failed(last))
            answerStart(last)
            return end(.failed)
        }
        phase = .waiting
        report(.reconnecting)
        observe(.interrupted(failure, retryAfter: Double(delay) / 1e9))
        answerStart(nil)
        retryTimer = eventLoop.scheduleTask(in: .nanoseconds(delay)) {
            guard self.phase == .waiting else { return }
            self.connect()
        }
    }

    /// Goes to the server's other address. What waits goes to the old one, the keyframe and what follows to the new one.
    private func move(to target: RTMPURL) {
        moveTarget = nil
        send(everything: true)
        perform(session?.finish() ?? [])
        channel = nil
        measuring?.cancel()
        url = target
        authentication = PublisherAuthentication(target, challenge: .random(in: 0 ... .max))
        isMoving = true
        clearQueue()
        connect()
    }

    /// Begins anew with nothing waiting, and counts what is left out.
    private func clearQueue() {
        queue.removeAll()
        status.droppedPictures += queue.droppedPictures
        queue = SendQueue()
    }

    private func dropChannel() {
        number += 1
        channel?.close(promise: nil)
        channel = nil
        session = nil
        measuring?.cancel()
        deadlineTimer?.cancel()
    }

    /// The peer has everything when it closes in its turn; it may take a second.
    private func closeWhenSent() {
        guard let channel else { return }
        let isLast = phase == .finishing
        let done: @Sendable () -> Void = { if isLast { self.end(.finished) } }
        // With data unread, closing at once would throw away what the peer has not got yet (RFC 1122, 4.2.2.13).
        if url.isSecure {
            channel.flush()
            channel.close().whenComplete { _ in done() }
        } else {
            channel.flush()
            channel.close(mode: .output, promise: nil)
            let timer = channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in
                timer.cancel()
                done()
            }
        }
    }

    private func end(_ state: RTMPStatus.State) {
        guard phase != .ended else { return }
        phase = .ended
        dropChannel()
        retryTimer?.cancel()
        if state == .finished { report(.finished) }
        answerStart(nil)
        for done in finished { done() }
        finished = []
    }

    // MARK: Sending

    private func drain() {
        send(everything: false)
        guard phase == .finishing, queue.isEmpty, let events = session?.finish() else { return }
        perform(events)
    }

    /// Hands samples to the socket as long as it takes them.
    private func send(everything: Bool) {
        guard phase == .live || phase == .finishing, let channel else { return }
        while everything || channel.isWritable, let item = queue.popFirst() {
            let timestamp = UInt32(truncatingIfNeeded: item.time)
            if !hasBegun {
                hasBegun = true
                write(session?.beginStream(format, timestamp: timestamp) ?? [])
            }
            let bytes =
                item.isVideo
                ? session?.video(item.payload, timestamp: timestamp)
                : session?.audio(item.payload, timestamp: timestamp)
            write(bytes ?? [])
            status.sentBytes += Int64(bytes?.count ?? 0)
        }
        channel.flush()
    }

    private func write(_ bytes: [UInt8]) {
        guard let channel, !bytes.isEmpty else { return }
        channel.write(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    private func askForKeyframe() {
        let now = now
        guard keyframeAsked == .min || now - keyframeAsked >= Self.keyframeInterval else { return }
        keyframeAsked = now
        wantsKeyframe()
    }

    // MARK: Watching

    private func scheduleDeadline() {
        deadlineTimer?.cancel()
        guard let deadline = session?.deadline else { return }
        let mine = number
        deadlineTimer = eventLoop.scheduleTask(in: .nanoseconds(max(0, deadline - now))) {
            guard mine == self.number else { return }
            self.perform(self.session?.tick(now: self.now) ?? [])
        }
    }

    private func measure() {
        guard let channel, phase == .live || phase == .finishing else { return }
        let mine = number
        TCPStatistics.read(channel).whenSuccess { statistics in
            guard mine == self.number, let channel = self.channel else { return }
            let buffered = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            self.measured(statistics, waiting: self.queue.byteCount + buffered)
        }
    }

    private func measured(_ statistics: TCPStatistics?, waiting: Int) {
        let now = now
        if let statistics {
            let waiting = waiting + statistics.unsentBytes
            if statistics.deliveredBytes != progress.delivered || waiting == 0 && !statistics.isUnacknowledged {
                progress = (statistics.deliveredBytes, now)
            } else if now - progress.at >= settings.stallDeadline {
                return failed(
                    PublishFailure(
                        .lost,
                        "The server \(url) has taken nothing for \(settings.stallDeadline / 1_000_000_000) seconds; "
                            + "a new connection is made."))
            }
            status.roundTrip = Double(statistics.roundTrip) / 1e6
            if var controller {
                let before = controller.target
                let target = controller.update(
                    .init(now: now, waitingBytes: waiting, deliveredBytes: statistics.deliveredBytes))
                self.controller = controller
                if target != before { observe(.target(target)) }
                status.bitrate = Int(controller.throughput ?? 0)
            }
        }
        measured += 1
        if measured % 2 == 0 { report(.live) }
    }

    private func report(_ state: RTMPStatus.State) {
        var now = status
        status.state = state
        now = status
        now.uptime = state == .live ? Double(self.now - liveSince) / 1e9 : 0
        now.queueMilliseconds = Int(queue.duration)
        now.droppedPictures += queue.droppedPictures
        observe(.status(now))
    }
}

extension PublisherLoop: RTMPConnectionOwner {
    func received(_ bytes: ByteBuffer, connection: Int) {
        guard connection == number else { return }
        perform(session?.receive(bytes.readableBytesView, now: now) ?? [])
    }

    func becameWritable(connection: Int) {
        guard connection == number else { return }
        drain()
    }

    func closed(_ failure: PublishFailure?, connection: Int) {
        guard connection == number, phase != .ended else { return }
        if phase == .finishing { return end(.finished) }
        // What TLS says of the server is more than that it closed.
        if let failure, failure.isFinal || session == nil { return failed(failure) }
        perform(session?.disconnected() ?? [])
    }
}
