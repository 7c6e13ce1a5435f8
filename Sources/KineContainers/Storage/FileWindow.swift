// A stretch of a file in memory: looking at neighbouring places reads each byte about once, however often it is looked at.

/// Bytes of one file, up to `end`. Meant for places that only move forward.
struct FileWindow {
    private let file: any StorageFile
    private let end: Int64
    private var start: Int64 = 0
    private var bytes: [UInt8] = []

    init(file: any StorageFile, end: Int64) {
        self.file = file
        self.end = end
    }

    /// Up to `count` bytes at `offset`; fewer only where the file ends. Where they are not there yet, `ahead` more are read
    /// with them.
    mutating func read(at offset: Int64, count: Int, ahead: Int) throws(StorageError) -> ArraySlice<UInt8> {
        try contents(from: offset, atLeast: count, ahead: ahead).prefix(count)
    }

    /// All bytes from `offset` on that are there, at least `count` of them unless the file ends before.
    mutating func contents(from offset: Int64, atLeast count: Int, ahead: Int) throws(StorageError) -> ArraySlice<UInt8>
    {
        let wanted = min(Int64(count), end - offset)
        guard wanted > 0 else { return [] }
        if offset < start || offset + wanted > start + Int64(bytes.count) {
            bytes = []  // given back first: two stretches are never held
            bytes = try file.read(at: offset, count: Int(min(Int64(count) + Int64(ahead), end - offset)))
            start = offset
        }
        return bytes[Int(offset - start)...]
    }
}
