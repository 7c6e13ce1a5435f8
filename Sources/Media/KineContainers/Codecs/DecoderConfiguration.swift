// A video codec for containers and receivers: its configuration record and its name in media types.
import KineMedia

extension VideoParameterSets {
    /// The decoder configuration record of the codec's ISO format: the content of `avcC`, `hvcC` or `av1C`. Enhanced RTMP and
    /// WebCodecs take the same bytes.
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

    /// The codec of a sample entry, a whole box; nil where it is another codec's or cut short.
    init?(sampleEntry: [UInt8]) {
        var reader = BoxReader(sampleEntry)
        guard (try? reader.skip(4)) != nil, let type = try? reader.code() else { return nil }
        self.init(fourCharacterCode: type.rawValue)
    }
}
