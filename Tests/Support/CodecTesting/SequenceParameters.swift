// A reading of the sequence parameter set that shares no code with the encoders.
import KineMedia
import Testing

/// The sequence parameter set as a decoder reads it (ITU-T H.264, 7.3.2.1.1 and E.1.1).
package struct SequenceParameters {
    package var profile = 0
    /// chroma_format_idc: 1 for 4:2:0, 3 for 4:4:4.
    package var chromaFormat = 1
    package var referenceFrames = 0
    package var size = PixelSize(width: 0, height: 0)
    package var isFullRange = true
    /// Primaries, transfer and matrix.
    package var colour: [Int] = []
    /// The places of the chroma samples, of both fields.
    package var chromaLocation: [Int] = []
    package var reorderedFrames: Int?
    package var bufferedFrames: Int?

    package init(_ unit: [UInt8]) throws {
        var bits = BitReader(unit)
        try #require(bits.read(8) & 31 == 7)
        profile = bits.read(8)
        _ = bits.read(16)
        _ = bits.golomb()
        if profile == 100 || profile == 244 {
            chromaFormat = bits.golomb()
            if chromaFormat == 3 { try #require(bits.read(1) == 0, "the planes of one frame") }
            _ = (bits.golomb(), bits.golomb(), bits.read(1))
            try #require(bits.read(1) == 0, "no scaling matrices")
        }
        _ = bits.golomb()
        if bits.golomb() == 0 { _ = bits.golomb() }
        referenceFrames = bits.golomb()
        _ = bits.read(1)
        let (columns, rows) = (bits.golomb() + 1, bits.golomb() + 1)
        try #require(bits.read(1) == 1, "frames only")
        _ = bits.read(1)
        var crop = [0, 0, 0, 0]
        if bits.read(1) == 1 { for index in crop.indices { crop[index] = bits.golomb() } }
        let unit = chromaFormat == 3 ? 1 : 2
        size = PixelSize(
            width: columns * 16 - unit * (crop[0] + crop[1]), height: rows * 16 - unit * (crop[2] + crop[3]))
        guard bits.read(1) == 1 else { return }
        if bits.read(1) == 1, bits.read(8) == 255 { _ = bits.read(32) }
        if bits.read(1) == 1 { _ = bits.read(1) }
        if bits.read(1) == 1 {
            _ = bits.read(3)
            isFullRange = bits.read(1) == 1
            if bits.read(1) == 1 { colour = [bits.read(8), bits.read(8), bits.read(8)] }
        }
        if bits.read(1) == 1 { chromaLocation = [bits.golomb(), bits.golomb()] }
        if bits.read(1) == 1 { _ = (bits.read(32), bits.read(32), bits.read(1)) }
        try #require(bits.read(2) == 0, "no buffering model")
        _ = bits.read(1)
        guard bits.read(1) == 1 else { return }
        _ = (bits.read(1), bits.golomb(), bits.golomb(), bits.golomb(), bits.golomb())
        reorderedFrames = bits.golomb()
        bufferedFrames = bits.golomb()
    }

    private struct BitReader {
        private let bytes: [UInt8]
        private var position = 0

        /// Leaves out the bytes that keep start codes from appearing (ITU-T H.264, 7.4.1).
        init(_ unit: [UInt8]) {
            var zeros = 0
            bytes = unit.filter { byte in
                if zeros >= 2, byte == 3 {
                    zeros = 0
                    return false
                }
                zeros = byte == 0 ? zeros + 1 : 0
                return true
            }
        }

        mutating func read(_ count: Int) -> Int {
            var value = 0
            for _ in 0..<count {
                let byte = position / 8 < bytes.count ? bytes[position / 8] : 0
                value = value << 1 | Int(byte >> UInt8(7 - position % 8) & 1)
                position += 1
            }
            return value
        }

        /// An unsigned Exp-Golomb code (9.1).
        mutating func golomb() -> Int {
            var zeros = 0
            while zeros < 32, read(1) == 0 { zeros += 1 }
            return (1 << zeros) - 1 + read(zeros)
        }
    }
}
