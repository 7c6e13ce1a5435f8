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
        guard bits.readSequenceParameters() != nil, bits.readFlag() else { return nil }  // vui_parameters_present_flag
        bits.skipPresentation()
        guard bits.readFlag() else { return nil }  // timing_info_present_flag
        bits.skip(64)  // num_units_in_tick, time_scale
        return bits.isPastEnd ? nil : bits.position
    }
}
