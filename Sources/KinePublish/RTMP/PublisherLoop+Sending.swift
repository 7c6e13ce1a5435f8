// A publisher's way from the queue to the socket.
import KineRTMP
import NIOCore

extension PublisherLoop {
    private static let keyframeInterval: Int64 = 500_000_000

    /// Sends samples for as long as the connection accepts them. When the stream ends, the goodbye follows the last.
    func drain() {
        guard let id = machine.sending, let client = clients[id] else { return }
        let wasTooLong = queue.isTooLong
        sendQueue(to: client, ignoringBackpressure: false)
        if wasTooLong, !queue.isTooLong, queue.awaitsKeyframe { requestKeyframe() }
        if case .finishing = machine.state, queue.isEmpty { client.finish() }
    }

    func sendQueue(to client: RTMPClient, ignoringBackpressure: Bool) {
        while ignoringBackpressure || client.channel.isWritable, let item = queue.popFirst() {
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

    /// Begins a new queue, and counts the frames dropped with the old one.
    func emptyQueue() {
        status.droppedFrames += queue.droppedFrames + queue.frameCount
        queue = SendQueue()
    }
}
