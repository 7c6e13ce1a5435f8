// AV1 in MP4 ("AV1 Codec ISO Media File Format Binding", AV1-ISOBMFF). The record repeats the profile
// of the sequence header.
import KineMedia

/// Profile, tier and level, by which a receiver knows whether it can decode. Read from the sequence header OBU (AV1
/// specification, 5.5.1).
struct AV1Profile {
    private(set) var profile = 0
    /// seq_level_idx of the first operating point; 8 is level 4.0.
    private(set) var level = 8
    private(set) var isHighTier = false

    /// Reads a sequence header OBU. Main at level 4.0 if it is cut short, or that of a still picture.
    init(_ unit: [UInt8]) {
        guard let start = Self.contentStart(of: unit) else { return }
        var bits = BitReader(Array(unit[start...]))
        var read = self
        read.profile = bits.read(3)
        bits.skip(1)  // still_picture
        if bits.readFlag() { return }  // reduced_still_frame_header
        bits.skipTiming()
        // initial_display_delay_present_flag, operating_points_cnt_minus_1, and the first point's operating_point_idc
        bits.skip(1 + 5 + 12)
        read.level = bits.read(5)
        read.isHighTier = read.level > 7 && bits.readFlag()
        if !bits.isPastEnd { self = read }
    }

    /// The index of the OBU's content, behind its header and size (5.3); nil if it is no sequence header.
    private static func contentStart(of unit: [UInt8]) -> Int? {
        guard let header = unit.first, header >> 3 & 15 == 1 else { return nil }
        var start = header & 4 == 0 ? 1 : 2  // with an extension
        if header & 2 != 0 {
            while start < unit.count, unit[start] & 0x80 != 0 { start += 1 }
            start += 1
        }
        return start < unit.count ? start : nil
    }

    /// AV1-ISOBMFF, 5: `av01.0.08M.08`. Colours that are left out are eight bits of 4:2:0 by BT.709, as encoders get their
    /// frames.
    var codecsParameter: String {
        "av01.\(profile).\(level < 10 ? "0" : "")\(level)\(isHighTier ? "H" : "M").08"
    }
}

extension BitReader {
    /// timing_info and decoder_model_info (5.5.3, 5.5.4).
    fileprivate mutating func skipTiming() {
        guard readFlag() else { return }  // timing_info_present_flag
        skip(64)
        if readFlag() { skipExponentialGolomb() }  // equal_frame_interval
        if readFlag() { skip(5 + 32 + 5 + 5) }  // decoder_model_info_present_flag
    }
}

extension BoxWriter {
    /// AV1CodecConfigurationRecord (AV1-ISOBMFF, 2.3.3).
    mutating func decoderConfigurationRecord(_ header: AV1SequenceHeader) {
        let profile = AV1Profile(header.unit)
        integer(UInt8(0x81))  // marker, version 1
        integer(UInt8(profile.profile << 5 | profile.level))
        // Eight bits of 4:2:0, as encoders get their frames; the chroma samples' position is unknown.
        integer(UInt8((profile.isHighTier ? 0x80 : 0) | 0x0c))
        integer(UInt8(0))  // no initial_presentation_delay
        append(header.unit)
    }
}
