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

    /// One feed of the converter.
    private struct Member: Sendable {
        let feed: SampleFeed
        let sink: FrameSink
        var pacer: FramePacer?
        /// The last frame that it was served.
        var sequence: UInt64

        func isDue(_ frame: Frame, at now: Int64) -> Bool {
            sequence < frame.sequence && now >= pacer?.earliest ?? .min
        }
    }

    private struct Work {
        let frame: Frame
        let changed: DamageRegion
        let members: [Member]
        let outputs: [Output]
        let due: [Bool]
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
        /// The changes since the thread last looked at the newest frame.
        var changed: DamageRegion
        var members: [Member] = []
        var outputs: [Output] = []
        var isFinished = false

        /// Nil: wait for an event or for `deadline`. At the end, members that are not due get the last frame too.
        mutating func nextStep(at now: Int64, sleepingUntil deadline: Int64?) -> Step? {
            guard let frame = newest else { return isFinished ? .end : nil }
            let due = members.map { $0.isDue(frame, at: isFinished ? .max : now) }
            guard due.contains(true) else {
                if isFinished { return .end }
                let next = members.filter { $0.sequence < frame.sequence }.compactMap { $0.pacer?.earliest }.min()
                return next == deadline ? nil : next.map { .sleep(until: $0) }
            }
            for index in members.indices where due[index] {
                members[index].sequence = frame.sequence
                members[index].pacer?.recordFrame(at: now)
            }
            defer { changed.removeAll() }
            return .deliver(Work(frame: frame, changed: changed, members: members, outputs: outputs, due: due))
        }
    }

    private let state: Monitor<State>
    private let thread: DedicatedThread
    private let canvas: CaptureThread.CanvasDescription

    init(canvas: CaptureThread.CanvasDescription) throws(Errno) {
        let state = Monitor(State(changed: DamageRegion(size: canvas.codedSize)))
        self.state = state
        self.canvas = canvas
        thread = try DedicatedThread(starting: "frames") {
            while let work = Self.nextWork(state, canvas) {
                Self.deliver(work)
                canvas.release(work.frame.frame)
            }
        }
    }

    /// Converts for feeds that come later, whose sinks name `output`.
    func prepare(_ output: Output) {
        state.withLock { state in
            // Those whose feeds have gone are held by nobody else.
            for index in state.outputs.indices.reversed() where isKnownUniquelyReferenced(&state.outputs[index]) {
                state.outputs.remove(at: index)
            }
            state.outputs.append(output)
        }
    }

    /// From now on `feed` is served, at the rate and with the conversion that its sink names.
    func add(_ feed: SampleFeed, _ sink: FrameSink) {
        state.withLock {
            // The newest frame may be old, so the feed waits for the next one, which its caller asks for.
            $0.members.append(
                Member(
                    feed: feed, sink: sink, pacer: sink.framesPerSecond.map { FramePacer(framesPerSecond: $0) },
                    sequence: $0.sequence))
        }
    }

    func remove(_ feed: SampleFeed) { state.withLock { $0.members.removeAll { $0.feed === feed } } }

    /// A new frame, which the caller has lent for the call. On the capture thread.
    func offer(_ frame: FrameRing.Frame, at time: MediaTime, duration: MediaTime) {
        let (previous, isAwaited) = state.withLock { state -> (FrameRing.Frame?, Bool) in
            state.changed.formUnion(frame.changed)
            let previous = state.newest.take()?.frame
            guard !state.members.isEmpty else { return (previous, false) }
            canvas.loans.retain(frame.slot)
            state.sequence += 1
            state.newest = Frame(frame: frame, time: time, duration: duration, sequence: state.sequence)
            return (previous, true)
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

    /// Waits until a feed is due, and lends its frame; nil at the end.
    private static func nextWork(_ state: Monitor<State>, _ canvas: CaptureThread.CanvasDescription) -> Work? {
        var deadline: Int64?
        while true {
            let step = state.wait(until: deadline) { state -> Step? in
                let step = state.nextStep(at: MonotonicClock.now(), sleepingUntil: deadline)
                if case .deliver(let work) = step { canvas.loans.retain(work.frame.frame.slot) }
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
        for output in work.outputs { output.note(work.changed) }
        for member in work.members where member.sink.conversion == nil { member.sink.note(work.changed) }
        for (member, isDue) in zip(work.members, work.due) where isDue {
            var slot = frame.frame.slot
            if let output = member.sink.conversion {
                guard let converted = output.convert(frame.frame, sequence: frame.sequence) else { continue }
                slot = converted.slot
                if let changed = converted.changed {
                    for other in work.members where other.sink.conversion === output { other.sink.note(changed) }
                }
            }
            member.feed.offer(
                slot: slot, at: frame.time,
                duration: member.pacer.map { MediaTime(nanoseconds: $0.interval) } ?? frame.duration,
                changed: DamageRegion(size: member.sink.memory.layout.size))
        }
    }
}

// The frames of one size and format that the converter makes: their memory, and the newest of them.
extension FrameConverter {
    /// The converted frames for all feeds with the same requirements. Other threads use only their memory.
    final class Output: @unchecked Sendable {
        // Sendable: all but the constants is used by the converter's thread alone.

        let memory: FrameMemory
        let loans: SlotLoans
        let requirements: FrameRequirements
        private let converter: FrameScaler
        private var newest: (sequence: UInt64, slot: Int)?

        /// `readers`: the most at a time.
        init(_ requirements: FrameRequirements, readers: Int) throws(SharedMemory.Error) {
            // The newest, the one being drawn, and what the readers have.
            let slotCount = 2 + FrameSink.slotsEach * readers
            self.requirements = requirements
            let layout = requirements.layout
            memory = try FrameMemory(
                layout: FrameSlotLayout(layout, visibleSize: requirements.geometry.size, slotCount: slotCount))
            // Frames of the encoder's own size have its additional column and row too.
            let geometry =
                requirements.geometry.isIdentity ? PictureGeometry(source: layout.size) : requirements.geometry
            converter = FrameScaler(
                geometry, layout: layout, slotCount: slotCount,
                memory: FrameRing.Memory(base: memory.slot(0), owner: memory))
            loans = converter.loans
        }

        /// Notes the changes in the encoder's frames since the last call.
        func note(_ damage: DamageRegion) { converter.note(damage) }

        /// The slot of the converted frame, and the changes since the one before it; they are nil if it was converted already.
        /// Nil while the readers have every slot.
        func convert(_ frame: FrameRing.Frame, sequence: UInt64) -> (slot: Int, changed: DamageRegion?)? {
            if let newest {
                if newest.sequence == sequence { return (newest.slot, nil) }
                loans.release(newest.slot)
                self.newest = nil
            }
            guard let converted = converter.convert(frame.planes) else { return nil }
            newest = (sequence, converted.slot)
            return (converted.slot, converted.changed)
        }
    }
}
