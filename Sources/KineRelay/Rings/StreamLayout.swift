// The layout of a stream's two memories. All numbers are in the machine's own byte order: both ends run on it.
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

/// The state page, which the receiver may write too. The sender checks everything in it. Each word has a cache line of its own.
enum StatePage {
    static let byteCount = SharedMemory.pageSize
    /// Bytes of the ring that the receiver has released.
    static let readPosition = 0
    /// The newest frame that has not been taken, a `MailboxEntry`; 0: none.
    static let mailbox = 64
    /// The sequence number of the frame that the receiver released last.
    static let released = 128
}

/// A frame in the mailbox: its sequence number, from 1, and its slot. Never 0, and never the same twice.
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
