// The extension's end of its samples: it reads the ring and the pictures in place, and says what it has done with.
import CSharedAtomics
import KineMedia
import SystemPackage

/// Receives what a `StreamSender` sends. One thread reads; what is counted and the descriptor are for any thread.
public final class StreamReceiver: @unchecked Sendable {
    // Sendable: `position`, `held`, `dropped` and `lastPicture` belong to the reading thread; the rest never changes or is atomic.

    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// A memory cannot be mapped.
        case memory(SharedMemory.Error)
        /// The start names other descriptors than came with it; how many.
        case descriptors(expected: Int, received: Int)
        /// The layout in the start cannot be.
        case impossibleLayout
        /// The ring holds no sample where one should begin.
        case damagedRing(position: UInt64)
        /// The mailbox names a slot that is not there, or one that holds another picture.
        case damagedMailbox(word: UInt64)

        public var description: String {
            switch self {
            case .memory(let error): error.description
            case .descriptors(let expected, let received):
                "The engine sent \(received) descriptors with the start where \(expected) belong; "
                    + "use kinecast and the extension's library of one version."
            case .impossibleLayout:
                "The engine described its memory in a way that cannot be; use kinecast and the extension's library of one version."
            case .damagedRing(let position):
                "The samples' memory holds no sample at \(position); use kinecast and the extension's library of one version."
            case .damagedMailbox(let word):
                "The mailbox of pictures holds \(word), which names none; use kinecast and the extension's library of one version."
            }
        }
    }

    /// A sample in the ring, encoded or sound. Its bytes are valid until `advance`.
    public struct Record {
        public var type: SampleType
        /// Interleaved 32-bit floats; otherwise an access unit.
        public var isPCM: Bool
        public var isKeyframe: Bool
        /// Samples of this type were left out before this one.
        public var isDiscontinuity: Bool
        public var presentationTime: MediaTime
        public var duration: MediaTime
        /// Aligned to 8 bytes.
        public var bytes: UnsafeRawBufferPointer
        /// Where it begins in the ring, counted from the ring's beginning.
        public var position: UInt64
        fileprivate var end: UInt64
    }

    /// An uncompressed picture that this end holds until `release`.
    public struct Picture {
        /// From 1; of the pictures offered, some are never seen.
        public var sequence: UInt64
        public var presentationTime: MediaTime
        public var duration: MediaTime
        public var orientation: Orientation
        /// Pictures between this and the one before that were not taken.
        public var skipped: UInt64
        /// The slot's first byte; the layout says where the planes are.
        public var base: UnsafeRawPointer
        /// What differs from the picture taken before, as `DamageRegion.words`.
        public var damageWords: UnsafeBufferPointer<UInt64>
        fileprivate var slot: Int
    }

    public let pictureLayout: PictureLayout?
    private let layout: SamplesLayout
    private let samples: SharedMemory
    private let page: SharedMemory
    private let wake: FileDescriptor
    private let pictures: SharedMemory?
    /// The slots together are so large that touched ones must not stay resident.
    private let dropsSlots: Bool
    /// Bytes of the ring that this end has done with.
    private var position: UInt64 = 0
    private var held = 0
    private var lastPicture: UInt64 = 0
    /// Up to here, the ring's pages have been forgotten.
    private var dropped: UInt64 = 0

    /// Slots that together have more bytes than this are forgotten one by one after their release. Four of 1080p stay, which
    /// costs no page faults and leaves an extension well below 30 MB.
    static let residentPictures = 13 << 20
    /// So much of the ring that was read may stay resident.
    static let residentRing = 1 << 20

    /// Maps what came with `start`. Takes the descriptors over, also where it throws.
    public init(_ start: ExtensionStart, descriptors: [FileDescriptor]) throws(Error) {
        let expected = start.pictures == nil ? 3 : 4
        var left = descriptors[...]
        defer { for descriptor in left { try? descriptor.close() } }
        guard descriptors.count == expected else {
            throw .descriptors(expected: expected, received: descriptors.count)
        }
        guard start.pictures?.isSound ?? true, start.sampleRingBytes > 0 else { throw .impossibleLayout }
        let layout = SamplesLayout(pictures: start.pictures, ringBytes: start.sampleRingBytes)
        guard layout.ringBytes == start.sampleRingBytes else { throw .impossibleLayout }
        self.layout = layout
        pictureLayout = start.pictures
        dropsSlots = (start.pictures?.byteCount ?? 0) > Self.residentPictures
        do throws(SharedMemory.Error) {
            left = descriptors[1...]
            samples = try SharedMemory(
                adopting: descriptors[0], byteCount: layout.byteCount, writable: false, mirroring: layout.ringOffset)
            left = descriptors[2...]
            page = try SharedMemory(adopting: descriptors[1], byteCount: StatePage.byteCount, writable: true)
            if let pictureLayout {
                left = descriptors[2...2]
                pictures = try SharedMemory(
                    adopting: descriptors[3], byteCount: pictureLayout.byteCount, writable: false)
            } else {
                pictures = nil
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

    /// Takes back all signals so far; look for samples after this, not before. False where the engine is gone.
    public func clearWake() -> Bool { WakePipe.clear(wake) }

    /// Bytes of the ring that have been read, and that have been written: since the beginning.
    public var readPosition: UInt64 { kine_atomic_load_relaxed(page.base + StatePage.readPosition) }
    public var writtenPosition: UInt64 { kine_atomic_load_acquire(samples.base + SamplesLayout.writePosition) }

    /// The oldest sample in the ring, which stays there until `advance`; nil where there is none.
    public func nextRecord() throws(Error) -> Record? {
        let written = writtenPosition
        guard written != position else { return nil }
        let offset = layout.ringOffset + Int(position & UInt64(layout.ringBytes - 1))
        guard written > position, written - position <= UInt64(layout.ringBytes),
            written - position >= UInt64(RecordHeader.byteCount),
            let header = RecordHeader(reading: samples.base + offset, position: position),
            UInt64(header.recordBytes) <= written - position
        else { throw .damagedRing(position: position) }
        return Record(
            type: header.type, isPCM: header.isPCM, isKeyframe: header.isKeyframe,
            isDiscontinuity: header.isDiscontinuity, presentationTime: header.presentationTime,
            duration: header.duration,
            bytes: UnsafeRawBufferPointer(
                start: samples.base + offset + RecordHeader.byteCount, count: header.payloadBytes),
            position: position, end: position + UInt64(header.recordBytes))
    }

    /// Gives the bytes of `record` back to the sender.
    public func advance(past record: Record) {
        position = record.end
        kine_atomic_store_release(page.base + StatePage.readPosition, position)
        let size = UInt64(layout.ringBytes)
        guard record.end - dropped >= UInt64(Self.residentRing) else { return }
        // Whole pages only; the page that the next record begins on stays. Both views of the ring are forgotten.
        let end = record.end & ~UInt64(SharedMemory.pageSize - 1)
        let first = Int(dropped & (size - 1))
        let count = Int(min(end - dropped, size))
        let start = layout.ringOffset + first
        samples.dropResidency(start..<start + count)
        if first + count > layout.ringBytes {
            samples.dropResidency(layout.ringOffset..<layout.ringOffset + first + count - layout.ringBytes)
        }
        dropped = end
    }

    /// The picture that waits in the mailbox, without taking it: its sequence number and its time. A newer one may be in its
    /// place by the time it is taken.
    public func peekPicture() throws(Error) -> (sequence: UInt64, presentationTime: MediaTime)? {
        guard let pictureLayout else { return nil }
        while let word = MailboxWord(kine_atomic_load_acquire(page.base + StatePage.mailbox)) {
            guard word.slot < pictureLayout.slotCount else { throw .damagedMailbox(word: word.word) }
            let entry = samples.base + layout.entry(ofSlot: word.slot)
            let time = kine_atomic_load_relaxed(entry + SamplesLayout.Entry.presentationTime)
            // Still in the mailbox after its time was read: the time was this picture's.
            kine_atomic_fence_acquire()
            if kine_atomic_load_relaxed(page.base + StatePage.mailbox) == word.word {
                return (word.sequence, MediaTime(nanoseconds: Int64(bitPattern: time)))
            }
        }
        return nil
    }

    /// Takes the newest picture; nil where there is none. It is to be released before the next is taken.
    public func takePicture() throws(Error) -> Picture? {
        guard let pictureLayout, let pictures else { return nil }
        precondition(held == 0, "a picture is taken only after the one before was released")
        guard let word = MailboxWord(kine_atomic_exchange(page.base + StatePage.mailbox, 0)) else { return nil }
        typealias Entry = SamplesLayout.Entry
        guard word.slot < pictureLayout.slotCount else { throw .damagedMailbox(word: word.word) }
        let entry = samples.base + layout.entry(ofSlot: word.slot)
        guard kine_atomic_load_relaxed(entry + Entry.sequence) == word.sequence, word.sequence > lastPicture,
            let orientation = Orientation(
                rawValue: Int(truncatingIfNeeded: entry.load(fromByteOffset: Entry.orientation, as: Int64.self)))
        else { throw .damagedMailbox(word: word.word) }
        let skipped = word.sequence - lastPicture - 1
        lastPicture = word.sequence
        held += 1
        return Picture(
            sequence: word.sequence,
            presentationTime: MediaTime(
                nanoseconds: entry.load(fromByteOffset: Entry.presentationTime, as: Int64.self)),
            duration: MediaTime(nanoseconds: entry.load(fromByteOffset: Entry.duration, as: Int64.self)),
            orientation: orientation, skipped: skipped,
            base: UnsafeRawPointer(pictures.base + word.slot * pictureLayout.slotBytes),
            damageWords: UnsafeBufferPointer(
                start: (entry + Entry.damage).assumingMemoryBound(to: UInt64.self), count: layout.damageWords),
            slot: word.slot)
    }

    /// Gives a picture back; its memory must not be looked at any more.
    public func release(_ picture: Picture) {
        held -= 1
        if dropsSlots, let pictures, let pictureLayout {
            let start = picture.slot * pictureLayout.slotBytes
            pictures.dropResidency(start..<start + pictureLayout.slotBytes)
        }
        kine_atomic_store_release(page.base + StatePage.released, picture.sequence)
    }
}
