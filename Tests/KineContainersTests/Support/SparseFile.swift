// A file with holes that counts what is read of it.
import KineContainers

/// Bytes at a few places, and zeros everywhere else.
final class SparseFile: StorageFile {
    let path = "sparse.mp4"
    private var parts: [(offset: Int64, bytes: [UInt8])]
    private var end: Int64
    private(set) var bytesRead = 0
    /// The most bytes that were read at once.
    private(set) var largestRead = 0

    /// `bytes`, and a hole up to `size`.
    init(_ bytes: [UInt8], size: Int64) {
        parts = [(0, bytes)]
        end = size
    }

    /// A hole of `length` bytes between others.
    convenience init(_ before: [UInt8], hole length: Int64, _ after: [UInt8]) throws(StorageError) {
        self.init(before, size: Int64(before.count) + length)
        try write(after, at: end)
    }

    func size() throws(StorageError) -> Int64 { end }

    func dataOffset(from offset: Int64) throws(StorageError) -> Int64 {
        let ends = parts.filter { $0.offset + Int64($0.bytes.count) > offset }
        return ends.map { max(offset, $0.offset) }.min() ?? end
    }

    func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        let count = Int(max(0, min(Int64(count), end - offset)))
        (bytesRead, largestRead) = (bytesRead + count, max(largestRead, count))
        var bytes = [UInt8](repeating: 0, count: count)
        for part in parts {
            let place = part.offset..<part.offset + Int64(part.bytes.count)
            let common = (offset..<offset + Int64(count)).clamped(to: place)
            guard !common.isEmpty else { continue }
            let (from, to) = (Int(common.lowerBound - part.offset), Int(common.lowerBound - offset))
            bytes.replaceSubrange(to..<to + common.count, with: part.bytes[from..<from + common.count])
        }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) {
        parts.append((offset, bytes))
        end = max(end, offset + Int64(bytes.count))
    }

    func truncate(to size: Int64) throws(StorageError) { end = size }
    func synchronize() throws(StorageError) {}
    func reserve(through end: Int64) throws(StorageError) {}
    func publish() throws(StorageError) {}
    func isRemoved() throws(StorageError) -> Bool { false }
    func putBack() throws(StorageError) {}
    func close() {}
}
