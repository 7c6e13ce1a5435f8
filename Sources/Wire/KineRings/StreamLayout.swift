// The layout of a stream's two memories. All numbers are in native byte order: both ends run on the same machine.
import CSharedAtomics
import KineMedia

/// The memory of the samples, which only the sender writes:
///
///     page 0            write position of the ring (8 bytes at 0)
///     frame table       for each slot: sequence, time, duration, orientation, then the words of the damage
///     ring              a power of two of bytes, whole pages; mapped twice in succession by both ends
struct SamplesLayout: Equatable {
    static let writePosition = 0
    static let tableOffset = SharedMemory.pageSize
    /// The largest ring, in bytes.
    static let ringLimit = 1 << 28

    /// A slot's entry in the table: offsets of its fields, then of the damage.
    enum Entry {
        static let sequence = 0
        static let presentationTime = 8
        static let duration = 16
        static let orientation = 24
        static let damage = 64
    }

    let entryBytes: Int
    let damageWords: Int
    let ringOffset: Int
    let ringBytes: Int
    var byteCount: Int { ringOffset + ringBytes }

    /// `ringBytes` is rounded up to a power of two and at least a page.
    init(frames: FrameSlotLayout?, ringBytes: Int) {
        damageWords = frames?.damageWordCount ?? 0
        entryBytes = (Entry.damage + damageWords * 8 + 63) & ~63
        let table = (frames?.slotCount ?? 0) * entryBytes
        ringOffset = SharedMemory.wholePages(Self.tableOffset + table)
        var rounded = SharedMemory.pageSize
        while rounded < min(ringBytes, Self.ringLimit) { rounded *= 2 }
        self.ringBytes = rounded
    }

    func entry(ofSlot slot: Int) -> Int { Self.tableOffset + slot * entryBytes }
}

/// The state page, which the receiver may write too. The sender checks all of it. Each word has its own cache line.
enum StatePage {
    static let byteCount = SharedMemory.pageSize
    /// Bytes of the ring that the receiver has released.
    static let readPosition = 0
    /// The newest frame that has not been taken, as a `MailboxEntry`; 0: none.
    static let mailbox = 64
    /// The sequence number of the last frame that the receiver released.
    static let released = 128
}

/// A frame in the mailbox: its sequence number, from 1, and its slot. Never 0, and never repeated.
struct MailboxEntry: Equatable {
    let sequence: UInt64
    let slot: Int

    var word: UInt64 { sequence << 8 | UInt64(slot) }
}

extension MailboxEntry {
    /// Nil for 0.
    init?(_ word: UInt64) {
        guard word != 0 else { return nil }
        self.init(sequence: word >> 8, slot: Int(word & 0xff))
    }
}

// Measures how long a receiver makes no progress although samples wait for it, by the sender's clock. Pure.
struct StallTimer: Equatable {
    /// The start of the time without progress: CLOCK_MONOTONIC, nanoseconds; nil: nothing waits.
    private(set) var since: Int64?
    private var progress: UInt64 = 0

    mutating func update(isWaiting: Bool, progress: UInt64, now: Int64) {
        if !isWaiting {
            since = nil
        } else if since == nil || progress != self.progress {
            since = now
        }
        self.progress = progress
    }
}

// One sentence for each error of the memories and streams between an engine and a receiver of samples.
extension SharedMemory.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .system(let call, let errno):
            "Shared memory for samples failed in \(call): \(errno); free some memory and try again."
        case .unusable(let size, let needed):
            "The shared memory has \(size) bytes, and \(needed) that cannot shrink are needed; "
                + "use kinecast and the extension's library of one version."
        }
    }
}

extension StreamSender.Error: CustomStringConvertible {
    public var description: String {
        switch self {
        case .memory(let error): error.description
        case .misbehaved(let what):
            "The receiver of the samples damaged its shared state (\(what)) and gets no more; report this to its author."
        }
    }
}

extension StreamReceiver.Error: CustomStringConvertible {
    public var description: String {
        let advice = "use kinecast and the extension's library of one version."
        return switch self {
        case .memory(let error): error.description
        case .descriptors(let expected, let received):
            "The engine sent \(received) descriptors with the start instead of \(expected); \(advice)"
        case .invalidLayout: "The engine described its memory in an impossible way; \(advice)"
        case .damagedRing(let position): "The memory of the samples holds none at \(position); \(advice)"
        case .damagedMailbox(let word): "The mailbox of frames holds \(word), which names none; \(advice)"
        }
    }
}

/// 32 bytes before the payload; both together are padded to 8.
struct RecordHeader: Equatable {
    static let byteCount = 32

    /// Nil: the record is a format (`isFormat`), or has a type that a later version writes.
    var type: SampleType?
    /// Whether the payload is the format of the frames that follow (`StreamDescription.EncodedVideo`). Earlier versions
    /// skip the record.
    var isFormat = false
    /// Whether the payload is interleaved floats, not an access unit.
    var isPCM = false
    var isKeyframe = false
    /// Samples of this type that are missing before this one; `UInt16.max`: at least that many.
    var missing: UInt16 = 0
    /// Nanoseconds, as captured.
    var presentationTime: MediaTime
    var duration: MediaTime
    /// Bytes of the payload.
    var payloadBytes: Int

    private static let formatKind: UInt8 = 3

    /// Bytes of the whole record in the ring.
    var recordBytes: Int { Self.recordBytes(payload: payloadBytes) }

    static func recordBytes(payload: Int) -> Int { byteCount + (payload + 7) & ~7 }

    /// Also writes `position`, the bytes of the stream before this record, so that a reader detects a wrong position.
    func write(to memory: UnsafeMutableRawPointer, position: UInt64) {
        memory.storeBytes(of: UInt32(payloadBytes), as: UInt32.self)
        let kind: UInt8 =
            switch type {
            case .video: 0
            case .audioApp: 1
            case .audioMic: 2
            case nil: isFormat ? Self.formatKind : .max
            }
        memory.storeBytes(of: kind, toByteOffset: 4, as: UInt8.self)
        let flags: UInt8 = (isPCM ? 1 : 0) | (isKeyframe ? 2 : 0)
        memory.storeBytes(of: flags, toByteOffset: 5, as: UInt8.self)
        memory.storeBytes(of: missing, toByteOffset: 6, as: UInt16.self)
        memory.storeBytes(of: presentationTime.nanoseconds, toByteOffset: 8, as: Int64.self)
        memory.storeBytes(of: duration.nanoseconds, toByteOffset: 16, as: Int64.self)
        memory.storeBytes(of: position, toByteOffset: 24, as: UInt64.self)
    }
}

extension RecordHeader {
    /// Nil if the bytes are not a record that begins at `position`.
    init?(reading memory: UnsafeRawPointer, position: UInt64) {
        guard memory.load(fromByteOffset: 24, as: UInt64.self) == position else { return nil }
        let kind = memory.load(fromByteOffset: 4, as: UInt8.self)
        let type: SampleType? =
            switch kind {
            case 0: .video
            case 1: .audioApp
            case 2: .audioMic
            default: nil
            }
        let flags = memory.load(fromByteOffset: 5, as: UInt8.self)
        self.init(
            type: type, isFormat: kind == Self.formatKind, isPCM: flags & 1 != 0, isKeyframe: flags & 2 != 0,
            missing: memory.load(fromByteOffset: 6, as: UInt16.self),
            presentationTime: MediaTime(nanoseconds: memory.load(fromByteOffset: 8, as: Int64.self)),
            duration: MediaTime(nanoseconds: memory.load(fromByteOffset: 16, as: Int64.self)),
            payloadBytes: Int(memory.load(as: UInt32.self)))
    }
}
