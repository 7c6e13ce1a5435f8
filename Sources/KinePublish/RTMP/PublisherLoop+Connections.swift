// A publisher's connections: made, lost, made again, moved to another address, closed.
import KineRTMP
import NIOCore
import NIOSSL

extension PublisherLoop {
    func connect() {
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

    func connected(_ channel: any Channel) {
        self.channel = channel
        let random = (0..<1528).map { _ in UInt8.random(in: 0 ... .max) }
        session = RTMPSession(
            url, authentication: authentication, random: random, wasLive: status.reconnects > 0 || liveSince > 0)
        perform(session?.connected(now: now) ?? [])
    }

    func perform(_ events: [RTMPSession.Event]) {
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

    func becameLive() {
        phase = .live
        policy.connected()
        if liveSince > 0 { status.reconnects += 1 }
        liveSince = now
        progress = (0, now)
        controller.reset()
        if !isMoving { clearQueue() }
        isMoving = false
        status.server = session?.server
        report(.live)
        answerStart(nil)
        beginMeasuring()
        if queue.isWaitingForKeyframe, status.sentBytes > 0 { askForKeyframe() }
        drain()
    }

    func failed(_ failure: PublishFailure) {
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
    func move(to target: RTMPURL) {
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

    func dropChannel() {
        number += 1
        channel?.close(promise: nil)
        channel = nil
        session = nil
        measuring?.cancel()
        deadlineTimer?.cancel()
    }

    /// The peer has everything when it closes in its turn; it may take a second.
    func closeWhenSent() {
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

    func end(_ state: RTMPStatus.State) {
        guard phase != .ended else { return }
        phase = .ended
        dropChannel()
        retryTimer?.cancel()
        if state == .finished { report(.finished) }
        answerStart(nil)
        for done in finished { done() }
        finished = []
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
