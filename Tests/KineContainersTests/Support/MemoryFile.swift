// A file in memory that records its operations and fails at chosen ones.
import KineContainers
import Testing

final class MemoryFile: StorageFile {
    enum Operation: Equatable {
        case write([UInt8], at: Int64)
        case truncate(Int64)
        case synchronize
        case reserve(Int64)
        case publish
        case putBack
    }

    /// The failure of one operation.
    struct Fault {
        /// The operation's number, from 0.
        var at: Int
        var error: StorageError
        /// Whether every later operation fails too.
        var lasting = false
        /// The bytes of a write that arrive before it fails. A write that lies in one sector arrives whole or not at all.
        var arrived = 0
    }

    let path = "memory.mp4"
    private(set) var bytes: [UInt8]
    private(set) var operations: [Operation] = []
    private(set) var largestReserve: Int64 = 0
    private(set) var bytesRead = 0
    var fault: Fault?
    var removed = false

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    private func perform(_ operation: Operation) throws(StorageError) {
        operations.append(operation)
        if let fault, operations.count - 1 == fault.at || fault.lasting && operations.count > fault.at {
            if case .write(let data, let offset) = operation, operations.count - 1 == fault.at,
                offset / 512 != (offset + Int64(data.count) - 1) / 512
            {
                apply(.write(Array(data.prefix(fault.arrived)), at: offset))
            }
            throw fault.error
        }
        apply(operation)
    }

    private func apply(_ operation: Operation) {
        switch operation {
        case .write(let data, let offset):
            let end = Int(offset) + data.count
            if end > bytes.count { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
            bytes.replaceSubrange(Int(offset)..<end, with: data)
        case .truncate(let size):
            if Int(size) < bytes.count { bytes.removeSubrange(Int(size)...) }
            bytes.append(contentsOf: repeatElement(0, count: Int(size) - bytes.count))
        case .reserve(let end): largestReserve = max(largestReserve, end)
        case .putBack: removed = false
        case .synchronize, .publish: break
        }
    }

    /// The file after the first `count` operations, of the last of which only `arrived` bytes came through.
    static func after(_ operations: some Collection<Operation>, arrived: Int? = nil) -> MemoryFile {
        let file = MemoryFile()
        for (index, operation) in operations.enumerated() {
            if index == operations.count - 1, let arrived, case .write(let data, let offset) = operation {
                file.apply(.write(Array(data.prefix(arrived)), at: offset))
            } else {
                file.apply(operation)
            }
        }
        return file
    }

    func size() throws(StorageError) -> Int64 { Int64(bytes.count) }

    func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        #expect(offset >= 0 && count >= 0)
        guard offset < bytes.count else { return [] }
        let range = Int(offset)..<min(bytes.count, Int(offset) + count)
        bytesRead += range.count
        return Array(bytes[range])
    }

    func write(_ data: [UInt8], at offset: Int64) throws(StorageError) {
        // Bytes that are overwritten in place must arrive whole or not at all.
        if offset < bytes.count {
            #expect(data.count <= 8 && offset / 512 == (offset + Int64(data.count) - 1) / 512)
        }
        try perform(.write(data, at: offset))
    }

    func truncate(to size: Int64) throws(StorageError) { try perform(.truncate(size)) }
    func synchronize() throws(StorageError) { try perform(.synchronize) }
    func reserve(through end: Int64) throws(StorageError) { try perform(.reserve(end)) }
    func publish() throws(StorageError) { try perform(.publish) }
    func isRemoved() throws(StorageError) -> Bool { removed }
    func putBack() throws(StorageError) { try perform(.putBack) }
    func close() {}
}
