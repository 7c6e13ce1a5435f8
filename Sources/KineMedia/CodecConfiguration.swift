// What a decoder must know before the first sample.

/// H.264's parameter sets, each a NAL unit without start code or length.
public struct H264ParameterSets: Hashable, Sendable {
    public var sequence: [UInt8]
    public var picture: [UInt8]

    public init(sequence: [UInt8], picture: [UInt8]) {
        self.sequence = sequence
        self.picture = picture
    }
}

/// The picture track of a take.
public struct VideoFormat: Hashable, Sendable {
    public var parameterSets: H264ParameterSets
    /// The size to show, in pixels. May be odd: the coded picture is then one wider or higher, and the sample entry crops it.
    public var size: PixelSize

    public init(parameterSets: H264ParameterSets, size: PixelSize) {
        self.parameterSets = parameterSets
        self.size = size
    }
}

/// A sound track of a take: AAC-LC.
public struct AudioTrackFormat: Hashable, Sendable {
    public var type: SampleType
    /// Samples a second; also the track's timescale.
    public var sampleRate: Int
    public var channels: Int
    /// Bits a second the encoder was asked for.
    public var bitrate: Int
    /// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    public var audioSpecificConfig: [UInt8]
    /// Samples a channel in one access unit.
    public var samplesPerAccessUnit: Int
    /// Samples a channel at the start that the encoder made up and a player must leave out.
    public var primingSamples: Int

    public init(
        type: SampleType, sampleRate: Int, channels: Int, bitrate: Int, audioSpecificConfig: [UInt8],
        samplesPerAccessUnit: Int, primingSamples: Int
    ) {
        self.type = type
        self.sampleRate = sampleRate
        self.channels = channels
        self.bitrate = bitrate
        self.audioSpecificConfig = audioSpecificConfig
        self.samplesPerAccessUnit = samplesPerAccessUnit
        self.primingSamples = primingSamples
    }
}
