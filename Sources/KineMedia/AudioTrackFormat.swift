// The parameters that a decoder needs before the first audio sample.

/// An audio track of a take: AAC-LC.
public struct AudioTrackFormat: Hashable, Sendable {
    public var type: SampleType
    /// Samples a second; also the track's timescale.
    public var sampleRate: Int
    public var channels: Int
    /// The bits a second that the encoder was asked for.
    public var bitrate: Int
    /// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    public var audioSpecificConfig: [UInt8]
    /// Samples a channel in one access unit.
    public var samplesPerAccessUnit: Int
    /// Samples a channel that the encoder puts before the first captured one. Players leave them out.
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
