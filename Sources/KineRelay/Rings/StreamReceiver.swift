// The receiving end of a stream of samples: it reads the ring and the frames in place, and tells the sender what it releases.
import CSharedAtomics
import KineMedia
import SystemPackage

/// Receives the samples of a `StreamSender`. One thread reads; the positions and the descriptor are for any thread.
public final class StreamReceiver: @unchecked Sendable {
    // Sendable: `position`, `held`, `dropped` and `lastFrame` belong to the reading thread; the rest never changes or is
    // atomic.

    public enum Error: Swift.Error, Equatable, Sendable {
        /// A memory cannot be mapped.
        case memory(SharedMemory.Error)
        /// The description needs another number of descriptors.
        case descriptors(expected: Int, received: Int)
        /// The described layout is impossible.
        case invalidLayout
        /// The ring has no sample where one should begin.
        case damagedRing(position: UInt64)
        /// The mailbox names a slot that does not exist, or one that holds another frame.
        case damagedMailbox(word: UInt64)
    }

    /// A sample in the ring, an encoded frame or audio. Its bytes are valid until `advance`.
    public struct Record {
        public var type: SampleType
        /// Interleaved 32-bit floats; otherwise an access unit.
        public var isPCM: Bool
        public var isKeyframe: Bool
        /// Samples of this type were dropped before this one.
        public var isDiscontinuity: Bool
        public var presentationTime: MediaTime
        public var duration: MediaTime
        /// Aligned to 8 bytes.
        public var bytes: UnsafeRawBufferPointer
        fileprivate var end: UInt64
    }

    /// An uncompressed frame that this end holds until `release`.
    public struct Frame {
        /// From 1; some of the frames offered are never seen.
        public var sequence: UInt64
        public var presentationTime: MediaTime
        public var duration: MediaTime
        public var orientation: Orientation
        /// Frames between this and the one before that were not taken.
        public var skipped: UInt64
        /// The slot's first byte; the layout says where the planes are.
        public var base: UnsafeRawPointer
        /// The difference from the frame taken before, as `DamageRegion.words`.
        public var damageWords: UnsafeBufferPointer<UInt64>
        fileprivate var slot: Int
    }

    public let slotLayout: FrameSlotLayout?
    private let layout: SamplesLayout
    private let samples: SharedMemory
    private let page: SharedMemory
    private let wake: FileDescriptor
    private let frames: SharedMemory?
    /// Whether the slots are so large that touched ones must not stay resident.
    private let dropsSlots: Bool
    /// Bytes of the ring that this end has released.
    private var position: UInt64 = 0
    private var held = 0
    private var lastFrame: UInt64 = 0
    /// The ring's pages are unmapped up to here.
    private var dropped: UInt64 = 0

    /// If the slots have more bytes than this together, each is unmapped after its release. Four of 1080p stay, which costs no
    /// page faults and leaves an extension well below 30 MB.
    static let residentFrames = 13 << 20
    /// The bytes of the ring that may stay resident after they were read.
    static let residentRing = 1 << 20

    /// Maps the memories that came with a description, in the order of `StreamSender.descriptors`. Owns the descriptors; closes
    /// them if it throws.
    public init(_ stream: StreamDescription, descriptors: [FileDescriptor]) throws(Error) {
        let expected = stream.frames == nil ? 3 : 4
        var left = descriptors[...]
        defer { for descriptor in left { try? descriptor.close() } }
        guard descriptors.count == expected else {
            throw .descriptors(expected: expected, received: descriptors.count)
        }
        guard stream.frames?.isValid ?? true, stream.sampleRingBytes > 0 else { throw .invalidLayout }
        let layout = SamplesLayout(frames: stream.frames, ringBytes: stream.sampleRingBytes)
        guard layout.ringBytes == stream.sampleRingBytes else { throw .invalidLayout }
        self.layout = layout
        slotLayout = stream.frames
        dropsSlots = (stream.frames?.byteCount ?? 0) > Self.residentFrames
        do throws(SharedMemory.Error) {
            left = descriptors[1...]
            samples = try SharedMemory(
                adopting: descriptors[0], byteCount: layout.byteCount, writable: false, mirroring: layout.ringOffset)
            left = descriptors[2...]
            page = try SharedMemory(adopting: descriptors[1], byteCount: StatePage.byteCount, writable: true)
            if let slotLayout {
                left = descriptors[2...2]
                frames = try SharedMemory(
                    adopting: descriptors[3], byteCount: slotLayout.byteCount, writable: false)
            } else {
                frames = nil
            }
        } catch {
            throw .memory(error)
        }
        left = []
        wake = descriptors[2]
    }

    deinit { try? wake.close() }

    /// Readable when there may be something new; owned by this object.
    public var wakeDescriptor: FileDescriptor { wake }

    /// Reads all signals so far; look for samples after this, not before. False if the sender is gone.
    public func clearWake() -> Bool { WakePipe.clear(wake) }

    /// Bytes of the ring that have been read, and that have been written, since the beginning.
    public var readPosition: UInt64 { kine_atomic_load_relaxed(page.base + StatePage.readPosition) }
    public var writtenPosition: UInt64 { kine_atomic_load_acquire(samples.base + SamplesLayout.writePosition) }

    /// The oldest sample in the ring, which stays there until `advance`; nil if there is none. Samples of a type that this
    /// version does not know are skipped.
    public func nextRecord() throws(Error) -> Record? {
        while true {
            guard let (header, bytes) = try nextHeader() else { return nil }
            let end = position + UInt64(header.recordBytes)
            guard let type = header.type else {
                advance(to: end)
                continue
            }
            return Record(
                type: type, isPCM: header.isPCM, isKeyframe: header.isKeyframe,
                isDiscontinuity: header.isDiscontinuity, presentationTime: header.presentationTime,
                duration: header.duration, bytes: bytes, end: end)
        }
    }

    private func nextHeader() throws(Error) -> (header: RecordHeader, payload: UnsafeRawBufferPointer)? {
        let written = writtenPosition
        guard written != position else { return nil }
        let offset = layout.ringOffset + Int(position & UInt64(layout.ringBytes - 1))
        guard written > position, written - position <= UInt64(layout.ringBytes),
            written - position >= UInt64(RecordHeader.byteCount),
            let header = RecordHeader(reading: samples.base + offset, position: position),
            UInt64(header.recordBytes) <= written - position
        else { throw .damagedRing(position: position) }
        let start = samples.base + offset + RecordHeader.byteCount
        return (header, UnsafeRawBufferPointer(start: start, count: header.payloadBytes))
    }

    /// Releases the bytes of `record`.
    public func advance(past record: Record) { advance(to: record.end) }

    private func advance(to end: UInt64) {
        position = end
        kine_atomic_store_release(page.base + StatePage.readPosition, position)
        let size = UInt64(layout.ringBytes)
        guard end - dropped >= UInt64(Self.residentRing) else { return }
        // Whole pages only; the page that the next record begins on stays. Both views of the ring are unmapped.
        let lastPage = end & ~UInt64(SharedMemory.pageSize - 1)
        let first = Int(dropped & (size - 1))
        let count = Int(min(lastPage - dropped, size))
        let start = layout.ringOffset + first
        samples.dropResidency(start..<start + count)
        if first + count > layout.ringBytes {
            samples.dropResidency(layout.ringOffset..<layout.ringOffset + first + count - layout.ringBytes)
        }
        dropped = lastPage
    }

    /// The sequence number and the time of the frame that waits in the mailbox. A newer one may have replaced it by the time it
    /// is taken.
    public func peekFrame() throws(Error) -> (sequence: UInt64, presentationTime: MediaTime)? {
        guard let slotLayout else { return nil }
        while let waiting = MailboxEntry(kine_atomic_load_acquire(page.base + StatePage.mailbox)) {
            guard waiting.slot < slotLayout.slotCount else { throw .damagedMailbox(word: waiting.word) }
            let entry = samples.base + layout.entry(ofSlot: waiting.slot)
            let time = kine_atomic_load_relaxed(entry + SamplesLayout.Entry.presentationTime)
            // If the frame is still in the mailbox after its time was read, the time was its own.
            kine_atomic_fence_acquire()
            if kine_atomic_load_relaxed(page.base + StatePage.mailbox) == waiting.word {
                return (waiting.sequence, MediaTime(nanoseconds: Int64(bitPattern: time)))
            }
        }
        return nil
    }

    /// The newest frame, which this end holds until `release`; nil if there is none. Release it before the next.
    public func nextFrame() throws(Error) -> Frame? {
        guard let slotLayout, let frames else { return nil }
        precondition(held == 0, "the frame before was not released")
        guard let taken = MailboxEntry(kine_atomic_exchange(page.base + StatePage.mailbox, 0)) else { return nil }
        typealias Entry = SamplesLayout.Entry
        guard taken.slot < slotLayout.slotCount else { throw .damagedMailbox(word: taken.word) }
        let entry = samples.base + layout.entry(ofSlot: taken.slot)
        guard kine_atomic_load_relaxed(entry + Entry.sequence) == taken.sequence, taken.sequence > lastFrame,
            let orientation = Orientation(
                rawValue: Int(truncatingIfNeeded: entry.load(fromByteOffset: Entry.orientation, as: Int64.self)))
        else { throw .damagedMailbox(word: taken.word) }
        let skipped = taken.sequence - lastFrame - 1
        lastFrame = taken.sequence
        held += 1
        return Frame(
            sequence: taken.sequence,
            presentationTime: MediaTime(
                nanoseconds: entry.load(fromByteOffset: Entry.presentationTime, as: Int64.self)),
            duration: MediaTime(nanoseconds: entry.load(fromByteOffset: Entry.duration, as: Int64.self)),
            orientation: orientation, skipped: skipped,
            base: UnsafeRawPointer(frames.base + taken.slot * slotLayout.slotBytes),
            damageWords: UnsafeBufferPointer(
                start: (entry + Entry.damage).assumingMemoryBound(to: UInt64.self), count: layout.damageWords),
            slot: taken.slot)
    }

    /// Releases a frame; its memory must not be read any more.
    public func release(_ frame: Frame) {
        held -= 1
        if dropsSlots, let frames, let slotLayout {
            let start = frame.slot * slotLayout.slotBytes
            frames.dropResidency(start..<start + slotLayout.slotBytes)
        }
        kine_atomic_store_release(page.base + StatePage.released, frame.sequence)
    }
}
