// A file that gets its name only when it is complete, for what nobody should find half-written.

/// A new file that the MP4 writer fills as any other. It has no name until `publishWhole`; if it is not called, or the process dies,
/// nothing is left of it.
public final class WholeFile: StorageFile {
    private let file: DiskFile
    private let conflict: NameConflict

    /// Throws at once where `publishWhole` would throw, or where the directory does not take a file.
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

    /// Makes the file durable and gives it its name, in one step; `path` has it from then on. Throws `alreadyExists` where the name was
    /// taken meanwhile and is to be this one. The last call: it closes the file, so that others can open it.
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

    // The writer names and closes its file; this one is not to be seen yet.

    public func publish() throws(StorageError) {}
    public func isRemoved() throws(StorageError) -> Bool { false }
    public func putBack() throws(StorageError) {}
    public func close() {}
}

/// Bytes of one file, up to `end`. Meant for offsets that only grow.
///
/// A part of a file in memory, so that reading neighbouring places reads each byte of the file about once.
struct FileWindow {
    private let file: any StorageFile
    private let end: Int64
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    init(file: any StorageFile, end: Int64) {
        self.file = file
        self.end = end
    }

    /// Up to `count` bytes at `offset`; fewer only where the file ends. If they have to be read, `ahead` more are read with
    /// them.
    mutating func read(at offset: Int64, count: Int, ahead: Int) throws(StorageError) -> ArraySlice<UInt8> {
        try contents(from: offset, atLeast: count, ahead: ahead).prefix(count)
    }

    /// All bytes in memory from `offset` on, at least `count` of them unless the file ends before.
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
