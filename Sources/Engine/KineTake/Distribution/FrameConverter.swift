// The thread that makes uncompressed frames at a lower rate, a smaller size or in another pixel format than the encoder's. It
// looks at the newest frame only, when one of its feeds is due, so capture is never held up.
import KineImaging
import KineMedia
import KinePlatform
import KineRings
import SystemPackage

final class FrameConverter: Sendable {
    private struct Frame: Sendable {
        var frame: FrameRing.Frame
        var time: MediaTime
        var duration: MediaTime
        var sequence: UInt64
    }

    /// A frame for the feeds that are due.
    private struct Work {
        let frame: Frame
        let changed: DamageRegion
        /// The work's number: a conversion that missed one lacks its changes.
        let number: UInt64
        let feeds: [(feed: SampleFeed, sink: FrameSink, isDue: Bool)]
    }

    /// The thread's next step.
    private enum Step {
        case deliver(Work)
        case sleep(until: Int64)
        case end
    }

    private struct State {
        var newest: Frame?
        var sequence: UInt64 = 0
        var workCount: UInt64 = 0
        /// The changes since the thread last looked at the newest frame.
        var changed: DamageRegion
        var isFinished = false

        /// Nil: wait for an event or for `deadline`. At the end, feeds that are not due get the last frame too.
        mutating func nextStep(
            _ sinks: [(feed: SampleFeed, sink: FrameSink)], at now: Int64, sleepingUntil deadline: Int64?
        ) -> Step? {
            guard let frame = newest else { return isFinished ? .end : nil }
            let instant = isFinished ? .max : now
            let due = sinks.map { $0.sink.nextInstant(for: frame.sequence).map { instant >= $0 } ?? false }
            guard due.contains(true) else {
                if isFinished { return .end }
                let next = sinks.compactMap { $0.sink.nextInstant(for: frame.sequence) }.min()
                return next == deadline ? nil : next.map { .sleep(until: $0) }
            }
            for (entry, isDue) in zip(sinks, due) where isDue { entry.sink.serve(frame.sequence, at: now) }
            defer { changed.removeAll() }
            workCount += 1
            return .deliver(
                Work(
                    frame: frame, changed: changed, number: workCount,
                    feeds: zip(sinks, due).map { ($0.feed, $0.sink, $1) }))
        }
    }

    private let state: Monitor<State>
    private let thread: DedicatedThread
    private let feeds: FeedRegistry
    private let canvas: FrameCanvas

    init(feeds: FeedRegistry, canvas: FrameCanvas) throws(Errno) {
        let state = Monitor(State(changed: DamageRegion(size: canvas.codedSize)))
        self.state = state
        self.feeds = feeds
        self.canvas = canvas
        thread = try DedicatedThread(starting: "frames") {
            while let work = Self.nextWork(state, feeds, canvas) {
                Self.deliver(work)
                canvas.release(work.frame.frame)
            }
        }
    }

    /// Call it before the feed of `sink` begins. The newest frame may be old, so the feed begins with the next one,
    /// which the caller requests.
    func prepare(_ sink: FrameSink) { sink.serve(state.withLock { $0.sequence }, at: nil) }

    /// Offers a new frame; the caller keeps its slot reference. Called on the capture thread.
    func offer(_ frame: FrameRing.Frame, at time: MediaTime, duration: MediaTime) {
        let isAwaited = feeds.feeds.contains { $0.frames?.isConverted == true }
        let previous = state.withLock { state -> FrameRing.Frame? in
            state.changed.formUnion(frame.changed)
            let previous = state.newest.take()?.frame
            guard isAwaited else { return previous }
            canvas.references.retain(frame.slot)
            state.sequence += 1
            state.newest = Frame(frame: frame, time: time, duration: duration, sequence: state.sequence)
            return previous
        }
        if let previous { canvas.release(previous) }
        if isAwaited { state.signal { _ in } }
    }

    /// Ends the thread. Feeds that are not due yet get the last frame all the same.
    func finish() {
        state.signal { $0.isFinished = true }
        thread.join()
        if let frame = state.withLock({ $0.newest.take()?.frame }) { canvas.release(frame) }
    }

    // MARK: The thread

    /// Waits until a feed is due, and adds a reference to its frame; nil at the end.
    private static func nextWork(_ state: Monitor<State>, _ feeds: FeedRegistry, _ canvas: FrameCanvas) -> Work? {
        var deadline: Int64?
        while true {
            let step = state.wait(until: deadline) { state -> Step? in
                let sinks = feeds.feeds.compactMap { feed in
                    feed.frames.flatMap { $0.isConverted ? (feed: feed, sink: $0) : nil }
                }
                let step = state.nextStep(sinks, at: MonotonicClock.now(), sleepingUntil: deadline)
                if case .deliver(let work) = step { canvas.references.retain(work.frame.frame.slot) }
                return step
            }
            switch step {
            case .deliver(let work): return work
            case .sleep(let next): deadline = next
            case .end: return nil
            case nil: deadline = nil
            }
        }
    }

    private static func deliver(_ work: Work) {
        let frame = work.frame
        for entry in work.feeds {
            switch entry.sink.origin {
            case .conversion(let frames): frames.note(work.changed, of: work.number)
            default: entry.sink.note(work.changed)
            }
        }
        for entry in work.feeds where entry.isDue {
            var slot = frame.frame.slot
            if case .conversion(let frames) = entry.sink.origin {
                guard let converted = frames.convert(frame.frame, sequence: frame.sequence) else { continue }
                slot = converted.slot
                if let changed = converted.changed {
                    for other in work.feeds where other.sink.store === frames.store { other.sink.note(changed) }
                }
            }
            entry.feed.offer(
                slot: slot, at: frame.time, duration: entry.sink.interval ?? frame.duration,
                changed: DamageRegion(size: entry.sink.store.memory.layout.size))
        }
    }
}

/// The converted frames for all feeds with the same requirements: their memory, and the newest of them. Other threads use only their
/// memory.
final class ConvertedFrames: @unchecked Sendable {
    // Sendable: only the converter's thread uses what is not a constant.

    let store: FrameStore
    let requirements: FrameRequirements
    private let scaler: FrameScaler
    private var newest: (sequence: UInt64, slot: Int)?
    private var lastNoted: UInt64?

    /// `readers`: the most at a time.
    init(_ requirements: FrameRequirements, readers: Int) throws(SharedMemory.Error) {
        // The newest frame, the one being drawn, and the readers' frames.
        let slotCount = 2 + FrameSink.slotsEach * readers
        self.requirements = requirements
        let layout = requirements.layout
        let memory = try FrameMemory(
            layout: FrameSlotLayout(layout, visibleSize: requirements.geometry.size, slotCount: slotCount))
        // Frames of the encoder's own size have its additional column and row too.
        let geometry =
            requirements.geometry.isIdentity ? PictureGeometry(source: layout.size) : requirements.geometry
        scaler = FrameScaler(
            geometry, layout: layout, slotCount: slotCount,
            memory: FrameRing.Memory(base: memory.slot(0), owner: memory))
        store = FrameStore(memory, references: scaler.references, readers: readers)
    }

    /// Notes the changes of the encoder's frames between the works `number` − 1 and `number`. A conversion without
    /// feeds misses works, and then everything may have changed.
    func note(_ damage: DamageRegion, of number: UInt64) {
        guard number != lastNoted else { return }
        scaler.note(lastNoted == number - 1 ? damage : .full(size: damage.size))
        lastNoted = number
    }

    /// Returns the slot of the converted frame and its changes, which are nil if it was converted before. Returns nil
    /// while readers hold every slot.
    func convert(_ frame: FrameRing.Frame, sequence: UInt64) -> (slot: Int, changed: DamageRegion?)? {
        if let newest {
            if newest.sequence == sequence { return (newest.slot, nil) }
            store.references.release(newest.slot)
            self.newest = nil
        }
        guard let converted = scaler.convert(frame.planes) else { return nil }
        newest = (sequence, converted.slot)
        return (converted.slot, converted.changed)
    }
}
