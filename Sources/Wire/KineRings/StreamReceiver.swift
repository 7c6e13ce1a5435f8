// The receiving end of a stream of samples: reads the ring and the frames in place, and reports releases to the sender.
import CSharedAtomics
import KineMedia
import SystemPackage

/// Receives the samples of a `StreamSender`. One thread reads; any thread may use the positions and the descriptor.
public final class StreamReceiver: @unchecked Sendable {
    // Sendable: `position`, `held`, `dropped`, `lastFrame` and `changedVideo` belong to the reading thread; the rest never
    // changes or is atomic.

    public enum Error: Swift.Error, Equatable, Sendable {
        /// A memory cannot be mapped.
        case memory(SharedMemory.Error)
        /// The description requires another number of descriptors.
        case descriptors(expected: Int, received: Int)
        /// The described layout is impossible.
        case invalidLayout
        /// The ring has no sample where one should begin.
        case damagedRing(position: UInt64)
        /// The mailbox names a slot that does not exist, or that has another frame.
        case damagedMailbox(word: UInt64)
    }

    /// A sample in the ring: an encoded frame or audio. Its bytes are valid until `advance`.
    public struct Record {
        public var type: SampleType
        /// Whether the bytes are interleaved 32-bit floats; otherwise they are an access unit.
        public var isPCM: Bool
        public var isKeyframe: Bool
        /// Samples of this type that were dropped before this one.
        public var missing: Int
        public var presentationTime: MediaTime
        public var duration: MediaTime
        /// Aligned to 8 bytes.
        public var bytes: UnsafeRawBufferPointer
        /// The number of bytes in the ring before the record.
        package var position: UInt64
        package var end: UInt64
    }

    /// An uncompressed frame that the receiver holds until `release`.
    public struct Frame {
        /// From 1; some offered frames are never taken.
        public var sequence: UInt64
        public var presentationTime: MediaTime
        public var duration: MediaTime
        public var orientation: Orientation
        /// Frames since the previous one that were not taken.
        public var skipped: UInt64
        /// The slot's first byte; the layout says where the planes are.
        public var base: UnsafeRawPointer
        /// The difference from the previously taken frame, as `DamageRegion.words`.
        public var damageWords: UnsafeBufferPointer<UInt64>
        package var slot: Int
    }

    /// The samples and frames, mapped read-only.
    package let view: StreamView
    private let page: SharedMemory
    private let wake: FileDescriptor
    /// Whether the slots are so large that they must not stay resident after use.
    private let dropsSlots: Bool
    /// Bytes of the ring that the receiver has released.
    private var position: UInt64 = 0
    private var held = 0
    private var lastFrame: UInt64 = 0
    /// The ring's pages are unmapped up to this position.
    private var dropped: UInt64 = 0

    /// If all slots together are larger, each is unmapped after its release. Four of 1080p stay resident, which avoids
    /// page faults and keeps an extension well below 30 MB.
    static let residentFrames = 13 << 20
    /// The bytes of the ring that may stay resident after reading.
    static let residentRing = 1 << 20

    /// Maps the memories of a description, in the order of `StreamSender.descriptors`. Owns the descriptors; closes
    /// them if it throws.
    public init(_ stream: StreamDescription, descriptors: [FileDescriptor]) throws(Error) {
        let expected = stream.frames == nil ? 3 : 4
        guard descriptors.count == expected else {
            for descriptor in descriptors { try? descriptor.close() }
            throw .descriptors(expected: expected, received: descriptors.count)
        }
        wake = descriptors[2]
        dropsSlots = (stream.frames?.byteCount ?? 0) > Self.residentFrames
        do throws(SharedMemory.Error) {
            page = try SharedMemory(adopting: descriptors[1], byteCount: StatePage.byteCount, writable: true)
        } catch {
            for index in descriptors.indices where index != 1 { try? descriptors[index].close() }
            throw .memory(error)
        }
        do throws(Error) {
            view = try StreamView(stream, samples: descriptors[0], frames: expected == 4 ? descriptors[3] : nil)
        } catch {
            try? wake.close()
            throw error
        }
    }

    public var slotLayout: FrameSlotLayout? { view.frameLayout }

    /// The format of the encoded frame that `nextRecord` returns next or has returned last; nil: as in the description.
    public private(set) var changedVideo: StreamDescription.EncodedVideo?

    deinit { try? wake.close() }

    /// Readable when there may be new samples; owned by this object.
    public var wakeDescriptor: FileDescriptor { wake }

    /// Reads all signals so far; look for samples afterwards, not before. Returns false if the sender is gone.
    public func clearWake() -> Bool { WakePipe.clear(wake) }

    /// Bytes of the ring that have been read and written since the beginning.
    public var readPosition: UInt64 { kine_atomic_load_relaxed(page.base + StatePage.readPosition) }
    public var writtenPosition: UInt64 { view.writtenPosition }

    /// The oldest sample in the ring, which stays there until `advance`; nil if there is none. Skips samples of unknown
    /// types, and notes changes of the format (`changedVideo`).
    public func nextRecord() throws(Error) -> Record? {
        while true {
            guard let (header, bytes) = try nextHeader() else { return nil }
            let end = position + UInt64(header.recordBytes)
            if header.isFormat {
                guard let changed = StreamDescription.EncodedVideo(record: bytes) else {
                    throw .damagedRing(position: position)
                }
                changedVideo = changed
            }
            guard let type = header.type else {
                advance(to: end)
                continue
            }
            return Record(
                type: type, isPCM: header.isPCM, isKeyframe: header.isKeyframe,
                missing: Int(header.missing), presentationTime: header.presentationTime,
                duration: header.duration, bytes: bytes, position: position, end: end)
        }
    }

    private func nextHeader() throws(Error) -> (header: RecordHeader, payload: UnsafeRawBufferPointer)? {
        guard writtenPosition != position else { return nil }
        guard let record = view.record(at: position) else { throw .damagedRing(position: position) }
        return record
    }

    /// Releases the bytes of `record`.
    public func advance(past record: Record) { advance(to: record.end) }

    private func advance(to end: UInt64) {
        position = end
        kine_atomic_store_release(page.base + StatePage.readPosition, position)
        let layout = view.layout
        let size = UInt64(layout.ringBytes)
        guard end - dropped >= UInt64(Self.residentRing) else { return }
        // Whole pages only; the page on which the next record begins stays. Both views of the ring are unmapped.
        let lastPage = end & ~UInt64(SharedMemory.pageSize - 1)
        let first = Int(dropped & (size - 1))
        let count = Int(min(lastPage - dropped, size))
        let start = layout.ringOffset + first
        view.samples.dropResidency(start..<start + count)
        if first + count > layout.ringBytes {
            view.samples.dropResidency(layout.ringOffset..<layout.ringOffset + first + count - layout.ringBytes)
        }
        dropped = lastPage
    }

    /// The sequence number and the time of the frame in the mailbox. A newer frame may replace it before it is taken.
    public func peekFrame() throws(Error) -> (sequence: UInt64, presentationTime: MediaTime)? {
        guard let slotLayout else { return nil }
        while let waiting = MailboxEntry(kine_atomic_load_acquire(page.base + StatePage.mailbox)) {
            guard waiting.slot < slotLayout.slotCount else { throw .damagedMailbox(word: waiting.word) }
            let entry = view.samples.base + view.layout.entry(ofSlot: waiting.slot)
            let time = kine_atomic_load_relaxed(entry + SamplesLayout.Entry.presentationTime)
            // If the frame is still in the mailbox after its time was read, the time belongs to it.
            kine_atomic_fence_acquire()
            if kine_atomic_load_relaxed(page.base + StatePage.mailbox) == waiting.word {
                return (waiting.sequence, MediaTime(nanoseconds: Int64(bitPattern: time)))
            }
        }
        return nil
    }

    /// The newest frame, held until `release`; nil if there is none. Release it before the next call.
    public func nextFrame() throws(Error) -> Frame? {
        guard slotLayout != nil else { return nil }
        precondition(held == 0, "the frame before was not released")
        guard let taken = MailboxEntry(kine_atomic_exchange(page.base + StatePage.mailbox, 0)) else { return nil }
        guard taken.sequence > lastFrame, let frame = view.frame(slot: taken.slot, sequence: taken.sequence) else {
            throw .damagedMailbox(word: taken.word)
        }
        let skipped = taken.sequence - lastFrame - 1
        lastFrame = taken.sequence
        held += 1
        return Frame(
            sequence: taken.sequence, presentationTime: frame.presentationTime, duration: frame.duration,
            orientation: frame.orientation, skipped: skipped, base: frame.base, damageWords: frame.damageWords,
            slot: taken.slot)
    }

    /// Releases a frame; its memory must no longer be read.
    public func release(_ frame: Frame) {
        held -= 1
        if dropsSlots, let frames = view.frames, let slotLayout {
            let start = frame.slot * slotLayout.slotBytes
            frames.dropResidency(start..<start + slotLayout.slotBytes)
        }
        kine_atomic_store_release(page.base + StatePage.released, frame.sequence)
    }
}
