// The bytes of one track of a clip buffer, in the order in which they came: new ones in memory, older ones on disk.
import KineContainers
import Synchronization

/// Bytes that are all in memory or all in one place of the scratch file. A clip being written keeps its chunks while
/// the buffer moves on.
final class ClipChunk: Sendable {
    private enum Storage {
        case memory([UInt8])
        case disk(ClipScratch.Place)
    }

    private let storage: Mutex<Storage>

    init(_ bytes: [UInt8]) { storage = Mutex(.memory(bytes)) }

    func read(_ range: Range<Int>) throws(StorageError) -> [UInt8] {
        let storage = storage.withLock { $0 }
        switch storage {
        case .memory(let bytes): return Array(bytes[range])
        case .disk(let place): return try place.read(range)
        }
    }

    /// Moves the bytes to the disk and frees their memory. Returns false if the disk does not take them.
    func move(to scratch: ClipScratch) -> Bool {
        guard case .memory(let bytes) = storage.withLock({ $0 }), let place = scratch.store(bytes) else { return false }
        storage.withLock { $0 = .disk(place) }
        return true
    }
}

/// A log: appends at its end, discards from its beginning. Positions count from the first byte ever appended.
struct ClipLog {
    static let chunkSize = 256 << 10

    private var chunks: [ClipChunk] = []
    /// The number of the first of `chunks`.
    private var first = 0
    /// Chunks at the beginning of `chunks` that are on disk.
    private var onDisk = 0
    /// The growing chunk: the bytes after all of `chunks`.
    private var tail: [UInt8] = []
    private let mostInMemory: Int
    private let scratch: ClipScratch

    /// `memory`: the most bytes in memory, a few chunks at least.
    init(memory: Int, scratch: ClipScratch) {
        mostInMemory = max(2, memory / Self.chunkSize - 1)
        self.scratch = scratch
    }

    /// The position after the last byte.
    var end: Int64 { Int64(first + chunks.count) * Int64(Self.chunkSize) + Int64(tail.count) }

    /// Bytes in memory.
    var memory: Int { (chunks.count - onDisk) * Self.chunkSize + tail.count }

    mutating func append(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Reserves all at once, since growing in steps would leave holes in memory. Unwritten pages take none.
            if tail.isEmpty { tail.reserveCapacity(Self.chunkSize) }
            let part = rest.prefix(Self.chunkSize - tail.count)
            tail.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            guard tail.count == Self.chunkSize else { break }
            chunks.append(ClipChunk(tail))
            tail = []
        }
    }

    /// Moves chunks to the disk until memory is within its limit. Returns false if the disk takes no more: the caller
    /// must then discard samples.
    mutating func makeRoom() -> Bool {
        while chunks.count - onDisk > mostInMemory {
            guard chunks[onDisk].move(to: scratch) else { return false }
            onDisk += 1
        }
        return true
    }

    mutating func discard(before position: Int64) {
        let passed = min(chunks.count, max(0, Int(position / Int64(Self.chunkSize)) - first))
        guard passed > 0 else { return }
        chunks.removeFirst(passed)
        first += passed
        onDisk = max(0, onDisk - passed)
    }

    func contents(from position: Int64) -> Contents {
        let passed = min(chunks.count, max(0, Int(position / Int64(Self.chunkSize)) - first))
        return Contents(first: first + passed, chunks: Array(chunks[passed...]), tail: tail)
    }

    /// A part of a log that stays readable whatever becomes of the log.
    struct Contents: Sendable {
        /// The number of the first of `chunks`.
        private var first: Int
        private var chunks: [ClipChunk]
        private let tail: [UInt8]

        fileprivate init(first: Int, chunks: [ClipChunk], tail: [UInt8]) {
            self.first = first
            self.chunks = chunks
            self.tail = tail
        }

        /// Returns `count` bytes from `position` on, which must exist. Positions must only grow: discards all before.
        mutating func read(at position: Int64, count: Int) throws(StorageError) -> [UInt8] {
            let passed = min(chunks.count, max(0, Int(position / Int64(ClipLog.chunkSize)) - first))
            chunks.removeFirst(passed)
            first += passed
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count)
            while bytes.count < count {
                let place = position + Int64(bytes.count)
                let index = Int(place / Int64(ClipLog.chunkSize)) - first
                let offset = Int(place % Int64(ClipLog.chunkSize))
                let wanted = offset..<min(offset + count - bytes.count, ClipLog.chunkSize)
                bytes += index < chunks.count ? try chunks[index].read(wanted) : Array(tail[wanted])
            }
            return bytes
        }
    }
}
