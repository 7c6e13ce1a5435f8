// The syntax elements of H.264 that an encoder needs to continue another encoder's stream (ITU-T H.264, 7.3). Their
// bytes may be damaged.
import KineMedia

/// The fields of an SPS that a slice header, or x264, needs (7.3.2.1.1 and E.1.1).
package struct H264SequenceParameters: Equatable {
    package var level: Int
    /// seq_parameter_set_id.
    package var identifier: Int
    package var colour: ColourFormat
    var frameNumberBits: Int
    /// For the nominal frame rate: `timeScale` is twice the frames in `unitsInTick` seconds (E.2.1).
    package var unitsInTick: Int
    package var timeScale: Int

    /// Nil for syntax that x264 does not write: other profiles, interlaced frames, reordered frames.
    package init?(_ unit: [UInt8]) {
        guard unit.count < 1024, unit.first.map({ $0 & 31 }) == 7 else { return nil }
        var bits = BitReader(EmulationPrevention.removed(from: unit))
        bits.skip(8)
        let profile = bits.read(8)
        bits.skip(8)
        level = bits.read(8)
        identifier = bits.readExponentialGolomb()
        guard let chroma = bits.readChroma(profile: profile) else { return nil }
        frameNumberBits = bits.readExponentialGolomb() + 4
        guard frameNumberBits <= 16, bits.readExponentialGolomb() == 2 else { return nil }  // pic_order_cnt_type
        bits.skipExponentialGolomb()  // max_num_ref_frames
        bits.skip(1)
        bits.skipExponentialGolomb(2)  // size in macroblocks
        guard bits.readFlag() else { return nil }  // frame_mbs_only_flag
        bits.skip(1)  // direct_8x8_inference_flag
        if bits.readFlag() { bits.skipExponentialGolomb(4) }  // frame cropping
        guard bits.readFlag() else { return nil }  // vui_parameters_present_flag
        colour = ColourFormat(chroma: chroma, isFullRange: bits.readColour())
        if bits.readFlag() { bits.skipExponentialGolomb(2) }  // chroma sample locations
        guard bits.readFlag() else { return nil }  // timing_info_present_flag
        (unitsInTick, timeScale) = (bits.read(32), bits.read(32))
        guard unitsInTick > 0, timeScale > 1, !bits.isPastEnd else { return nil }
    }
}

/// The fields of a PPS that a slice header, or x264, needs (7.3.2.2).
package struct H264PictureParameters: Equatable {
    package var usesCABAC: Bool
    package var usesLargeTransform = false
    var initialQuantizer: Int
    package var chromaOffset: Int

    /// Nil for syntax that x264 does not write.
    package init?(_ unit: [UInt8]) {
        guard unit.count < 1024, unit.first.map({ $0 & 31 }) == 8 else { return nil }
        var bits = BitReader(EmulationPrevention.removed(from: unit))
        bits.skip(8)
        bits.skipExponentialGolomb(2)  // ids
        usesCABAC = bits.readFlag()
        // bottom_field_pic_order_in_frame_present_flag, num_slice_groups_minus1
        guard !bits.readFlag(), bits.readExponentialGolomb() == 0 else { return nil }
        bits.skipExponentialGolomb(2)  // default numbers of references
        guard bits.read(3) == 0 else { return nil }  // weighted_pred_flag, weighted_bipred_idc
        initialQuantizer = 26 + bits.readSignedExponentialGolomb()
        bits.skipExponentialGolomb()  // pic_init_qs_minus26
        chromaOffset = bits.readSignedExponentialGolomb()
        // deblocking_filter_control_present_flag; constrained_intra_pred_flag, redundant_pic_cnt_present_flag
        guard bits.readFlag(), bits.read(2) == 0 else { return nil }
        usesLargeTransform = bits.hasMoreData && bits.readFlag()
    }
}

/// The header of an access unit's first slice (7.3.3).
public struct H264SliceHeader: Equatable, Sendable {
    /// idr_pic_id, which differs in consecutive IDR frames; nil in other frames.
    public var idrIdentifier: Int?
    /// The quantizer at the start of the slice, 0…51.
    public var quantizer: Int
    public var isDeblocked: Bool

    /// Reads an access unit with four-byte lengths before its NAL units. Nil if it, or a parameter set, has syntax that
    /// x264 does not write here.
    public init?(accessUnit: [UInt8], _ sets: H264ParameterSets) {
        guard let sequence = H264SequenceParameters(sets.sequence), let picture = H264PictureParameters(sets.picture),
            let unit = Self.firstSlice(accessUnit)
        else { return nil }
        var bits = BitReader(EmulationPrevention.removed(from: unit))
        bits.skip(1)
        let isReference = bits.read(2) != 0
        let isIDR = bits.read(5) == 5
        bits.skipExponentialGolomb()  // first_mb_in_slice
        let isPredicted = bits.readExponentialGolomb() % 5 == 0
        bits.skipExponentialGolomb()  // pic_parameter_set_id
        bits.skip(sequence.frameNumberBits)
        idrIdentifier = isIDR ? bits.readExponentialGolomb() : nil
        if isPredicted {
            if bits.readFlag() { bits.skipExponentialGolomb() }  // num_ref_idx_active_override_flag
            guard !bits.readFlag() else { return nil }  // ref_pic_list_modification_flag_l0
        }
        if isReference {  // dec_ref_pic_marking (7.3.3.3)
            if isIDR { bits.skip(2) } else if bits.readFlag() { return nil }
        }
        if picture.usesCABAC, isPredicted { bits.skipExponentialGolomb() }  // cabac_init_idc
        quantizer = picture.initialQuantizer + bits.readSignedExponentialGolomb()
        isDeblocked = bits.readExponentialGolomb() != 1
        guard 0...51 ~= quantizer, !bits.isPastEnd else { return nil }
    }

    /// The first bytes of the first slice, with its header.
    private static func firstSlice(_ accessUnit: [UInt8]) -> [UInt8]? {
        var position = 0
        while accessUnit.count - position > 4 {
            let length = accessUnit[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            position += 4
            guard 1...accessUnit.count - position ~= length else { return nil }
            let type = accessUnit[position] & 31
            if type == 1 || type == 5 { return Array(accessUnit[position..<position + min(length, 64)]) }
            position += length
        }
        return nil
    }
}

extension BitReader {
    /// se(v) (9.1.1).
    fileprivate mutating func readSignedExponentialGolomb() -> Int {
        let value = readExponentialGolomb()
        return value % 2 == 1 ? (value + 1) / 2 : -value / 2
    }
}

// OpenH264 has no setting for the location of chroma samples. Without it, players assume the left edge of each four
// pixels, which moves the colours of text by half a pixel.
enum ChromaLocationSPS {
    /// `unit`, an SPS NAL unit without start code, with chroma samples in the middle of four pixels (ITU-T H.264,
    /// E.1.1, figure E-1: type 1). Unchanged if it is not 4:2:0, has a location, no VUI or unknown syntax.
    static func insertingMiddle(_ unit: [UInt8]) -> [UInt8] {
        let payload = EmulationPrevention.removed(from: unit)
        var bits = payload.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
        var reader = BitReader(payload)
        // vui_parameters_present_flag comes next.
        guard reader.readSequenceParameters() == .yuv420, reader.readFlag() else { return unit }
        _ = reader.readColour()
        let flag = reader.position
        guard let end = bits.lastIndex(of: 1), flag < end, bits[flag] == 0 else { return unit }
        bits.removeSubrange(end...)  // rbsp_trailing_bits (7.3.2.11)
        let type: [UInt8] = [0, 1, 0]  // ue(v) of 1
        bits.replaceSubrange(flag...flag, with: [1] + type + type)
        bits.append(1)
        while bits.count % 8 != 0 { bits.append(0) }
        let changed = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
        return EmulationPrevention.added(to: changed)
    }
}

// Without `b_vfr_input`, x264 writes that the frame rate is fixed. Kinecast's is not, and players may rely on that
// flag, so it is cleared.
package enum VariableRateSPS {
    /// `unit`, an SPS NAL unit without start code, with fixed_frame_rate_flag cleared (ITU-T H.264, E.1.1). Unchanged
    /// if it has no timing information, or syntax that x264 does not write.
    package static func clearingFixedFrameRate(_ unit: [UInt8]) -> [UInt8] {
        var payload = EmulationPrevention.removed(from: unit)
        guard let position = fixedFrameRateFlag(in: payload), position >> 3 < payload.count else { return unit }
        payload[position >> 3] &= ~(0x80 >> UInt8(position & 7))
        return EmulationPrevention.added(to: payload)
    }

    /// The position of the flag, in bits from the start of the NAL unit (7.3.2.1.1 and E.1.1).
    package static func fixedFrameRateFlag(in payload: [UInt8]) -> Int? {
        var bits = BitReader(payload)
        guard bits.readSequenceParameters() != nil, bits.readFlag() else { return nil }  // vui_parameters_present_flag
        bits.skipPresentation()
        guard bits.readFlag() else { return nil }  // timing_info_present_flag
        bits.skip(64)  // num_units_in_tick, time_scale
        return bits.isPastEnd ? nil : bits.position
    }
}
