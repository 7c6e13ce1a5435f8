// Sends a live stream to all viewers of one event loop in one pass: a change of the stream wakes each event loop once,
// however many viewers it has, and all data that arrives before the pass is sent with it.
import NIOCore
import Synchronization

/// The viewers of one event loop.
final class ViewerDistributor: @unchecked Sendable {
    // Sendable: all but `isWoken` is used on the event loop only.
    let eventLoop: any EventLoop
    private let isWoken = Atomic(false)
    private var viewers: [ViewerConnection] = []
    /// The newest steps of the current pass. Nearly all viewers are at the same place, so a pass locks the stream about once.
    private var steps: [LiveStream.Step] = []
    private static let keptSteps = 4
    private var isInPass = false

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// The time that a pass waits for more samples, so that audio and video often go out in one write. None with few
    /// viewers: it would take longer than all writes. A wait below a millisecond saves less than its timer costs.
    static func wait(viewers: Int) -> TimeAmount? {
        let wait = min(TimeAmount.microseconds(40) * (viewers - 60), .milliseconds(12))
        return wait < .milliseconds(1) ? nil : wait
    }

    /// Call this when the stream has changed, from any thread.
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

    /// The step that a viewer gets now.
    /// - Parameter joined: whether to join the buffers once a second viewer gets the step.
    func step(from viewer: LiveStream.Viewer, in stream: LiveStream, joined: Bool) -> LiveStream.Step {
        let known = steps.lastIndex { $0.from == viewer }
        // Joining copies: event loops that share the stream's buffers would contend for their reference counts.
        if joined, let known, !steps[known].isJoined { steps[known].join() }
        let step = known.map { steps[$0] } ?? stream.step(from: viewer)
        if known == nil, isInPass {
            if steps.count == Self.keptSteps { steps.removeFirst() }
            steps.append(step)
        }
        stream.count(step)
        return step
    }

    private func deliver() {
        isWoken.store(false, ordering: .releasing)
        isInPass = true
        defer {
            isInPass = false
            steps.removeAll(keepingCapacity: true)
        }
        // From the end: when a viewer leaves, `remove` moves the last one, which has already been served, into the gap.
        for index in viewers.indices.reversed() where index < viewers.count { viewers[index].deliver() }
    }
}
