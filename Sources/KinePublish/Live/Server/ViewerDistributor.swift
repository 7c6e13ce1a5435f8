// Sends a live stream to the viewers of one event loop, all of them in one pass: a change of the stream wakes each event loop once,
// however many viewers it has, and what arrives before the pass goes out with it.
import NIOCore
import Synchronization

/// The viewers of one event loop.
final class ViewerDistributor: @unchecked Sendable {
    // Sendable: all but `isWoken` is touched in the event loop only.
    private let eventLoop: any EventLoop
    private let isWoken = Atomic(false)
    private var viewers: [ViewerConnection] = []
    /// Lent to one viewer at a time, so that none needs memory for what is sent at once.
    private var buffers: [ByteBuffer] = []

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// How long a pass waits for more samples, so that audio and video often go out in one write. Few viewers are not kept waiting, and
    /// for many it is about as long as writing to all of them takes. A shorter wait would save less than its timer costs.
    static func wait(viewers: Int) -> TimeAmount? {
        let wait = min(TimeAmount.microseconds(25) * (viewers - 60), .milliseconds(12))
        return wait < .milliseconds(1) ? nil : wait
    }

    /// There is something new for all viewers. Any thread may call it.
    func wake() {
        guard !isWoken.exchange(true, ordering: .acquiringAndReleasing) else { return }
        eventLoop.execute {
            guard let wait = Self.wait(viewers: self.viewers.count) else { return self.deliver() }
            self.eventLoop.scheduleTask(in: wait) { self.deliver() }
        }
    }

    func add(_ viewer: ViewerConnection) {
        eventLoop.preconditionInEventLoop()
        viewers.append(viewer)
    }

    func remove(_ viewer: ViewerConnection) {
        eventLoop.preconditionInEventLoop()
        guard let index = viewers.firstIndex(where: { $0 === viewer }) else { return }
        viewers.swapAt(index, viewers.count - 1)
        viewers.removeLast()
    }

    /// Calls `body` with an empty array that keeps its capacity.
    func withBuffers(_ body: (inout [ByteBuffer]) -> Void) {
        var lent: [ByteBuffer] = []
        swap(&lent, &buffers)
        body(&lent)
        lent.removeAll(keepingCapacity: true)
        swap(&lent, &buffers)
    }

    private func deliver() {
        isWoken.store(false, ordering: .releasing)
        // From the end: `remove` puts the last viewer, who has been served, in the place of one who leaves.
        for index in viewers.indices.reversed() where index < viewers.count { viewers[index].deliver() }
    }
}
