// AV1 in MP4 ("AV1 Codec ISO Media File Format Binding", AV1-ISOBMFF). The record repeats what the sequence header says of
// profile and format.
import KineMedia

/// What a receiver asks before it tries to decode, read from the sequence header OBU (AV1 specification, 5.5).
struct AV1Profile: Equatable {
    private(set) var profile = 0
    /// seq_level_idx of the first operating point; 8 is level 4.0.
    private(set) var level = 8
    private(set) var isHighTier = false
    private(set) var format = Format()

    /// color_config (5.5.2).
    struct Format: Equatable {
        var bits = 8
        var isMonochrome = false
        /// subsampling_x, subsampling_y and chroma_sample_position; 1 1 0 is 4:2:0 whose chroma position is unknown.
        var chroma = [1, 1, 0]
        /// Primaries, transfer and matrix as in ITU-T H.273; 2 is unspecified.
        var colour: [Int] = [1, 1, 1]
        var isFullRange = false
    }

    /// Reads a sequence header OBU. Main at level 4.0, eight bits, BT.709, where it is cut short.
    init(_ unit: [UInt8]) {
        guard let start = Self.contentStart(of: unit) else { return }
        var bits = BitReader(Array(unit[start...]))
        var read = self
        read.profile = bits.read(3)
        bits.skip(1)  // still_picture
        let isReduced = bits.readFlag()
        if isReduced {
            read.level = bits.read(5)
        } else {
            (read.level, read.isHighTier) = bits.readFirstOperatingPoint()
        }
        let (widthBits, heightBits) = (bits.read(4) + 1, bits.read(4) + 1)
        bits.skip(widthBits + heightBits)
        bits.skipTools(isReduced: isReduced)
        read.format = bits.readFormat(profile: read.profile)
        if !bits.isPastEnd { self = read }
    }

    /// Where the OBU's content begins, behind its header and size (5.3); nil where it is no sequence header.
    private static func contentStart(of unit: [UInt8]) -> Int? {
        guard let header = unit.first, header >> 3 & 15 == 1 else { return nil }
        var start = header & 4 == 0 ? 1 : 2  // with an extension
        if header & 2 != 0 {
            while start < unit.count, unit[start] & 0x80 != 0 { start += 1 }
            start += 1
        }
        return start < unit.count ? start : nil
    }

    /// AV1-ISOBMFF, 5: `av01.0.08M.08`; the colours follow where they are other than BT.709 in limited range.
    var codecsParameter: String {
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        var parts = ["av01", String(profile), digits(level) + (isHighTier ? "H" : "M"), digits(format.bits)]
        var usual = Format()
        usual.bits = format.bits
        if format != usual {
            parts.append(format.isMonochrome ? "1" : "0")
            parts.append(format.chroma.map { String($0) }.joined())
            parts += format.colour.map(digits)
            parts.append(format.isFullRange ? "1" : "0")
        }
        return parts.joined(separator: ".")
    }
}

extension BitReader {
    /// timing_info to the last operating point (5.5.1). The first point's level and tier are the stream's.
    fileprivate mutating func readFirstOperatingPoint() -> (level: Int, isHighTier: Bool) {
        var delayBits: Int?
        if readFlag() {  // timing_info_present_flag
            skip(64)
            if readFlag() { skipExponentialGolomb() }
            if readFlag() {  // decoder_model_info_present_flag
                delayBits = read(5) + 1
                skip(32 + 5 + 5)
            }
        }
        let hasDisplayDelay = readFlag()
        var first: (Int, Bool)?
        for _ in 0...read(5) {
            skip(12)  // operating_point_idc
            let level = read(5)
            let isHighTier = level > 7 && readFlag()
            if let delayBits, readFlag() { skip(2 * delayBits + 1) }
            if hasDisplayDelay, readFlag() { skip(4) }
            first = first ?? (level, isHighTier)
        }
        return first ?? (0, false)
    }

    /// frame_id_numbers_present_flag to enable_restoration (5.5.1).
    fileprivate mutating func skipTools(isReduced: Bool) {
        if !isReduced, readFlag() { skip(4 + 3) }  // lengths of frame ids
        skip(3)  // superblocks, filter_intra, intra_edge_filter
        if !isReduced {
            skip(4)
            let hasOrderHint = readFlag()
            if hasOrderHint { skip(2) }
            // Chosen for each frame, unless one value is forced on all.
            let choosesScreenTools = readFlag()
            if choosesScreenTools || readFlag() {
                if !readFlag() { skip(1) }  // seq_choose_integer_mv
            }
            if hasOrderHint { skip(3) }
        }
        skip(3)  // superres, cdef, restoration
    }

    /// color_config (5.5.2).
    fileprivate mutating func readFormat(profile: Int) -> AV1Profile.Format {
        var format = AV1Profile.Format()
        if readFlag() { format.bits = profile == 2 && readFlag() ? 12 : 10 }
        format.isMonochrome = profile != 1 && readFlag()
        format.colour = readFlag() ? [read(8), read(8), read(8)] : [2, 2, 2]
        if format.isMonochrome {
            format.isFullRange = readFlag()
        } else if format.colour == [1, 13, 0] {  // sRGB
            format.isFullRange = true
            format.chroma = [0, 0, 0]
        } else {
            format.isFullRange = readFlag()
            switch (profile, format.bits) {
            case (0, _): break
            case (1, _): format.chroma = [0, 0, 0]
            case (_, 12):
                let isHalvedAcross = readFlag()
                format.chroma = [isHalvedAcross ? 1 : 0, isHalvedAcross && readFlag() ? 1 : 0, 0]
            default: format.chroma = [1, 0, 0]
            }
            if format.chroma[1] == 1 { format.chroma[2] = read(2) }
        }
        return format
    }
}

extension BoxWriter {
    /// AV1CodecConfigurationRecord (AV1-ISOBMFF, 2.3.3).
    mutating func decoderConfigurationRecord(_ header: AV1SequenceHeader) {
        let profile = AV1Profile(header.unit)
        let format = profile.format
        integer(UInt8(0x81))  // marker, version 1
        integer(UInt8(profile.profile << 5 | profile.level))
        let flags = [
            profile.isHighTier, format.bits > 8, format.bits > 10, format.isMonochrome, format.chroma[0] == 1,
            format.chroma[1] == 1,
        ]
        integer(UInt8(flags.reduce(0) { $0 << 1 | ($1 ? 1 : 0) } << 2 | format.chroma[2]))
        integer(UInt8(0))  // no initial_presentation_delay
        append(header.unit)
    }
}
