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
