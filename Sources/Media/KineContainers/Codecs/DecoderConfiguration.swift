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

// Whether bytes can be an encoded frame: after a power cut, a recording may hold zeros or old data where samples should be.
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
    /// An OBU with a size field (AV1 specification, 5.3); false where its header is not possible in a sample.
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
