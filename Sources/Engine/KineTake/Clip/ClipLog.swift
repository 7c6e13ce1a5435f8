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

    private var held = Contents()
    /// The first of the held chunks that are on disk.
    private var onDisk = 0
    private let mostInMemory: Int
    private let scratch: ClipScratch

    /// `memory`: the most bytes in memory, a few chunks at least.
    init(memory: Int, scratch: ClipScratch) {
        mostInMemory = max(2, memory / Self.chunkSize - 1)
        self.scratch = scratch
    }

    /// The position after the last byte.
    var end: Int64 { Int64(held.first + held.chunks.count) * Int64(Self.chunkSize) + Int64(held.tail.count) }

    /// Bytes in memory.
    var memory: Int { (held.chunks.count - onDisk) * Self.chunkSize + held.tail.count }

    mutating func append(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // Reserves all at once, since growing in steps would leave holes in memory. Unwritten pages take none.
            if held.tail.isEmpty { held.tail.reserveCapacity(Self.chunkSize) }
            let part = rest.prefix(Self.chunkSize - held.tail.count)
            held.tail.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
            guard held.tail.count == Self.chunkSize else { break }
            held.chunks.append(ClipChunk(held.tail))
            held.tail = []
        }
    }

    /// Moves chunks to the disk until memory is within its limit. Returns false if the disk takes no more: the caller
    /// must then discard samples.
    mutating func makeRoom() -> Bool {
        while held.chunks.count - onDisk > mostInMemory {
            guard held.chunks[onDisk].move(to: scratch) else { return false }
            onDisk += 1
        }
        return true
    }

    mutating func discard(before position: Int64) { onDisk = max(0, onDisk - held.discard(before: position)) }

    func contents(from position: Int64) -> Contents {
        var contents = held
        contents.discard(before: position)
        return contents
    }

    /// A part of a log that stays readable whatever becomes of the log.
    struct Contents: Sendable {
        /// The number of the first of `chunks`.
        fileprivate var first = 0
        fileprivate var chunks: [ClipChunk] = []
        /// The growing chunk: the bytes after all of `chunks`.
        fileprivate var tail: [UInt8] = []

        /// Returns the number of removed chunks.
        @discardableResult fileprivate mutating func discard(before position: Int64) -> Int {
            let passed = min(chunks.count, max(0, Int(position / Int64(ClipLog.chunkSize)) - first))
            chunks.removeFirst(passed)
            first += passed
            return passed
        }

        /// Returns `count` bytes from `position` on, which must exist. Positions must only grow: discards all before.
        mutating func read(at position: Int64, count: Int) throws(StorageError) -> [UInt8] {
            discard(before: position)
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
