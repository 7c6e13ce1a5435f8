// The parameters that a decoder needs before the first frame.

/// H.264's parameter sets, each a NAL unit without start code or length (ITU-T H.264, 7.3.2.1 and 7.3.2.2).
public struct H264ParameterSets: Hashable, Sendable {
    public var sequence: [UInt8]
    public var picture: [UInt8]

    public init(sequence: [UInt8], picture: [UInt8]) {
        self.sequence = sequence
        self.picture = picture
    }
}

/// HEVC's parameter sets, each a NAL unit without start code or length (ITU-T H.265, 7.3.2.1 to 7.3.2.3).
public struct HEVCParameterSets: Hashable, Sendable, Codable {
    public var video: [UInt8]
    public var sequence: [UInt8]
    public var picture: [UInt8]

    public init(video: [UInt8], sequence: [UInt8], picture: [UInt8]) {
        self.video = video
        self.sequence = sequence
        self.picture = picture
    }
}

/// AV1's sequence header: the whole OBU, its header and size field included (AV1 specification, 5.3 and 5.5).
public struct AV1SequenceHeader: Hashable, Sendable {
    public var unit: [UInt8]

    public init(unit: [UInt8]) { self.unit = unit }
}

/// A codec, and the parameter sets that its decoder needs.
public enum VideoParameterSets: Hashable, Sendable {
    case h264(H264ParameterSets)
    case hevc(HEVCParameterSets)
    case av1(AV1SequenceHeader)

    public var codec: VideoCodec {
        switch self {
        case .h264: .h264
        case .hevc: .hevc
        case .av1: .av1
        }
    }
}

/// The video track of a take.
public struct VideoFormat: Hashable, Sendable {
    public var parameterSets: VideoParameterSets
    /// The size to show, in pixels. May be odd: the coded frame is then one wider or higher, and the sample entry crops it.
    public var size: PixelSize

    public init(parameterSets: VideoParameterSets, size: PixelSize) {
        self.parameterSets = parameterSets
        self.size = size
    }

    public var codec: VideoCodec { parameterSets.codec }
}
