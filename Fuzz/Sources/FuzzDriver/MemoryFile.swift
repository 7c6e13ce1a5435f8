// A file in memory, for the targets whose formats live in files.
import KineContainers

/// Counts what is read of it, and traps where it is used in a way that a file on disk is not: a read that goes backwards, a write
/// behind its end.
public final class MemoryFile: StorageFile {
    public let path = "fuzz"
    public private(set) var bytes: [UInt8]
    public private(set) var bytesRead = 0
    private let isWritable: Bool

    /// `isWritable`: otherwise a write traps.
    public init(_ bytes: [UInt8], isWritable: Bool) {
        self.bytes = bytes
        self.isWritable = isWritable
    }

    public func size() throws(StorageError) -> Int64 { Int64(bytes.count) }

    public func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        precondition(offset >= 0 && count >= 0, "a read at \(offset) of \(count)")
        guard offset < bytes.count else { return [] }
        let range = Int(offset)..<min(bytes.count, Int(offset) + count)
        bytesRead += range.count
        return Array(bytes[range])
    }

    public func write(_ data: [UInt8], at offset: Int64) throws(StorageError) {
        precondition(isWritable, "a write")
        precondition(offset >= 0 && offset <= bytes.count, "a write that leaves a hole")
        bytes.replaceSubrange(Int(offset)..<min(bytes.count, Int(offset) + data.count), with: data)
    }

    public func truncate(to size: Int64) throws(StorageError) {
        precondition(isWritable, "the file is cut")
        precondition(size >= 0 && size <= bytes.count, "shortening makes the file longer")
        bytes.removeSubrange(Int(size)...)
    }

    public func synchronize() throws(StorageError) {}
    public func reserve(through end: Int64) throws(StorageError) {}
    public func publish() throws(StorageError) {}
    public func isRemoved() throws(StorageError) -> Bool { false }
    public func putBack() throws(StorageError) {}
    public func close() {}
}
