// Describes a video codec to containers and receivers: its configuration record and its name in media types.
import KineMedia

extension VideoParameterSets {
    /// The decoder configuration record of the codec's ISO format: the content of `avcC`, `hvcC` or `av1C`. Enhanced
    /// RTMP and WebCodecs use the same bytes.
    public var decoderConfigurationRecord: [UInt8] {
        var writer = BoxWriter()
        writer.decoderConfigurationRecord(self)
        return writer.bytes
    }

    /// The codec with its profile and level, as the `codecs` parameter of a media type (RFC 6381, 3.3): `avc1.640028`.
    public var codecsParameter: String {
        switch self {
        case .h264(let sets): sets.codecsParameter
        case .hevc(let sets): HEVCProfile(sets.sequence).codecsParameter
        case .av1(let header): AV1Profile(header.unit).codecsParameter
        }
    }
}

extension BoxWriter {
    mutating func decoderConfigurationRecord(_ sets: VideoParameterSets) {
        switch sets {
        case .h264(let sets): decoderConfigurationRecord(sets)
        case .hevc(let sets): decoderConfigurationRecord(sets)
        case .av1(let header): decoderConfigurationRecord(header)
        }
    }
}

extension VideoCodec {
    /// The type of the box that holds the configuration record in a sample entry.
    var configurationBox: FourCharacterCode {
        switch self {
        case .h264: "avcC"
        case .hevc: "hvcC"
        case .av1: "av1C"
        }
    }

    /// The codec of a sample entry, a whole box; nil if the codec is another one or the box is cut off.
    init?(sampleEntry: [UInt8]) {
        var reader = BoxReader(sampleEntry)
        guard (try? reader.skip(4)) != nil, let type = try? reader.code() else { return nil }
        self.init(fourCharacterCode: type.rawValue)
    }
}

// Checks whether bytes can be an encoded frame: after a power cut, a recording may contain zeros or old data instead.
extension VideoCodec {
    /// Whether units of this codec fill `sample` exactly, each with a possible header.
    func isAccessUnit(_ sample: ArraySlice<UInt8>) -> Bool {
        var reader = BoxReader(sample)
        while reader.remaining > 0 {
            guard (try? skipUnit(&reader)) == true else { return false }
        }
        return !sample.isEmpty
    }

    private func skipUnit(_ reader: inout BoxReader) throws(MalformedBox) -> Bool {
        if self == .av1 { return try reader.skipOpenBitstreamUnit() }
        let length = Int(try reader.integer(UInt32.self))
        let header = reader.rest().prefix(2)
        try reader.skip(length)
        guard length > 0, let first = header.first, let second = header.last, first & 0x80 == 0 else { return false }
        // ITU-T H.264, 7.3.1: there is no type 0. H.265, 7.3.1.2: a header has two bytes, and no temporal id plus 1 is 0.
        return self == .h264 ? first & 0x1f != 0 : length >= 2 && second & 7 != 0
    }
}

extension BoxReader {
    /// Skips an OBU with a size field (AV1 specification, 5.3); false if a sample cannot contain its header.
    fileprivate mutating func skipOpenBitstreamUnit() throws(MalformedBox) -> Bool {
        let header = try integer(UInt8.self)
        // Forbidden and reserved bits are 0; a sample has no temporal delimiters (type 2), and type 0 is reserved.
        guard header & 0x83 == 2, header >> 3 != 0, header >> 3 != 2 else { return false }
        if header & 4 != 0 { try skip(1) }
        var (size, shift) = (0, 0)
        while true {
            let byte = try integer(UInt8.self)
            size |= Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { break }
            shift += 7
            guard shift < 35 else { return false }
        }
        try skip(size)
        return true
    }
}

// MARK: H.264 (ISO/IEC 14496-15, clause 5)

extension H264ParameterSets {
    /// Profile, constraint flags and level, the bytes after the SPS's header; High at level 4.0 if they are missing.
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

    /// A NAL unit with its length before it, as in the records of AVC and HEVC.
    mutating func networkUnit(_ unit: [UInt8]) {
        integer(UInt16(clamping: unit.count))
        append(unit)
    }
}

// MARK: HEVC (ISO/IEC 14496-15, clause 8): the record repeats the profile of the sequence parameter set

/// Profile, tier and level, by which a receiver decides whether it can decode. They have fixed places in the SPS (ITU-T
/// H.265, 7.3.2.2 and 7.3.3).
struct HEVCProfile {
    /// The twelve bytes of the general profile, tier and level.
    private(set) var general: [UInt8] = [1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 120]
    private(set) var temporalLayers: UInt8 = 1
    private(set) var isTemporalIDNested = true

    /// Reads an SPS NAL unit. Main at level 4.0 if it is cut off.
    init(_ unit: [UInt8]) {
        let payload = EmulationPrevention.removed(from: unit)
        guard payload.count > 15 else { return }
        // After the NAL unit's header: four bits of id, three of layers, and one.
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
        integer(UInt8(0xfd))  // chroma_format 4:2:0, the format of the encoders' frames
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

// MARK: AV1 ("AV1 Codec ISO Media File Format Binding"): the record repeats the profile of the sequence header

/// Profile, tier and level, by which a receiver decides whether it can decode. Read from the sequence header OBU (AV1
/// specification, 5.5.1).
struct AV1Profile {
    private(set) var profile = 0
    /// seq_level_idx of the first operating point; 8 is level 4.0.
    private(set) var level = 8
    private(set) var isHighTier = false

    /// Reads a sequence header OBU. Main at level 4.0 if it is cut off, or belongs to a still picture.
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

    /// The index of the OBU's content, after its header and size (5.3); nil if it is not a sequence header.
    private static func contentStart(of unit: [UInt8]) -> Int? {
        guard let header = unit.first, header >> 3 & 15 == 1 else { return nil }
        var start = header & 4 == 0 ? 1 : 2  // with an extension
        if header & 2 != 0 {
            while start < unit.count, unit[start] & 0x80 != 0 { start += 1 }
            start += 1
        }
        return start < unit.count ? start : nil
    }

    /// AV1-ISOBMFF, 5: `av01.0.08M.08`. Without colours, it means eight bits of 4:2:0 by BT.709, the encoders' format.
    var codecsParameter: String {
        "av01.\(profile).\(level < 10 ? "0" : "")\(level)\(isHighTier ? "H" : "M").08"
    }
}

extension BitReader {
    /// Skips timing_info and decoder_model_info (5.5.3, 5.5.4).
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
        // Eight bits of 4:2:0, the format of the encoders' frames; the chroma samples' position is unknown.
        integer(UInt8((profile.isHighTier ? 0x80 : 0) | 0x0c))
        integer(UInt8(0))  // no initial_presentation_delay
        append(header.unit)
    }
}
