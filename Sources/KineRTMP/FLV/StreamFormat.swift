// What a stream carries, as its receivers have to be told before the first sample.

/// The formats of a published stream. Each of the two may be missing.
public struct RTMPStreamFormat: Sendable, Equatable {
    /// How pictures are coded.
    public enum VideoCodec: Sendable, Equatable {
        /// Access units of H.264 behind four-byte lengths. Every server takes them.
        case h264
        /// Access units of HEVC behind four-byte lengths. Enhanced RTMP only.
        case hevc
        /// Temporal units of AV1 without temporal delimiters, OBUs with their sizes. Enhanced RTMP only.
        case av1

        /// The name in Enhanced RTMP ("FourCC"); H.264 is sent in the form that all servers know.
        public var fourCharacterCode: String {
            switch self {
            case .h264: "avc1"
            case .hevc: "hvc1"
            case .av1: "av01"
            }
        }
    }

    public struct Video: Sendable, Equatable {
        public var codec: VideoCodec
        /// The record of the codec's ISO format: AVC-, HEVC- or AV1 codec configuration record (`avcC`, `hvcC`, `av1C`).
        public var decoderConfiguration: [UInt8]
        /// Pixels, as shown.
        public var width: Int
        public var height: Int
        /// Pictures a second at most.
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
