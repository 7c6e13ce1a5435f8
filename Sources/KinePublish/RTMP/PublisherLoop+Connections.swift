// A publisher's connections: made, lost, made again, moved to another address, closed.
import KineRTMP
import NIOCore
import NIOSSL

extension PublisherLoop {
    /// A second, and the way there and back.
    private static let lastChance = TimeAmount.milliseconds(1250)

    func connect() {
        phase = .connecting
        number += 1
        attemptedAt = now
        hasBegun = false
        session = nil
        do {
            if url.isSecure, tls == nil {
                tls = try RTMPConnection.context(certificateAuthority: settings.certificateAuthority)
            }
        } catch {
            return failed(RTMPConnection.unreadableAuthority(settings.certificateAuthority))
        }
        reach.attempt(url, avoiding: disappointing) { error in self.failed(RTMPConnection.failure(error, self.url)) }
    }

    /// The server has taken a connection: of the attempt, or one that a knock between the attempts has brought.
    func reached(_ channel: any Channel) {
        if phase != .connecting { attemptedAt = now }
        switch phase {
        case .connecting, .waiting, .live:
            if self.channel == nil { adopt(channel) } else { consider(channel) }
        case .idle, .finishing, .ended: channel.close(promise: nil)
        }
    }

    private func adopt(_ channel: any Channel) {
        retryTimer?.cancel()
        if let retired { RTMPConnection.reset(retired) }
        retired = nil
        phase = .connecting
        number += 1
        hasBegun = false
        session = nil
        let mine = number
        do {
            try RTMPConnection.adopt(channel, url, tls: url.isSecure ? tls : nil, number: number, owner: self)
        } catch {
            channel.close(promise: nil)
            return failed(RTMPConnection.failure(error, url))
        }
        sendsAgainEachSecond = false
        TCPStatistics.sendAgainEachSecond(channel).whenSuccess {
            if mine == self.number { self.sendsAgainEachSecond = true }
        }
        connected(channel)
    }

    private func connected(_ channel: any Channel) {
        self.channel = channel
        progress = (0, now)
        let random = (0..<1528).map { _ in UInt8.random(in: 0 ... .max) }
        session = RTMPSession(url, authentication: authentication, random: random, wasLive: wasLive)
        beginMeasuring()
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
        policy.accepted()
        hasProvedItself = false
        deliveredWhenLive = nil
        disappointing = nil
        if wasLive { status.reconnects += 1 }
        liveSince = now
        progress = (0, now)
        controller.reset()
        if !isMoving { clearQueue() }
        isMoving = false
        status.server = session?.server
        report(.live)
        answerStart(nil)
        if queue.isWaitingForKeyframe, status.sentBytes > 0 { askForKeyframe() }
        drain()
        // Once what came with the server's yes has been answered.
        if isEnding { eventLoop.execute { if self.phase == .live { self.finishNow() } } }
    }

    func failed(_ failure: PublishFailure) {
        guard phase != .ended else { return }
        if isEnding { return end(.finished) }
        var failure = failure
        // Where the server sent the publisher, nothing is final: the server itself is still there.
        if url != settings.url, failure.isFinal { failure = PublishFailure(.lost, failure.description) }
        let atStreamName = session?.endedAtStreamName ?? false
        let isUnproved = phase == .live && !hasProvedItself
        let delay = policy.failed(
            failure, atStreamName: atStreamName, after: isUnproved ? 0 : now - attemptedAt,
            chance: .random(in: 0...1))
        let wasRefused = failure.kind == .lost && atStreamName && !wasLive
        disappointing = (channel ?? retired)?.remoteAddress
        if url != settings.url {
            url = settings.url
            reach.turn(to: url)
        }
        leaveConnection()
        guard let delay else {
            let last = PublishFailure(wasRefused ? .refused : failure.kind, failure.onceOnly)
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

    private func leaveConnection() {
        dropChannel()
        isMoving = false
        moveTarget = nil
        clearQueue()
        // The server's demand held for that connection; the next one is asked anew.
        authentication = PublisherAuthentication(url, challenge: .random(in: 0 ... .max))
        controller.reset()
        status.roundTrip = nil
        status.bitrate = 0
    }

    /// Leaves the connection, but ends it only when the next one is there: a farewell would not reach the server now, which
    /// then would go on to take the stream for published and refuse the next publisher. A reset that goes with the next
    /// connection reaches it.
    func retire() {
        if let retired { RTMPConnection.reset(retired) }
        retired = channel
        channel = nil
    }

    /// The network is back: a new connection is there, while nothing was acknowledged on the present one yet. Where that one
    /// sends again within a second, it gets the chance, for with it nothing is lost; else its next try may be far.
    private func consider(_ next: any Channel) {
        guard !isConsidering else { return next.close(promise: nil) }
        guard sendsAgainEachSecond else { return takeOver(next) }
        isConsidering = true
        let (mine, begun) = (number, now)
        eventLoop.scheduleTask(in: Self.lastChance) {
            self.isConsidering = false
            guard mine == self.number, self.phase != .finishing, self.progress.at < begun else {
                return next.close(promise: nil)
            }
            self.takeOver(next)
        }
    }

    private func takeOver(_ next: any Channel) {
        retire()
        leaveConnection()
        report(.reconnecting)
        observe(
            .interrupted(
                PublishFailure(.lost, "The network to \(url) was away; the stream goes on in a new connection."),
                retryAfter: 0))
        adopt(next)
    }

    func networkReturned() {
        policy.networkReturned()
        reach.networkReturned()
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

    func closeWhenSent() {
        guard let channel else { return }
        let isLast = phase == .finishing
        RTMPConnection.closeWhenSent(channel, isSecure: url.isSecure).whenComplete { _ in
            if isLast { self.end(.finished) }
        }
    }

    func end(_ state: RTMPStatus.State) {
        guard phase != .ended else { return }
        phase = .ended
        reach.stop()
        dropChannel()
        if let retired { RTMPConnection.reset(retired) }
        retired = nil
        watch.stop()
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
        if isEnding { return end(.finished) }
        // What TLS says of the server is more than that it closed.
        if let failure, failure.isFinal || session == nil { return failed(failure) }
        perform(session?.disconnected() ?? [])
    }
}
