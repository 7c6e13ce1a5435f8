// Without `b_vfr_input`, x264 writes into the sequence parameter set that the frame rate is fixed. Kinecast's is not, and
// players may rely on it, so one bit has to be cleared.
import KineMedia

package enum VariableRateSPS {
    /// `unit`, an SPS NAL unit without start code, with fixed_frame_rate_flag cleared (ITU-T H.264, E.1.1). Returned
    /// unchanged where it has no timing information or uses syntax that x264 does not write.
    package static func clearingFixedFrameRate(_ unit: [UInt8]) -> [UInt8] {
        var payload = EmulationPrevention.removed(from: unit)
        guard let position = fixedFrameRateFlag(in: payload), position >> 3 < payload.count else { return unit }
        payload[position >> 3] &= ~(0x80 >> UInt8(position & 7))
        return EmulationPrevention.added(to: payload)
    }

    /// The position of the flag in bits from the NAL unit's first (7.3.2.1.1 and E.1.1).
    package static func fixedFrameRateFlag(in payload: [UInt8]) -> Int? {
        var bits = BitReader(payload)
        guard bits.skipSequenceParameters(), bits.readFlag() else { return nil }  // vui_parameters_present_flag
        bits.skipPresentation()
        guard bits.readFlag() else { return nil }  // timing_info_present_flag
        bits.skip(64)  // num_units_in_tick, time_scale
        return bits.isPastEnd ? nil : bits.position
    }
}

extension BitReader {
    /// Everything before the VUI (7.3.2.1.1). False where there is syntax that neither x264 nor OpenH264 writes.
    mutating func skipSequenceParameters() -> Bool {
        skip(8)  // the NAL unit's header
        let profile = read(8)
        skip(16)  // constraint flags, level
        skipExponentialGolomb()  // seq_parameter_set_id
        if profile == 100 {
            guard readExponentialGolomb() != 3 else { return false }  // chroma_format_idc
            skipExponentialGolomb(2)  // bit depths
            skip(1)  // qpprime_y_zero_transform_bypass_flag
            guard !readFlag() else { return false }  // seq_scaling_matrix_present_flag
        }
        skipExponentialGolomb()  // log2_max_frame_num_minus4
        switch readExponentialGolomb() {  // pic_order_cnt_type
        case 0: skipExponentialGolomb()
        case 2: break
        default: return false
        }
        skipExponentialGolomb()  // max_num_ref_frames
        skip(1)  // gaps_in_frame_num_value_allowed_flag
        skipExponentialGolomb(2)  // size in macroblocks
        if !readFlag() { skip(1) }  // frame_mbs_only_flag, mb_adaptive_frame_field_flag
        skip(1)  // direct_8x8_inference_flag
        if readFlag() { skipExponentialGolomb(4) }  // frame cropping
        return true
    }

    /// The VUI up to its timing (E.1.1).
    mutating func skipPresentation() {
        skipColour()
        if readFlag() { skipExponentialGolomb(2) }  // chroma sample locations
    }

    /// The VUI up to the flag of the chroma samples' locations (E.1.1).
    mutating func skipColour() {
        if readFlag(), read(8) == 255 { skip(32) }  // aspect ratio, Extended_SAR
        if readFlag() { skip(1) }  // overscan
        if readFlag() {  // video signal type
            skip(4)
            if readFlag() { skip(24) }  // colour description
        }
    }
}
