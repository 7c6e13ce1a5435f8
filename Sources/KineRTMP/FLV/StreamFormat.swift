// The formats of a stream, which its receivers are told before the first sample.
import KineMedia

/// The formats of a published stream, which has video, audio or both.
public struct RTMPStreamFormat: Sendable, Equatable {
    /// The format of access units as in `EncodedSample`. Every server accepts H.264; the other codecs need Enhanced RTMP.
    public struct Video: Sendable, Equatable {
        public var codec: VideoCodec
        /// The codec's decoder configuration record (`avcC`, `hvcC`, `av1C`).
        public var decoderConfiguration: [UInt8]
        /// Pixels, as shown.
        public var size: PixelSize
        /// Frames a second at most.
        public var framesPerSecond: Double
        /// Bits a second; nil if a quality was chosen instead.
        public var bitrate: Int?

        public init(
            codec: VideoCodec, decoderConfiguration: [UInt8], size: PixelSize, framesPerSecond: Double,
            bitrate: Int? = nil
        ) {
            self.codec = codec
            self.decoderConfiguration = decoderConfiguration
            self.size = size
            self.framesPerSecond = framesPerSecond
            self.bitrate = bitrate
        }
    }

    public var video: Video?
    public var audio: AudioTrackFormat?

    public init(video: Video?, audio: AudioTrackFormat?) {
        self.video = video
        self.audio = audio
    }
}
