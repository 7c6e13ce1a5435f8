// Builds boxes in memory (ISO/IEC 14496-12, 4.2): big-endian fields, and a size that is filled in when a box is closed.

/// Bytes that grow at the end.
struct BoxWriter {
    private(set) var bytes: [UInt8] = []

    mutating func box(_ type: FourCharacterCode, _ body: (inout BoxWriter) -> Void) {
        let start = bytes.count
        integer(UInt32(0))
        code(type)
        body(&self)
        fill(UInt32(bytes.count - start), at: start)
    }

    /// Writes a box that begins with a version and 24 flags (ISO/IEC 14496-12, 4.2.2).
    mutating func fullBox(
        _ type: FourCharacterCode, version: UInt8 = 0, flags: UInt32 = 0, _ body: (inout BoxWriter) -> Void
    ) {
        box(type) {
            $0.integer(UInt32(version) << 24 | flags)
            body(&$0)
        }
    }

    mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// A time or a duration: 64 bits in a version 1 box, 32 in a version 0 box.
    mutating func integer(_ value: UInt64, wide: Bool) {
        if wide { integer(value) } else { integer(UInt32(clamping: value)) }
    }

    mutating func code(_ code: FourCharacterCode) { integer(code.rawValue) }

    mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    mutating func append(_ other: [UInt8]) { bytes.append(contentsOf: other) }

    /// Overwrites four earlier bytes.
    mutating func fill(_ value: UInt32, at offset: Int) {
        withUnsafeBytes(of: value.bigEndian) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }
    }

    mutating func reserveCapacity(_ count: Int) { bytes.reserveCapacity(count) }
}

/// A four-letter name of ISO/IEC 14496-12, as one big-endian integer: box types, brands, handlers.
struct FourCharacterCode: Hashable, Sendable, ExpressibleByStringLiteral {
    var rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(stringLiteral value: StaticString) {
        rawValue = value.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
}
