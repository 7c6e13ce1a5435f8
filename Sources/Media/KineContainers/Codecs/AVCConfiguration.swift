// H.264 in MP4 (ISO/IEC 14496-15, clause 5).
import KineMedia

extension H264ParameterSets {
    /// Profile, constraint flags and level, the bytes behind the SPS's header; High at level 4.0 where there are none.
    fileprivate var profile: [UInt8] { sequence.count >= 4 ? Array(sequence[1...3]) : [100, 0, 40] }

    /// Six hexadecimal digits (RFC 6381, 3.3).
    var codecsParameter: String {
        "avc1." + profile.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension ColourFormat.Chroma {
    /// chroma_format_idc (ITU-T H.264, table 6-1).
    fileprivate var formatIdentifier: UInt8 {
        switch self {
        case .yuv420: 1
        case .yuv444: 3
        }
    }
}

extension BoxWriter {
    /// AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1.2). Frames have eight bits.
    mutating func decoderConfigurationRecord(_ sets: H264ParameterSets) {
        let profile = sets.profile
        integer(UInt8(1))
        append(profile)
        integer(UInt8(0xff))  // NAL unit lengths of four bytes
        integer(UInt8(0xe1))  // one SPS
        networkUnit(sets.sequence)
        integer(UInt8(1))  // one PPS
        networkUnit(sets.picture)
        if ![66, 77, 88].contains(profile[0]) {  // Baseline, Main and Extended
            integer(0xfc | (sets.colour ?? .standard).chroma.formatIdentifier)
            integer(UInt8(0xf8))  // eight bits of luma
            integer(UInt8(0xf8))  // and of chroma
            integer(UInt8(0))  // no SPS extensions
        }
    }

    /// A NAL unit behind its length, as both AVC's and HEVC's records hold it.
    mutating func networkUnit(_ unit: [UInt8]) {
        integer(UInt16(clamping: unit.count))
        append(unit)
    }
}
