// The engine's end of a stream of samples: encoded frames and audio go through a ring, uncompressed frames through a
// mailbox. It never waits for the receiver, an extension or a client, and checks all that it writes.
import CSharedAtomics
import KineMedia
import KinePlatform
import Synchronization
import SystemPackage

/// Sends samples to one receiver. Any thread may call any method; none waits for the receiver.
public final class StreamSender: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable {
        /// The memory could not be created.
        case memory(SharedMemory.Error)
        /// The receiver wrote an impossible value into its state page, described here. It gets no more samples.
        case misbehaved(String)
    }

    /// The counts since the beginning.
    public struct Counts: Sendable, Equatable {
        /// Frames that the receiver has taken: encoded ones once read, uncompressed ones once lent.
        public var frames = 0
        /// Access units, or pieces of uncompressed audio, that the receiver has read.
        public var audioSamples = 0
        /// Bytes of samples that the receiver has read from the ring.
        public var bytes = 0
        /// Frames dropped or replaced because the receiver was too slow, and those not taken at its end.
        public var framesSkipped = 0
        /// Seconds of audio dropped for the same reasons, all streams together.
        public var audioLost: Double = 0
        /// Unread bytes in the ring.
        public var queuedBytes = 0
        /// Bytes of samples written into the ring: the only copy. Uncompressed frames are never copied.
        public var bytesCopied = 0

        public init() {}

        /// The sum of two successive receivers' counts; the queue is the second's.
        public static func + (one: Counts, other: Counts) -> Counts {
            var sum = other
            sum.frames += one.frames
            sum.audioSamples += one.audioSamples
            sum.bytes += one.bytes
            sum.framesSkipped += one.framesSkipped
            sum.audioLost += one.audioLost
            sum.bytesCopied += one.bytesCopied
            return sum
        }
    }

    private struct State {
        var written: UInt64 = 0
        var read: UInt64 = 0
        var policy: RingDropPolicy
        var slots: FrameSlotTracker
        var ringTimer = StallTimer()
        var frameTimer = StallTimer()
        var bytesCopied = 0
        /// The samples that the receiver has read, the ones it never will, and the end of the last counted record.
        var taken = Counts()
        var unread = Counts()
        var counted: UInt64 = 0
        var isEnded = false
        var fault: Error?
    }

    /// Bytes of the ring, for `StreamDescription.sampleRingBytes`.
    public let sampleRingBytes: Int
    private let layout: SamplesLayout
    private let frames: FrameSlotLayout?
    private let samples: SharedMemory
    private let page: SharedMemory
    private let wake: WakePipe
    private let state: Mutex<State>

    /// Creates the memories. `video`: whether encoded frames are sent; `frames`: the layout of uncompressed frames in a
    /// `FrameMemory`, if any are sent; `sampleRingBytes`: the ring's size, rounded up to a power of two. For encoded
    /// frames it should hold several seconds, and at least four thirds of the largest keyframe.
    public init(video: Bool, frames: FrameSlotLayout?, sampleRingBytes: Int) throws(Error) {
        layout = SamplesLayout(frames: frames, ringBytes: video ? max(sampleRingBytes, 1 << 16) : sampleRingBytes)
        self.sampleRingBytes = layout.ringBytes
        self.frames = frames
        do throws(SharedMemory.Error) {
            samples = try SharedMemory(
                name: "kinecast-samples", byteCount: layout.byteCount, access: .writableHereOnly,
                mirroring: layout.ringOffset)
            page = try SharedMemory(name: "kinecast-state", byteCount: StatePage.byteCount, access: .writable)
            wake = try WakePipe()
        } catch {
            throw .memory(error)
        }
        state = Mutex(
            State(
                policy: RingDropPolicy(capacity: layout.ringBytes),
                slots: FrameSlotTracker(slotCount: frames?.slotCount ?? 0)))
    }

    /// The memory of the samples, the state page, and the pipe that wakes the receiver, in the order for
    /// `StreamReceiver`; then the memory of the frames, if there is one. Owned by this object.
    public var descriptors: [FileDescriptor] { [samples.descriptor, page.descriptor, wake.reader] }

    /// Sends an access unit: an encoded frame, or encoded audio. Copies its bytes into the ring, or drops it if the ring is full; see
    /// `consumeKeyframeRequest` and `counts`. Returns false if it is dropped.
    /// - Parameters:
    ///   - sample: an access unit of one of the stream's tracks, in order within the track.
    ///   - format: a new format, which is announced before this keyframe. Nil: the frames keep their format.
    @discardableResult
    public func send(_ sample: EncodedSample, after format: StreamDescription.EncodedVideo? = nil) -> Bool {
        let header = RecordHeader(
            type: sample.type, isKeyframe: sample.isKeyframe, presentationTime: sample.presentationTime,
            duration: sample.duration, payloadBytes: sample.data.count)
        let announced = format?.record ?? []
        return sample.data.withUnsafeBytes { send(header, $0, after: announced) }
    }

    /// Sends interleaved audio samples within ±1.
    public func sendAudio(
        type: SampleType, interleaved: UnsafeBufferPointer<Float>, at time: MediaTime, duration: MediaTime
    ) {
        let header = RecordHeader(
            type: type, isPCM: true, isKeyframe: true, presentationTime: time, duration: duration,
            payloadBytes: interleaved.count * 4)
        send(header, UnsafeRawBufferPointer(interleaved))
    }

    /// Offers the frame that was drawn into the free `slot`. It replaces a frame that has not been taken, whose damage
    /// is added to `damage`: the damage since the previously offered frame, in the layout's size. Returns the slots
    /// that can be drawn into again.
    public func offer(
        slot: Int, at time: MediaTime, duration: MediaTime, damage: DamageRegion, orientation: Orientation
    ) throws(Error) -> FrameSlots {
        guard let frames else { preconditionFailure("this stream has no uncompressed frames") }
        precondition(slot >= 0 && slot < frames.slotCount, "no such slot")
        precondition(damage.words.count == layout.damageWords, "damage of another frame size")
        let freed = try withState { state throws(FrameSlotTracker.ProtocolViolation) -> FrameSlots in
            precondition(!state.slots.isInUse(slot: slot), "the slot is not free")
            let released = kine_atomic_load_acquire(page.base + StatePage.released)
            let found = kine_atomic_exchange(page.base + StatePage.mailbox, 0)
            let withdrawn = try state.slots.withdraw(found: found, released: released)
            let entry = state.slots.publish(slot: slot)
            describe(entry, at: time, duration: duration, damage: damage, orientation: orientation, after: withdrawn)
            let written = kine_atomic_exchange(page.base + StatePage.mailbox, entry.word)
            guard written == 0 else { throw .unknownEntry(written) }
            updateFrameTimer(&state)
            return state.slots.removeFreed()
        }
        wake.signal()
        return freed
    }

    /// The slots that the receiver has released since the last call of `offer` or this method.
    public func reclaim() throws(Error) -> FrameSlots {
        try withState { state throws(FrameSlotTracker.ProtocolViolation) -> FrameSlots in
            try readSlots(&state)
            return state.slots.removeFreed()
        }
    }

    /// Whether the next frame should be a keyframe, because frames were dropped: true once, when there is room for it.
    /// Call this before each frame is encoded.
    public func consumeKeyframeRequest() -> Bool {
        state.withLock { state in
            noteRead(&state)
            return state.fault == nil && state.policy.wantsKeyframe(used: Int(state.written - state.read))
        }
    }

    /// The position after everything that has been sent.
    public var position: StreamPosition {
        state.withLock { StreamPosition(samples: $0.written, frames: $0.slots.lastSequence) }
    }

    public var counts: Counts {
        state.withLock { state in
            noteProgress(&state)
            var counts = state.taken
            counts.frames += state.slots.framesTaken
            counts.framesSkipped =
                state.policy.framesDropped + state.slots.framesReplaced + state.unread.framesSkipped
            counts.audioLost = state.policy.audioDropped.seconds + state.unread.audioLost
            counts.queuedBytes = state.isEnded ? 0 : Int(state.written - state.read)
            counts.bytesCopied = state.bytesCopied
            return counts
        }
    }

    /// Call when the receiver has ended. Waiting samples are lost, and counted as lost.
    public func receiverEnded() {
        state.withLock { state in
            guard !state.isEnded else { return }
            noteProgress(&state)
            state.isEnded = true
            if state.slots.waiting != nil { state.unread.framesSkipped += 1 }
            countRecords(upTo: state.written, &state) { state, header in
                if header.type == .video {
                    state.unread.framesSkipped += 1
                } else {
                    state.unread.audioLost += header.duration.seconds
                }
            }
        }
    }

    /// Reads the receiver's state; throws if it is impossible.
    public func check() throws(Error) {
        try withState { state throws(FrameSlotTracker.ProtocolViolation) in
            noteRead(&state)
            try readSlots(&state)
        }
    }

    /// The time since which the receiver has released nothing, although it holds a sample or one waits for it:
    /// CLOCK_MONOTONIC, nanoseconds; nil while nothing waits. Exact only if this object is called often.
    public func heldSince(now: Int64) -> Int64? {
        state.withLock { state in
            noteProgress(&state, now: now)
            guard let ring = state.ringTimer.since else { return state.frameTimer.since }
            return state.frameTimer.since.map { min(ring, $0) } ?? ring
        }
    }

    // The methods below are called with the lock held.

    private func withState<Result>(
        _ body: (inout State) throws(FrameSlotTracker.ProtocolViolation) -> Result
    ) throws(Error) -> Result {
        try state.withLock { state throws(Error) in
            if let fault = state.fault { throw fault }
            let result: Result
            do throws(FrameSlotTracker.ProtocolViolation) {
                result = try body(&state)
            } catch {
                let fault = Self.fault(error)
                state.fault = fault
                throw fault
            }
            if let fault = state.fault { throw fault }
            return result
        }
    }

    private static func fault(_ violation: FrameSlotTracker.ProtocolViolation) -> Error {
        switch violation {
        case .unknownEntry(let word): .misbehaved("the mailbox holds \(word), which was never put there")
        case .notHeld(let sequence): .misbehaved("it released frame \(sequence), which it does not hold")
        }
    }

    /// - Parameter format: the payload of a record before this one, which is dropped with it; empty: none.
    @discardableResult
    private func send(_ header: RecordHeader, _ payload: UnsafeRawBufferPointer, after format: [UInt8] = []) -> Bool {
        let sent = state.withLock { state -> Bool in
            noteRead(&state)
            guard state.fault == nil, !state.isEnded else { return false }
            let used = Int(state.written - state.read)
            let formatBytes = format.isEmpty ? 0 : RecordHeader.recordBytes(payload: format.count)
            let bytes = formatBytes + header.recordBytes
            let decision =
                header.type == .video
                ? state.policy.frame(bytes: bytes, isKeyframe: header.isKeyframe, used: used)
                : state.policy.audio(header.type, bytes: bytes, duration: header.duration, used: used)
            guard case .write(let missing) = decision else { return false }
            var header = header
            header.missing = UInt16(clamping: missing)
            if formatBytes > 0 {
                let announcement = RecordHeader(
                    type: nil, isFormat: true, presentationTime: header.presentationTime, duration: .zero,
                    payloadBytes: format.count)
                format.withUnsafeBytes { write(announcement, $0, at: state.written) }
            }
            write(header, payload, at: state.written + UInt64(formatBytes))
            state.written += UInt64(bytes)
            state.bytesCopied += payload.count
            kine_atomic_store_release(samples.base + SamplesLayout.writePosition, state.written)
            if state.ringTimer.since == nil {
                state.ringTimer.update(isWaiting: true, progress: state.read, now: MonotonicClock.now())
            }
            return true
        }
        if sent { wake.signal() }
        return sent
    }

    /// Writes a record behind what the receiver may read.
    private func write(_ header: RecordHeader, _ payload: UnsafeRawBufferPointer, at position: UInt64) {
        let place = samples.base + layout.ringOffset + Int(position & UInt64(layout.ringBytes - 1))
        header.write(to: place, position: position)
        // The mirror after the ring makes a record across its end contiguous.
        if let bytes = payload.baseAddress {
            (place + RecordHeader.byteCount).copyMemory(from: bytes, byteCount: payload.count)
        }
    }

    /// Reads the receiver's position in the ring and its frames.
    private func noteProgress(_ state: inout State, now: Int64? = nil) {
        noteRead(&state, now: now)
        guard state.fault == nil else { return }
        do throws(FrameSlotTracker.ProtocolViolation) { try readSlots(&state, now: now) } catch {
            state.fault = Self.fault(error)
        }
    }

    /// Counts the records that the receiver has read. They stay in the ring until the next one is sent.
    private func countRead(_ state: inout State) {
        countRecords(upTo: state.read, &state) { state, header in
            if header.type == .video { state.taken.frames += 1 } else { state.taken.audioSamples += 1 }
            state.taken.bytes += header.payloadBytes
        }
    }

    private func countRecords(upTo end: UInt64, _ state: inout State, _ count: (inout State, RecordHeader) -> Void) {
        while state.counted < end {
            let place = samples.base + layout.ringOffset + Int(state.counted & UInt64(layout.ringBytes - 1))
            guard let header = RecordHeader(reading: place, position: state.counted),
                state.counted + UInt64(header.recordBytes) <= end
            else { return }
            if !header.isFormat { count(&state, header) }
            state.counted += UInt64(header.recordBytes)
        }
    }

    /// Reads the receiver's position in the ring.
    private func noteRead(_ state: inout State, now: Int64? = nil) {
        guard state.fault == nil else { return }
        let read = kine_atomic_load_acquire(page.base + StatePage.readPosition)
        guard read >= state.read, read <= state.written, read % 8 == 0 else {
            state.fault = .misbehaved("it read up to \(read), and the ring holds \(state.read) to \(state.written)")
            return
        }
        state.read = read
        countRead(&state)
        if state.ringTimer.since != nil {
            let now = now ?? MonotonicClock.now()
            state.ringTimer.update(isWaiting: read < state.written, progress: read, now: now)
        }
    }

    /// Reads the mailbox and the newest released frame.
    private func readSlots(_ state: inout State, now: Int64? = nil) throws(FrameSlotTracker.ProtocolViolation) {
        guard frames != nil else { return }
        // In this order, because a frame is taken before it is released.
        let released = kine_atomic_load_acquire(page.base + StatePage.released)
        let mailbox = kine_atomic_load_acquire(page.base + StatePage.mailbox)
        try state.slots.update(released: released, mailbox: mailbox)
        updateFrameTimer(&state, now: now)
    }

    private func updateFrameTimer(_ state: inout State, now: Int64? = nil) {
        state.frameTimer.update(
            isWaiting: !state.slots.isEmpty, progress: state.slots.progress, now: now ?? MonotonicClock.now())
    }

    /// Writes the table entry of a frame. No reader uses it yet: the slot is free.
    private func describe(
        _ frame: MailboxEntry, at time: MediaTime, duration: MediaTime, damage: DamageRegion, orientation: Orientation,
        after withdrawn: MailboxEntry?
    ) {
        typealias Entry = SamplesLayout.Entry
        let entry = samples.base + layout.entry(ofSlot: frame.slot)
        kine_atomic_store_relaxed(entry + Entry.sequence, frame.sequence)
        // Release order: a reader that sees this time also sees that the mailbox has changed.
        kine_atomic_store_release(entry + Entry.presentationTime, UInt64(bitPattern: time.nanoseconds))
        entry.storeBytes(of: duration.nanoseconds, toByteOffset: Entry.duration, as: Int64.self)
        entry.storeBytes(of: Int64(orientation.rawValue), toByteOffset: Entry.orientation, as: Int64.self)
        let words = (entry + Entry.damage).assumingMemoryBound(to: UInt64.self)
        damage.words.withUnsafeBufferPointer { words.update(from: $0.baseAddress!, count: $0.count) }
        guard let withdrawn else { return }
        let missed = (samples.base + layout.entry(ofSlot: withdrawn.slot) + Entry.damage)
            .assumingMemoryBound(to: UInt64.self)
        for index in 0..<layout.damageWords { words[index] |= missed[index] }
    }
}
