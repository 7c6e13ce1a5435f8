// The formats of a stream from what encoders say of themselves.
import KineContainers
import KineMedia
import KineRTMP

extension RTMPStreamFormat.Video {
    /// The video of an encoder.
    /// - Parameters:
    ///   - format: the encoder's parameter sets, and the size to show.
    ///   - framesPerSecond: at most.
    ///   - bitrate: bits a second; nil if a quality was chosen instead.
    public init(_ format: VideoFormat, framesPerSecond: Double, bitrate: Int? = nil) {
        self.init(
            codec: format.codec, decoderConfiguration: format.parameterSets.decoderConfigurationRecord,
            size: format.size, framesPerSecond: framesPerSecond, bitrate: bitrate)
    }
}
