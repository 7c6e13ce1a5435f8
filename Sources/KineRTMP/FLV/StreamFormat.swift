// What a stream carries: what its receivers are told before the first sample.
import KineMedia

/// The formats of a published stream, which has video, audio or both.
public struct RTMPStreamFormat: Sendable, Equatable {
    /// Access units as `EncodedSample` has them. Every server takes H.264; the other codecs need Enhanced RTMP.
    public struct Video: Sendable, Equatable {
        public var codec: VideoCodec
        /// The record of the codec's ISO format: AVC-, HEVC- or AV1 codec configuration record (`avcC`, `hvcC`, `av1C`).
        public var decoderConfiguration: [UInt8]
        /// Pixels, as shown.
        public var width: Int
        public var height: Int
        /// Frames a second at most.
        public var framesPerSecond: Double
        /// Bits a second; nil where only the quality was chosen.
        public var bitrate: Int?

        public init(
            codec: VideoCodec, decoderConfiguration: [UInt8], width: Int, height: Int, framesPerSecond: Double,
            bitrate: Int? = nil
        ) {
            self.codec = codec
            self.decoderConfiguration = decoderConfiguration
            self.width = width
            self.height = height
            self.framesPerSecond = framesPerSecond
            self.bitrate = bitrate
        }
    }

    /// AAC-LC.
    public struct Audio: Sendable, Equatable {
        /// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
        public var specificConfiguration: [UInt8]
        /// Samples a second.
        public var sampleRate: Int
        public var channels: Int
        /// Bits a second.
        public var bitrate: Int

        public init(specificConfiguration: [UInt8], sampleRate: Int, channels: Int, bitrate: Int) {
            self.specificConfiguration = specificConfiguration
            self.sampleRate = sampleRate
            self.channels = channels
            self.bitrate = bitrate
        }
    }

    public var video: Video?
    public var audio: Audio?

    public init(video: Video?, audio: Audio?) {
        self.video = video
        self.audio = audio
    }
}
