// x264 without `b_vfr_input` writes into the sequence parameter set that the frame rate is fixed. Kinecast's is not, and
// players may believe it; one bit has to be cleared.

enum VariableRateSPS {
    /// `unit`, an SPS NAL unit without start code, with fixed_frame_rate_flag cleared (ITU-T H.264, E.1.1). Returned as it
    /// is where it has no timing information or uses syntax that x264 does not write.
    static func clearingFixedFrameRate(_ unit: [UInt8]) -> [UInt8] {
        var payload = removingEmulationPrevention(unit)
        guard let position = fixedFrameRateFlag(in: payload), position >> 3 < payload.count else { return unit }
        payload[position >> 3] &= ~(0x80 >> UInt8(position & 7))
        return addingEmulationPrevention(payload)
    }

    /// The place of the flag in bits from the NAL unit's first (7.3.2.1.1 and E.1.1).
    static func fixedFrameRateFlag(in payload: [UInt8]) -> Int? {
        var bits = BitCursor(payload)
        bits.skip(8)  // the NAL unit's header
        let profile = bits.read(8)
        bits.skip(16)  // constraint flags, level
        bits.skipExponentialGolomb()  // seq_parameter_set_id
        if profile == 100 {
            guard bits.readExponentialGolomb() != 3 else { return nil }  // chroma_format_idc
            bits.skipExponentialGolomb(2)  // bit depths
            bits.skip(1)  // qpprime_y_zero_transform_bypass_flag
            guard bits.read(1) == 0 else { return nil }  // seq_scaling_matrix_present_flag
        }
        bits.skipExponentialGolomb()  // log2_max_frame_num_minus4
        switch bits.readExponentialGolomb() {  // pic_order_cnt_type
        case 0: bits.skipExponentialGolomb()
        case 2: break
        default: return nil
        }
        bits.skipExponentialGolomb()  // max_num_ref_frames
        bits.skip(1)  // gaps_in_frame_num_value_allowed_flag
        bits.skipExponentialGolomb(2)  // size in macroblocks
        if bits.read(1) == 0 { bits.skip(1) }  // frame_mbs_only_flag, mb_adaptive_frame_field_flag
        bits.skip(1)  // direct_8x8_inference_flag
        if bits.read(1) == 1 { bits.skipExponentialGolomb(4) }  // frame cropping
        guard bits.read(1) == 1 else { return nil }  // vui_parameters_present_flag
        if bits.read(1) == 1, bits.read(8) == 255 { bits.skip(32) }  // aspect ratio, Extended_SAR
        if bits.read(1) == 1 { bits.skip(1) }  // overscan
        if bits.read(1) == 1 {  // video signal type
            bits.skip(4)
            if bits.read(1) == 1 { bits.skip(24) }  // colour description
        }
        if bits.read(1) == 1 { bits.skipExponentialGolomb(2) }  // chroma sample locations
        guard bits.read(1) == 1 else { return nil }  // timing_info_present_flag
        bits.skip(64)  // num_units_in_tick, time_scale
        return bits.isPastEnd ? nil : bits.position
    }

    /// 7.4.1.1: three bytes 0 0 x with x < 4 carry a 3 before x.
    static func removingEmulationPrevention(_ unit: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in unit {
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }

    static func addingEmulationPrevention(_ payload: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in payload {
            if zeros >= 2 && byte < 4 {
                result.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }
}

/// Reads bits from the most significant on; past the end they are zero.
private struct BitCursor {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isPastEnd: Bool { position >= bytes.count * 8 }

    mutating func skip(_ count: Int) { position += count }

    mutating func read(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            let byte = position >> 3 < bytes.count ? bytes[position >> 3] : 0
            value = value << 1 | Int(byte >> UInt8(7 - position & 7) & 1)
            position += 1
        }
        return value
    }

    /// ue(v), 9.1.
    mutating func readExponentialGolomb() -> Int {
        var zeros = 0
        while zeros < 31, !isPastEnd, read(1) == 0 { zeros += 1 }
        return (1 << zeros) - 1 + read(zeros)
    }

    mutating func skipExponentialGolomb(_ count: Int = 1) {
        for _ in 0..<count { _ = readExponentialGolomb() }
    }
}
