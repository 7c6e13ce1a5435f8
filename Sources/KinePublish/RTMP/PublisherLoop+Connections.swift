// A publisher's connections: what the dialer brings, and what is heard over them.
import KineRTMP
import NIOCore
import NIOSSL

extension PublisherLoop {
    func dial(_ target: ReconnectStateMachine.Destination) {
        do {
            if target.url.isSecure, tls == nil {
                tls = try RTMPConnection.context(settings)
            }
        } catch {
            return dialFailed(RTMPConnection.unreadableAuthority(settings.certificateAuthority))
        }
        dialer.dial(target) { self.dialFailed($0) }
    }

    private func dialFailed(_ failure: PublishFailure) {
        perform(machine.dialFailed(failure, now: now, chance: chance))
    }

    /// The server has taken a connection: of an attempt, or of a probe.
    func connected(_ channel: any Channel) {
        incoming = channel
        let oldRecovers = machine.sending.flatMap { clients[$0]?.recoversSoon } ?? false
        perform(machine.connected(now: now, oldRecovers: oldRecovers))
    }

    func networkReturned() {
        machine.networkReturned()
        dialer.networkReturned()
    }

    func hold(_ id: ReconnectStateMachine.ConnectionID) {
        guard let channel = incoming.take() else { return }
        clients[id] = RTMPClient(channel) { [weak self] in self?.heard($0, from: id) }
    }

    func open(
        _ id: ReconnectStateMachine.ConnectionID, _ url: RTMPURL, _ authentication: PublisherAuthentication?,
        wasLive: Bool
    ) {
        beginMeasuring(id)
        clients[id]?.open(
            url, authentication ?? PublisherAuthentication(url, challenge: .random(in: 0 ... .max)), wasLive: wasLive,
            tls: tls)
    }

    private func heard(_ event: RTMPClient.Event, from id: ReconnectStateMachine.ConnectionID) {
        switch event {
        case .live: perform(machine.accepted(id))
        case .authenticate(let next): perform(machine.authenticate(id, next, now: now))
        case .askedToMove(let url):
            let scope = clients[id]?.channel.remoteAddress?.scope ?? .global
            perform(machine.asked(id, toMoveTo: url, scope: scope, now: now))
        case .writable: drain()
        case .failed(let failure): failed(id, failure)
        case .finished: failed(id, PublishFailure(.lost, "The connection has ended; it is tried again."))
        }
    }

    func failed(_ id: ReconnectStateMachine.ConnectionID, _ failure: PublishFailure) {
        noteAddress(of: id)
        perform(
            machine.failed(
                id, failure, atStreamName: clients[id]?.endedAtStreamName ?? false, now: now, chance: chance))
    }

    /// Where the connection was is left out when the next is dialed, and there are others.
    func noteAddress(of id: ReconnectStateMachine.ConnectionID) {
        dialer.lastFailedAddress = clients[id]?.channel.remoteAddress
    }

    func becameLive(_ id: ReconnectStateMachine.ConnectionID, isAgain: Bool) {
        dialer.lastFailedAddress = nil
        if isAgain { status.reconnects += 1 }
        meter?.becameLive(now: now)
        controller.reset()
        status.server = clients[id]?.server
        report(.live)
        answerStart(nil)
        if queue.isWaitingForKeyframe, status.sentBytes > 0 { askForKeyframe() }
        // Not before what came with the server's yes has been answered.
        eventLoop.execute { self.drain() }
    }

    /// What waits goes to the old server, and then the goodbye.
    func leave(_ id: ReconnectStateMachine.ConnectionID) {
        guard let client = forget(id) else { return }
        send(everything: true, to: client)
        client.finish()
        client.abandon()
    }

    func forget(_ id: ReconnectStateMachine.ConnectionID) -> RTMPClient? {
        if meter?.connection == id { stopMeasuring() }
        return clients.removeValue(forKey: id)
    }
}
