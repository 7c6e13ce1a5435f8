// A file that gets its name only when it is complete.

/// A new file for the MP4 writer. It has no name until `publishWhole`; without that call, or if the process dies, no
/// file is left.
public final class WholeFile: StorageFile {
    private let file: DiskFile
    private let conflict: NameConflict

    /// Throws at once if `publishWhole` would throw, or if no file can be created in the directory.
    public init(
        _ path: String, ifTaken conflict: NameConflict = .refuse, isPrivate: Bool = false
    ) throws(StorageError) {
        self.conflict = conflict
        file = try DiskFile.createReplacement(
            for: try DiskFile.checkTarget(path, ifTaken: conflict), isPrivate: isPrivate)
    }

    deinit {
        file.discardTemporary()
        file.close()
    }

    /// Makes the file durable and gives it its name in one step; `path` is its name afterwards. Throws `alreadyExists`
    /// if the name was taken meanwhile and no other is allowed. The last call: closes the file for other processes.
    public func publishWhole() throws(StorageError) {
        try file.publish(ifTaken: conflict)
        file.close()
    }

    public var path: String { file.path }
    public func size() throws(StorageError) -> Int64 { try file.size() }
    public func read(at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        try file.read(at: offset, count: count)
    }
    public func write(_ bytes: [UInt8], at offset: Int64) throws(StorageError) { try file.write(bytes, at: offset) }
    public func truncate(to size: Int64) throws(StorageError) { try file.truncate(to: size) }
    public func synchronize() throws(StorageError) { try file.synchronize() }
    public func reserve(through end: Int64) throws(StorageError) { try file.reserve(through: end) }

    // The writer's calls have no effect: this file stays unnamed and open until `publishWhole`.

    public func publish() throws(StorageError) {}
    public func isRemoved() throws(StorageError) -> Bool { false }
    public func putBack() throws(StorageError) {}
    public func close() {}
}

/// A part of a file in memory, up to `end`, for offsets that only grow: reading neighbouring places reads each byte of
/// the file about once.
struct FileWindow {
    private let file: any StorageFile
    private let end: Int64
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    init(file: any StorageFile, end: Int64) {
        self.file = file
        self.end = end
    }

    /// Up to `count` bytes at `offset`; fewer only at the end of the file. A read also reads `ahead` more bytes.
    mutating func read(at offset: Int64, count: Int, ahead: Int) throws(StorageError) -> ArraySlice<UInt8> {
        try contents(from: offset, atLeast: count, ahead: ahead).prefix(count)
    }

    /// All bytes in memory from `offset` on, at least `count` of them unless the file ends first.
    mutating func contents(from offset: Int64, atLeast count: Int, ahead: Int) throws(StorageError) -> ArraySlice<UInt8>
    {
        let wanted = min(Int64(count), end - offset)
        guard wanted > 0 else { return [] }
        if offset < start || offset + wanted > start + Int64(bytes.count) {
            bytes = []  // freed first: two parts are never in memory at once
            bytes = try file.read(at: offset, count: Int(min(Int64(count) + Int64(ahead), end - offset)))
            start = offset
        }
        return bytes[Int(offset - start)...]
    }
}
