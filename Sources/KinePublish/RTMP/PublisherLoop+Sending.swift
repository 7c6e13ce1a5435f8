// A publisher's way from the queue to the socket.
import KineRTMP
import NIOCore

extension PublisherLoop {
    private static let keyframeInterval: Int64 = 500_000_000

    func drain() {
        let wasTooLong = queue.isTooLong
        send(everything: false)
        if wasTooLong, !queue.isTooLong, queue.isWaitingForKeyframe { askForKeyframe() }
        guard phase == .finishing, queue.isEmpty, let events = session?.finish() else { return }
        perform(events)
    }

    /// Hands samples to the socket as long as it takes them.
    func send(everything: Bool) {
        guard phase == .live || phase == .finishing, let channel else { return }
        while everything || channel.isWritable, let item = queue.popFirst() {
            let timestamp = UInt32(truncatingIfNeeded: item.time)
            if !hasBegun {
                hasBegun = true
                write(session?.beginStream(format) ?? [])
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

    func write(_ bytes: [UInt8]) {
        guard let channel, !bytes.isEmpty else { return }
        channel.write(channel.allocator.buffer(bytes: bytes), promise: nil)
    }

    func askForKeyframe() {
        let now = now
        guard keyframeAsked == .min || now - keyframeAsked >= Self.keyframeInterval else { return }
        keyframeAsked = now
        wantsKeyframe()
    }

    /// Begins anew with nothing waiting, and counts what is left out.
    func clearQueue() {
        queue.removeAll()
        status.droppedPictures += queue.droppedPictures
        queue = SendQueue()
    }
}
