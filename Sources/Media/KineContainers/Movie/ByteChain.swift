// Long tables in blocks instead of long arrays: growing copies nothing, and an index of many megabytes is never copied
// into one array.

/// A table of big-endian 32-bit numbers that grows at the end.
struct IntegerTable {
    private(set) var blocks: [[UInt8]] = []
    /// Bytes in all blocks.
    private(set) var byteCount = 0

    private static let blockSize = 64 << 10

    mutating func append(_ value: UInt32) {
        if byteCount % Self.blockSize == 0 {
            // The whole block at once: growing by halves would fragment memory. Unwritten pages cost none.
            var block: [UInt8] = []
            block.reserveCapacity(Self.blockSize)
            blocks.append(block)
        }
        withUnsafeBytes(of: value.bigEndian) { blocks[blocks.count - 1].append(contentsOf: $0) }
        byteCount += 4
    }
}

/// Runs of bytes in order, shared with their owners.
struct ByteChain {
    private(set) var parts: [[UInt8]] = []
    private(set) var count = 0

    init() {}

    init(_ bytes: [UInt8]) { append(bytes) }

    init(_ table: IntegerTable) { (parts, count) = (table.blocks, table.byteCount) }

    /// A box around `content`, with `prefix` (a full box's version and flags, a table's entry count) before it.
    init(box type: FourCharacterCode, prefix: [UInt32] = [], _ content: ByteChain) {
        var header = BoxWriter()
        header.integer(UInt32(clamping: 8 + 4 * prefix.count + content.count))
        header.code(type)
        for word in prefix { header.integer(word) }
        append(header.bytes)
        append(content)
    }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        parts.append(bytes)
        count += bytes.count
    }

    mutating func append(_ other: ByteChain) {
        parts.append(contentsOf: other.parts)
        count += other.count
    }

    /// Passes all bytes on in order, with small parts joined to about a megabyte.
    func forEachPiece<Failure>(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        var piece: [UInt8] = []
        for part in parts {
            piece.append(contentsOf: part)
            if piece.count >= 1 << 20 {
                try body(piece)
                piece.removeAll(keepingCapacity: true)
            }
        }
        if !piece.isEmpty { try body(piece) }
    }
}
