// A publisher's connections: from the dialer's socket to a live stream and its end.
import KineRTMP
import NIOCore
import NIOSSL

extension PublisherLoop {
    func dial(_ target: RTMPReconnectStateMachine.Destination) {
        do {
            if target.url.isSecure, tls == nil { tls = try RTMPSocket.tlsContext(settings) }
        } catch {
            return dialFailed(error)
        }
        dialer.dial(target) { self.dialFailed($0) }
    }

    private func dialFailed(_ failure: PublishFailure) {
        perform(machine.dialFailed(failure, now: now, jitter: jitter))
    }

    /// The dialer has connected: in an attempt, or with a probe.
    func connected(_ channel: any Channel) {
        incoming = channel
        let oldRecovers = machine.sending.flatMap { clients[$0]?.recoversSoon } ?? false
        perform(machine.connected(now: now, oldRecovers: oldRecovers))
    }

    func networkReturned() {
        machine.networkReturned()
        dialer.networkReturned()
    }

    func open(_ id: ConnectionID, _ url: RTMPURL, _ authentication: PublisherAuthentication?, wasLive: Bool) {
        guard let channel = held.removeValue(forKey: id) else { return }
        let client = RTMPClient(channel, url, authentication, wasLive: wasLive) { [weak self] in
            self?.handle($0, of: id)
        }
        clients[id] = client
        beginMeasuring(id)
        client.open(tls: tls)
    }

    private func handle(_ event: RTMPClient.Event, of id: ConnectionID) {
        switch event {
        case .accepted: perform(machine.accepted(id))
        case .live: perform(machine.kept(id))
        case .authenticate(let next): perform(machine.authenticate(id, next, now: now))
        case .redirected(let url): perform(machine.redirected(id, to: url, scope: scope(of: id), now: now))
        case .moved(let url): perform(machine.moved(id, to: url, scope: scope(of: id), now: now, jitter: jitter))
        case .writable: drain()
        case .failed(let failure): failed(id, failure)
        case .finished: failed(id, PublishFailure(.neverAccepted, machine.destination.url))
        }
    }

    private func scope(of id: ConnectionID) -> AddressScope { clients[id]?.channel.remoteAddress?.scope ?? .global }

    func failed(_ id: ConnectionID, _ failure: PublishFailure) {
        noteFailedAddress(of: id)
        perform(
            machine.failed(
                id, failure, isSilentRefusal: clients[id]?.endedAtStreamName ?? false, now: now, jitter: jitter))
    }

    func noteFailedAddress(of id: ConnectionID) { dialer.lastFailedAddress = clients[id]?.channel.remoteAddress }

    func accepted(_ id: ConnectionID) {
        controller.reset()
        audioPresence.connected()
        status.server = clients[id]?.server
        report(status.state)
        answerStart(nil)
        if queue.awaitsKeyframe, status.sentBytes > 0 { requestKeyframe() }
        // Only after all messages that came with the server's acceptance have been answered.
        eventLoop.execute { self.drain() }
    }

    func becameLive(_ id: ConnectionID, isAgain: Bool) {
        dialer.lastFailedAddress = nil
        if isAgain { status.reconnects += 1 }
        meter?.becameLive(now: now)
        report(.live)
    }

    /// Sends the waiting samples and the goodbye to the old server.
    func leave(_ id: ConnectionID) {
        guard let client = forget(id) else { return }
        sendQueue(to: client, isLast: true)
        client.finish()
        client.abandon()
    }

    func forget(_ id: ConnectionID) -> RTMPClient? {
        if meter?.connection == id { stopMeasuring() }
        return clients.removeValue(forKey: id)
    }
}
