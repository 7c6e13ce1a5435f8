// A publisher's way from the queue to the socket.
import KineRTMP
import NIOCore

extension PublisherLoop {
    private static let keyframeInterval: Int64 = 500_000_000

    /// Hands samples to the connection as long as it takes them, and after the last the goodbye.
    func drain() {
        guard let id = machine.sending, let client = clients[id] else { return }
        let wasTooLong = queue.isTooLong
        send(everything: false, to: client)
        if wasTooLong, !queue.isTooLong, queue.isWaitingForKeyframe { askForKeyframe() }
        if case .finishing = machine.state, queue.isEmpty { client.finish() }
    }

    func send(everything: Bool, to client: RTMPClient) {
        while everything || client.channel.isWritable, let item = queue.popFirst() {
            if !client.hasBegun { client.begin(format, at: item.time) }
            status.sentBytes += Int64(client.send(item))
        }
        client.channel.flush()
    }

    func askForKeyframe() {
        let now = now
        if let keyframeAsked, now - keyframeAsked < Self.keyframeInterval { return }
        keyframeAsked = now
        wantsKeyframe()
    }

    /// Begins anew with nothing waiting, and counts what is left out.
    func emptyQueue() {
        queue.removeAll()
        status.droppedPictures += queue.droppedPictures
        queue = SendQueue()
    }
}
