// Makes encoded frames without an encoder: H.264 with uncompressed macroblocks (I_PCM), so that tests can send a
// handler access units that a decoder accepts.
import KineMedia

/// Frames that change at each keyframe only. Section numbers refer to ITU-T H.264.
struct PatternStream {
    let format: VideoFormat
    private let columns: Int
    private let rows: Int
    /// Frames since the last keyframe.
    private var frame = 0
    private var keyframes = 0

    /// `size` must be small: the lowest level, 1, allows 99 macroblocks (table A-1).
    init(size: PixelSize) {
        columns = (size.width + 15) / 16
        rows = (size.height + 15) / 16
        var sps = BitWriter(header: 0x67)
        sps.put(0x42C0, bits: 16)  // constrained baseline (A.2.1.1)
        sps.put(columns * rows <= 99 ? 10 : 52, bits: 8)
        sps.golomb([0, 0, 2, 1])  // id, four bits of frame_num, order as decoded, one reference
        sps.put(0, bits: 1)
        sps.golomb([columns - 1, rows - 1])
        sps.put(0b11, bits: 2)  // frames only
        let right = (columns * 16 - size.width) / 2
        let bottom = (rows * 16 - size.height) / 2
        sps.put(right + bottom > 0 ? 1 : 0, bits: 1)
        if right + bottom > 0 { sps.golomb([0, right, 0, bottom]) }
        sps.put(0, bits: 1)  // no VUI
        var pps = BitWriter(header: 0x68)
        pps.golomb([0, 0])
        pps.put(0, bits: 2)  // CAVLC
        pps.golomb([0, 0, 0])
        pps.put(0, bits: 3)
        pps.golomb([0, 0, 0])
        pps.put(0b100, bits: 3)  // slices say whether they are deblocked
        format = VideoFormat(
            parameterSets: .h264(H264ParameterSets(sequence: sps.finish(), picture: pps.finish())), size: size)
    }

    /// The next access unit.
    mutating func next(isKeyframe: Bool) -> [UInt8] {
        if isKeyframe { frame = 0 }
        var slice = BitWriter(header: isKeyframe ? 0x65 : 0x41)
        slice.golomb([0, isKeyframe ? 7 : 5, 0])  // first macroblock, slice type (7.4.3), parameter set
        slice.put(frame & 15, bits: 4)
        if isKeyframe {
            slice.golomb([keyframes & 1])
            slice.put(0, bits: 2)
            slice.golomb([0, 1])  // quantizer as in the parameter set; not deblocked
            for macroblock in 0..<columns * rows {
                slice.golomb([25])  // I_PCM (table 7-11)
                slice.align()
                let luma = UInt8(16 + (macroblock * 8 + keyframes * 16) % 220)
                slice.put(bytes: luma, count: 256)
                slice.put(bytes: 128, count: 128)
            }
            keyframes += 1
        } else {
            slice.put(0, bits: 3)
            slice.golomb([0, 1])
            slice.golomb([columns * rows])  // all of them skipped
        }
        frame += 1
        let unit = slice.finish()
        let length = UInt32(unit.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + unit
    }
}

/// Writes the bits of a NAL unit.
private struct BitWriter {
    private let header: UInt8
    private var bytes: [UInt8] = []
    private var free = 0

    init(header: UInt8) { self.header = header }

    mutating func put(_ value: Int, bits: Int) {
        for bit in (0..<bits).reversed() {
            if free == 0 {
                bytes.append(0)
                free = 8
            }
            free -= 1
            bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(free)
        }
    }

    /// Unsigned Exp-Golomb codes (9.1).
    mutating func golomb(_ values: [Int]) {
        for value in values {
            let bits = Int.bitWidth - (value + 1).leadingZeroBitCount
            put(0, bits: bits - 1)
            put(value + 1, bits: bits)
        }
    }

    mutating func align() { free = 0 }

    mutating func put(bytes value: UInt8, count: Int) { bytes.append(contentsOf: repeatElement(value, count: count)) }

    /// The unit with its trailing bits and emulation prevention (7.3.1).
    mutating func finish() -> [UInt8] {
        put(1, bits: 1)
        var unit = [header]
        var zeros = 0
        for byte in bytes {
            if zeros >= 2, byte <= 3 {
                unit.append(3)
                zeros = 0
            }
            unit.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return unit
    }
}
