// The engine's end of the samples of one extension: encoded pictures and sound through a ring, uncompressed pictures through
// a mailbox. The extension is never waited for, and nothing that it writes is believed.
import CSharedAtomics
import KineMedia
import KinePlatform
import Synchronization
import SystemPackage

/// Sends samples to one extension. Any thread may call any method; none waits for the extension.
public final class StreamSender: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// The memory could not be made.
        case memory(SharedMemory.Error)
        /// The extension wrote what it cannot mean into its state page; what it wrote. It is to be ended. Nothing is sent
        /// to it any more.
        case misbehaved(String)

        public var description: String {
            switch self {
            case .memory(let error): error.description
            case .misbehaved(let what):
                "The extension damaged its shared state (\(what)) and is ended; report this to who made it."
            }
        }
    }

    /// What has been counted so far.
    public struct Counts: Sendable, Equatable {
        /// Pictures left out or replaced by newer ones because the extension was too slow.
        public var picturesSkipped: Int64 = 0
        /// Seconds of sound left out for the same reason.
        public var soundLost: Double = 0
        /// Bytes that wait in the ring.
        public var queuedBytes: Int64 = 0
        /// Bytes of samples written into the ring: the only copy there is. Uncompressed pictures are never copied.
        public var bytesCopied: Int64 = 0
    }

    private struct State {
        var written: UInt64 = 0
        var read: UInt64 = 0
        var admission: RingAdmission
        var ledger: PictureLedger
        var ringWatch = HoldWatch()
        var pictureWatch = HoldWatch()
        var bytesCopied: Int64 = 0
        var fault: Error?
    }

    /// Bytes of the ring, for `ExtensionStart.sampleRingBytes`.
    public let sampleRingBytes: Int
    private let layout: SamplesLayout
    private let pictures: PictureLayout?
    private let samples: SharedMemory
    private let page: SharedMemory
    private let wake: WakePipe
    private let state: Mutex<State>

    /// Makes the memories. `video`: encoded pictures are sent; `pictures`: uncompressed ones are, in a `PictureMemory` of this
    /// layout; `sampleRingBytes`: about so much waits at most, rounded up to a power of two. For encoded pictures it should
    /// hold several seconds, and four thirds of the largest keyframe at the least.
    public init(video: Bool, pictures: PictureLayout?, sampleRingBytes: Int) throws(Error) {
        layout = SamplesLayout(pictures: pictures, ringBytes: video ? max(sampleRingBytes, 1 << 16) : sampleRingBytes)
        self.sampleRingBytes = layout.ringBytes
        self.pictures = pictures
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
                admission: RingAdmission(capacity: layout.ringBytes),
                ledger: PictureLedger(slotCount: pictures?.slotCount ?? 0)))
    }

    /// The samples' memory, the state page, and what wakes the extension, as `ExtensionRequest.start` wants them; the pictures'
    /// memory, where there is one, goes behind them. Owned by this object.
    public var descriptors: [FileDescriptor] { [samples.descriptor, page.descriptor, wake.reader] }

    /// Sends an access unit: an encoded picture, or AAC. Copies its bytes into the ring, or leaves it out where the ring is
    /// full; see `takeKeyframeRequest` and `counts`.
    public func send(_ sample: EncodedSample) {
        let header = RecordHeader(
            type: sample.type, isKeyframe: sample.isKeyframe, presentationTime: sample.presentationTime,
            duration: sample.duration, payloadBytes: sample.data.count)
        sample.data.withUnsafeBytes { send(header, $0) }
    }

    /// Sends interleaved samples of sound within ±1.
    public func sendSound(
        type: SampleType, interleaved: UnsafeBufferPointer<Float>, at time: MediaTime, duration: MediaTime
    ) {
        let header = RecordHeader(
            type: type, isPCM: true, isKeyframe: true, presentationTime: time, duration: duration,
            payloadBytes: interleaved.count * 4)
        send(header, UnsafeRawBufferPointer(interleaved))
    }

    /// Offers the picture that was drawn into `slot`, which must be free, in place of one that nobody has taken yet: that
    /// one's damage is united with `damage`. Returns the slots that can be drawn in again. `damage` speaks of a picture of
    /// the layout's size, and of the picture offered before this one.
    public func offer(
        slot: Int, at time: MediaTime, duration: MediaTime, damage: DamageRegion, orientation: Orientation
    ) throws(Error) -> PictureSlots {
        guard let pictures else { preconditionFailure("this stream has no pictures") }
        precondition(slot >= 0 && slot < pictures.slotCount, "no such slot")
        precondition(damage.words.count == layout.damageWords, "damage of another picture size")
        let freed = try withState { state throws(PictureLedger.Nonsense) -> PictureSlots in
            precondition(!state.ledger.isOut(slot: slot), "the slot is not free")
            let released = kine_atomic_load_acquire(page.base + StatePage.released)
            let found = kine_atomic_exchange(page.base + StatePage.mailbox, 0)
            let withdrawn = try state.ledger.withdraw(found: found, released: released)
            let word = state.ledger.publish(slot: slot)
            describe(word, at: time, duration: duration, damage: damage, orientation: orientation, after: withdrawn)
            let intruder = kine_atomic_exchange(page.base + StatePage.mailbox, word.word)
            guard intruder == 0 else { throw .foreignMailbox(intruder) }
            watchPictures(&state)
            return state.ledger.takeFreed()
        }
        wake.signal()
        return freed
    }

    /// The slots that the extension has given back since `offer` or this was last called.
    public func reclaim() throws(Error) -> PictureSlots {
        try withState { state throws(PictureLedger.Nonsense) -> PictureSlots in
            try look(&state)
            return state.ledger.takeFreed()
        }
    }

    /// Whether encoded pictures were left out and the next should be a keyframe: true once, when there is room for it. To be
    /// asked before each picture is encoded.
    public func takeKeyframeRequest() -> Bool {
        state.withLock { state in
            noteRead(&state)
            return state.fault == nil && state.admission.takeKeyframeRequest(used: Int(state.written - state.read))
        }
    }

    /// What has been sent so far is before this place. After a pause or an end, nothing is.
    public var position: StreamPosition {
        state.withLock { StreamPosition(samples: $0.written, pictures: $0.ledger.lastSequence) }
    }

    public var counts: Counts {
        state.withLock { state in
            noteRead(&state)
            return Counts(
                picturesSkipped: state.admission.picturesSkipped + state.ledger.picturesSkipped,
                soundLost: state.admission.soundLost.seconds, queuedBytes: Int64(state.written - state.read),
                bytesCopied: state.bytesCopied)
        }
    }

    /// Looks at what the extension has written, and throws where it cannot mean it.
    public func check() throws(Error) {
        try withState { state throws(PictureLedger.Nonsense) in
            noteRead(&state)
            try look(&state)
        }
    }

    /// CLOCK_MONOTONIC, nanoseconds, since when the extension has not moved although it holds a sample or one waits for it;
    /// nil while it has done with everything. By this end's own observation: it moves when a sample is given back, not
    /// when a new one comes. As exact as this, or anything else here, is called often.
    public func heldSince(now: Int64) -> Int64? {
        state.withLock { state in
            noteRead(&state, now: now)
            if state.fault == nil, pictures != nil {
                do throws(PictureLedger.Nonsense) { try look(&state, now: now) } catch {
                    state.fault = Self.fault(error)
                }
            }
            guard let ring = state.ringWatch.since else { return state.pictureWatch.since }
            return state.pictureWatch.since.map { min(ring, $0) } ?? ring
        }
    }

    // The rest runs with the lock held.

    private func withState<Result>(
        _ body: (inout State) throws(PictureLedger.Nonsense) -> Result
    ) throws(Error) -> Result {
        try state.withLock { state -> Swift.Result<Result, Error> in
            if let fault = state.fault { return .failure(fault) }
            do throws(PictureLedger.Nonsense) {
                let result = try body(&state)
                if let fault = state.fault { return .failure(fault) }
                return .success(result)
            } catch {
                let fault = Self.fault(error)
                state.fault = fault
                return .failure(fault)
            }
        }.get()
    }

    private static func fault(_ nonsense: PictureLedger.Nonsense) -> Error {
        switch nonsense {
        case .foreignMailbox(let word): .misbehaved("the mailbox holds \(word), which was never put there")
        case .falseRelease(let sequence): .misbehaved("it gave back picture \(sequence), which it does not hold")
        }
    }

    private func send(_ header: RecordHeader, _ payload: UnsafeRawBufferPointer) {
        let sent = state.withLock { state -> Bool in
            noteRead(&state)
            guard state.fault == nil else { return false }
            let used = Int(state.written - state.read)
            let bytes = header.recordBytes
            let answer =
                header.type == .video
                ? state.admission.picture(bytes: bytes, isKeyframe: header.isKeyframe, used: used)
                : state.admission.sound(header.type, bytes: bytes, duration: header.duration, used: used)
            guard case .write(let discontinuity) = answer else { return false }
            var header = header
            header.isDiscontinuity = discontinuity
            let place = samples.base + layout.ringOffset + Int(state.written & UInt64(layout.ringBytes - 1))
            header.write(to: place, position: state.written)
            // The mirror behind the ring lets a record run over its end.
            if let bytes = payload.baseAddress {
                (place + RecordHeader.byteCount).copyMemory(from: bytes, byteCount: payload.count)
            }
            state.written += UInt64(bytes)
            state.bytesCopied += Int64(payload.count)
            kine_atomic_store_release(samples.base + SamplesLayout.writePosition, state.written)
            if state.ringWatch.since == nil {
                state.ringWatch.note(isWaiting: true, progress: state.read, now: MonotonicClock.now())
            }
            return true
        }
        if sent { wake.signal() }
    }

    /// Reads how far the extension is.
    private func noteRead(_ state: inout State, now: Int64? = nil) {
        guard state.fault == nil else { return }
        let read = kine_atomic_load_acquire(page.base + StatePage.readPosition)
        guard read >= state.read, read <= state.written, read % 8 == 0 else {
            state.fault = .misbehaved("it read up to \(read), and \(state.read) to \(state.written) is there")
            return
        }
        state.read = read
        if state.ringWatch.since != nil {
            let now = now ?? MonotonicClock.now()
            state.ringWatch.note(isWaiting: read < state.written, progress: read, now: now)
        }
    }

    /// Looks at the mailbox and at what was given back.
    private func look(_ state: inout State, now: Int64? = nil) throws(PictureLedger.Nonsense) {
        guard pictures != nil else { return }
        // This order: a picture is taken before it is given back.
        let released = kine_atomic_load_acquire(page.base + StatePage.released)
        let mailbox = kine_atomic_load_acquire(page.base + StatePage.mailbox)
        try state.ledger.look(released: released, mailbox: mailbox)
        watchPictures(&state, now: now)
    }

    private func watchPictures(_ state: inout State, now: Int64? = nil) {
        state.pictureWatch.note(
            isWaiting: !state.ledger.isEmpty, progress: state.ledger.progress, now: now ?? MonotonicClock.now())
    }

    /// Writes the picture's entry, which nobody reads yet: its slot is free.
    private func describe(
        _ word: MailboxWord, at time: MediaTime, duration: MediaTime, damage: DamageRegion, orientation: Orientation,
        after withdrawn: MailboxWord?
    ) {
        typealias Entry = SamplesLayout.Entry
        let entry = samples.base + layout.entry(ofSlot: word.slot)
        kine_atomic_store_relaxed(entry + Entry.sequence, word.sequence)
        // A release: who peeks at the time and finds this one also finds the mailbox changed.
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
