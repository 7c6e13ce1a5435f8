// HEVC in MP4 (ISO/IEC 14496-15, clause 8). The record repeats the profile of the sequence parameter set.
import KineMedia

/// Profile, tier and level, by which a receiver knows whether it can decode. They lie at fixed places of the SPS (ITU-T H.265,
/// 7.3.2.2 and 7.3.3).
struct HEVCProfile {
    /// The twelve bytes of the general profile, tier and level.
    private(set) var general: [UInt8] = [1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 120]
    private(set) var temporalLayers: UInt8 = 1
    private(set) var isTemporalIDNested = true

    /// Reads an SPS NAL unit. Main at level 4.0 where it is cut short.
    init(_ unit: [UInt8]) {
        let payload = EmulationPrevention.removed(from: unit)
        guard payload.count > 15 else { return }
        // Behind the NAL unit's header: four bits of id, three of layers, and one.
        temporalLayers = (payload[2] >> 1 & 7) + 1
        isTemporalIDNested = payload[2] & 1 == 1
        general = Array(payload[3..<15])
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

extension BoxWriter {
    /// HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1).
    mutating func decoderConfigurationRecord(_ sets: HEVCParameterSets) {
        let profile = HEVCProfile(sets.sequence)
        integer(UInt8(1))
        append(profile.general)
        integer(UInt16(0xf000))  // min_spatial_segmentation_idc: unknown
        integer(UInt8(0xfc))  // parallelismType: unknown
        integer(UInt8(0xfd))  // chroma_format 4:2:0, as encoders get their frames
        integer(UInt8(0xf8))  // eight bits of luma
        integer(UInt8(0xf8))  // and of chroma
        integer(UInt16(0))  // avgFrameRate: unknown
        // constantFrameRate unknown; NAL unit lengths of four bytes
        integer(profile.temporalLayers << 3 | (profile.isTemporalIDNested ? 4 : 0) | 3)
        integer(UInt8(3))
        // All sets of each type are here, as hvc1 demands; the types are VPS, SPS and PPS.
        for (type, unit) in [(UInt8(32), sets.video), (33, sets.sequence), (34, sets.picture)] {
            integer(0x80 | type)
            integer(UInt16(1))
            networkUnit(unit)
        }
    }
}
