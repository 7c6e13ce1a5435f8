// HEVC in MP4 (ISO/IEC 14496-15, clause 8). The record repeats what the sequence parameter set says of profile and format.
import KineMedia

/// What a receiver asks before it tries to decode, read from the SPS (ITU-T H.265, 7.3.2.2 and 7.3.3).
struct HEVCProfile: Equatable {
    /// The twelve bytes of the general profile, tier and level.
    private(set) var general: [UInt8] = [1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 120]
    private(set) var temporalLayers = 1
    private(set) var isTemporalIDNested = true
    /// chroma_format_idc; 1 is 4:2:0.
    private(set) var chromaFormat = 1
    private(set) var lumaBits = 8
    private(set) var chromaBits = 8

    /// Reads an SPS NAL unit. Main at level 4.0, eight bits, where it is cut short.
    init(_ unit: [UInt8]) {
        let payload = EmulationPrevention.removed(from: unit)
        guard payload.count > 15 else { return }
        var bits = BitReader(payload)
        bits.skip(16 + 4)  // the NAL unit's header, sps_video_parameter_set_id
        let subLayers = bits.read(3)
        let isNested = bits.readFlag()
        bits.skip(96)  // the general part, whole bytes
        bits.skipSubLayers(subLayers)
        bits.skipExponentialGolomb()  // sps_seq_parameter_set_id
        let chroma = bits.readExponentialGolomb()
        if chroma == 3 { bits.skip(1) }  // separate_colour_plane_flag
        bits.skipExponentialGolomb(2)  // width and height
        if bits.readFlag() { bits.skipExponentialGolomb(4) }  // conformance window
        let (luma, chromaBits) = (bits.readExponentialGolomb() + 8, bits.readExponentialGolomb() + 8)
        guard !bits.isPastEnd, chroma <= 3, luma <= 16, chromaBits <= 16 else { return }
        general = Array(payload[3..<15])
        (temporalLayers, isTemporalIDNested) = (subLayers + 1, isNested)
        (chromaFormat, lumaBits, self.chromaBits) = (chroma, luma, chromaBits)
    }

    /// ISO/IEC 14496-15, annex E.3: `hvc1.1.6.L120.90`.
    var codecsParameter: String {
        let space = ["", "A", "B", "C"][Int(general[0] >> 6)]
        let compatibility = general[1...4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var reversed: UInt32 = 0
        for bit in 0..<32 where compatibility & 1 << UInt32(bit) != 0 { reversed |= 0x8000_0000 >> UInt32(bit) }
        var constraints = general[5...10]
        while constraints.last == 0 { constraints.removeLast() }
        let parts = [
            "hvc1", space + String(general[0] & 31), String(reversed, radix: 16, uppercase: true),
            (general[0] & 32 == 0 ? "L" : "H") + String(general[11]),
        ]
        return (parts + constraints.map { String($0, radix: 16, uppercase: true) }).joined(separator: ".")
    }
}

extension BitReader {
    /// What profile_tier_level says of the sub-layers (ITU-T H.265, 7.3.3).
    fileprivate mutating func skipSubLayers(_ count: Int) {
        guard count > 0 else { return }
        let present = (0..<count).map { _ in (profile: readFlag(), level: readFlag()) }
        skip((8 - count) * 2)  // reserved_zero_2bits
        for subLayer in present { skip((subLayer.profile ? 88 : 0) + (subLayer.level ? 8 : 0)) }
    }
}

extension BoxWriter {
    /// HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1).
    mutating func decoderConfigurationRecord(_ sets: HEVCParameterSets) {
        let profile = HEVCProfile(sets.sequence)
        integer(UInt8(1))
        append(profile.general)
        integer(UInt16(0xf000))  // min_spatial_segmentation_idc: unknown
        integer(UInt8(0xfc))  // parallelismType: unknown
        integer(UInt8(0xfc | profile.chromaFormat))
        integer(UInt8(0xf8 | (profile.lumaBits - 8)))
        integer(UInt8(0xf8 | (profile.chromaBits - 8)))
        integer(UInt16(0))  // avgFrameRate: unknown
        // constantFrameRate unknown; NAL unit lengths of four bytes
        integer(UInt8(profile.temporalLayers << 3 | (profile.isTemporalIDNested ? 4 : 0) | 3))
        integer(UInt8(3))
        // All sets of each type are here, as hvc1 demands; the types are VPS, SPS and PPS.
        for (type, unit) in [(UInt8(32), sets.video), (33, sets.sequence), (34, sets.picture)] {
            integer(0x80 | type)
            integer(UInt16(1))
            networkUnit(unit)
        }
    }
}
