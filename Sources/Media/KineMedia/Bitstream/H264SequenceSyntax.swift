// The syntax of H.264's sequence parameter set that the encoders here use (ITU-T H.264, 7.3.2.1.1 and E.1.1).

extension H264ParameterSets {
    /// The sample format in the SPS, which decoders use whatever a container says. Nil if the SPS is damaged, or has
    /// other chroma than 4:2:0 and 4:4:4.
    public var colour: ColourFormat? {
        guard sequence.count < 1024, sequence.first.map({ $0 & 31 }) == 7 else { return nil }
        var bits = BitReader(EmulationPrevention.removed(from: sequence))
        guard let chroma = bits.readSequenceParameters() else { return nil }
        let isFullRange = bits.readFlag() && bits.readColour()  // vui_parameters_present_flag
        return bits.isPastEnd ? nil : ColourFormat(chroma: chroma, isFullRange: isFullRange)
    }
}

extension VideoParameterSets {
    /// The sample format; the standard one if the parameter sets are not understood, or belong to another codec.
    public var colour: ColourFormat {
        switch self {
        case .h264(let sets): sets.colour ?? .standard
        case .hevc, .av1: .standard
        }
    }
}

extension BitReader {
    /// The profiles whose SPS has the elements from chroma_format_idc to the scaling matrix.
    private static let profilesWithChroma = [44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]

    /// Reads everything before the VUI. Returns the chroma; nil for syntax that neither x264 nor OpenH264 writes.
    package mutating func readSequenceParameters() -> ColourFormat.Chroma? {
        skip(8)  // the NAL unit's header
        let profile = read(8)
        skip(16)  // constraint flags, level
        skipExponentialGolomb()  // seq_parameter_set_id
        guard let chroma = readChroma(profile: profile) else { return nil }
        skipExponentialGolomb()  // log2_max_frame_num_minus4
        switch readExponentialGolomb() {  // pic_order_cnt_type
        case 0: skipExponentialGolomb()
        case 2: break
        default: return nil
        }
        skipExponentialGolomb()  // max_num_ref_frames
        skip(1)  // gaps_in_frame_num_value_allowed_flag
        skipExponentialGolomb(2)  // size in macroblocks
        if !readFlag() { skip(1) }  // frame_mbs_only_flag, mb_adaptive_frame_field_flag
        skip(1)  // direct_8x8_inference_flag
        if readFlag() { skipExponentialGolomb(4) }  // frame cropping
        return chroma
    }

    /// Reads the elements that only some profiles have. Returns the chroma: 4:2:0 in other profiles; nil as above.
    package mutating func readChroma(profile: Int) -> ColourFormat.Chroma? {
        guard Self.profilesWithChroma.contains(profile) else { return .yuv420 }
        let chroma: ColourFormat.Chroma
        switch readExponentialGolomb() {  // chroma_format_idc
        case 1: chroma = .yuv420
        case 3:
            chroma = .yuv444
            guard !readFlag() else { return nil }  // separate_colour_plane_flag
        default: return nil
        }
        guard readExponentialGolomb() == 0, readExponentialGolomb() == 0 else { return nil }  // bit depths less 8
        skip(1)  // qpprime_y_zero_transform_bypass_flag
        return readFlag() ? nil : chroma  // seq_scaling_matrix_present_flag
    }

    /// Skips the VUI up to its timing.
    package mutating func skipPresentation() {
        _ = readColour()
        if readFlag() { skipExponentialGolomb(2) }  // chroma sample locations
    }

    /// Reads the VUI up to the flag of the chroma samples' locations. Returns whether the range is full.
    package mutating func readColour() -> Bool {
        if readFlag(), read(8) == 255 { skip(32) }  // aspect ratio, Extended_SAR
        if readFlag() { skip(1) }  // overscan
        guard readFlag() else { return false }  // video signal type
        skip(3)  // video_format
        let isFullRange = readFlag()
        if readFlag() { skip(24) }  // colour description
        return isFullRange
    }
}
