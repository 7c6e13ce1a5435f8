// Reads and writes integers in network order, as in all of RTMP except the message stream id.

/// A position in bytes. Reading past the end returns nil.
struct ByteReader: Sendable {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var count: Int { rest.count }

    func peek() -> UInt8? { rest.first }

    mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        let size = Integer.bitWidth / 8
        guard rest.count >= size else { return nil }
        var value: Integer = 0
        for byte in rest.prefix(size) { value = value << 8 | Integer(truncatingIfNeeded: byte) }
        rest = rest.dropFirst(size)
        return value
    }

    /// Reads 24 bits.
    mutating func integer24() -> UInt32? {
        guard let bytes = bytes(3) else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func bytes(_ length: Int) -> ArraySlice<UInt8>? {
        guard length >= 0, rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends the low 24 bits.
    mutating func append(bigEndian24 value: UInt32) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0.dropFirst()) }
    }

    mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
