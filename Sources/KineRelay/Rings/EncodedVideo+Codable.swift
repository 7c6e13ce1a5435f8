// The format of encoded video in `start`. Extensions that are older than the key `codec` know only H.264 and its two parameter
// sets. So H.264 is written as before, with the codec added, and is assumed if no codec is named.
import KineMedia

extension StreamDescription.EncodedVideo: Codable {
    private enum CodingKeys: String, CodingKey {
        case codec, size, isAdjustable
        case averageBitrate = "averageBitRate"
        /// H.264.
        case sequenceParameterSet, pictureParameterSet
        /// HEVC.
        case parameterSets
        /// AV1.
        case sequenceHeader
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let sets: VideoParameterSets =
            switch try container.decodeIfPresent(VideoCodec.self, forKey: .codec) ?? .h264 {
            case .h264:
                .h264(
                    H264ParameterSets(
                        sequence: try container.decode([UInt8].self, forKey: .sequenceParameterSet),
                        picture: try container.decode([UInt8].self, forKey: .pictureParameterSet)))
            case .hevc: .hevc(try container.decode(HEVCParameterSets.self, forKey: .parameterSets))
            case .av1: .av1(AV1SequenceHeader(unit: try container.decode([UInt8].self, forKey: .sequenceHeader)))
            }
        self.init(
            VideoFormat(parameterSets: sets, size: try container.decode(PixelSize.self, forKey: .size)),
            averageBitrate: try container.decodeIfPresent(Int.self, forKey: .averageBitrate),
            isAdjustable: try container.decodeIfPresent(Bool.self, forKey: .isAdjustable))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(format.codec, forKey: .codec)
        try container.encode(format.size, forKey: .size)
        try container.encodeIfPresent(averageBitrate, forKey: .averageBitrate)
        try container.encodeIfPresent(isAdjustable, forKey: .isAdjustable)
        switch format.parameterSets {
        case .h264(let sets):
            try container.encode(sets.sequence, forKey: .sequenceParameterSet)
            try container.encode(sets.picture, forKey: .pictureParameterSet)
        case .hevc(let sets): try container.encode(sets, forKey: .parameterSets)
        case .av1(let header): try container.encode(header.unit, forKey: .sequenceHeader)
        }
    }
}
