// Reads the syntax elements of parameter sets and sequence headers.

/// Reads bits from the most significant on. Bits past the end are zero.
package struct BitReader {
    private let bytes: [UInt8]
    /// Counts bits from the first byte's most significant one.
    package private(set) var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether no bit is left.
    package var isPastEnd: Bool { position >= bytes.count * 8 }

    /// Whether bits are left before the stop bit and its trailing zeros (more_rbsp_data(), ITU-T H.264, 7.2).
    package var hasMoreData: Bool {
        guard let last = bytes.lastIndex(where: { $0 != 0 }) else { return false }
        return position < last * 8 + 7 - bytes[last].trailingZeroBitCount
    }

    package mutating func skip(_ count: Int) { position += count }

    /// The next `count` bits, at most 63, as one number.
    package mutating func read(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            let byte = position >> 3 < bytes.count ? bytes[position >> 3] : 0
            value = value << 1 | Int(byte >> UInt8(7 - position & 7) & 1)
            position += 1
        }
        return value
    }

    package mutating func readFlag() -> Bool { read(1) == 1 }

    /// ue(v) of ITU-T H.264 and H.265, 9.1 and 9.2; uvlc() of AV1, 4.10.3.
    package mutating func readExponentialGolomb() -> Int {
        var zeros = 0
        while zeros < 31, !isPastEnd, read(1) == 0 { zeros += 1 }
        return (1 << zeros) - 1 + read(zeros)
    }

    package mutating func skipExponentialGolomb(_ count: Int = 1) {
        for _ in 0..<count { _ = readExponentialGolomb() }
    }
}
