// A part of a file in memory, so that reading neighbouring places reads each byte of the file about once.

/// Bytes of one file, up to `end`. Meant for offsets that only grow.
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
