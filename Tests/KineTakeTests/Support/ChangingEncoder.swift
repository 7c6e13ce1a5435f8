// x264 that changes the size of its frames, and with it their parameter sets, in the middle of a take.
import KineCodecs
import KineMedia
import KineX264

/// Encodes `run` frames whole, then as many without their right half, then whole again, and so on.
final class ChangingEncoder: VideoEncoder {
    static let codec = VideoCodec.h264
    static let run = 15

    let settings: VideoEncoderSettings
    private var encoder: X264Encoder
    private var count = 0

    init(_ settings: VideoEncoderSettings, continuing other: ChangingEncoder?) throws(VideoEncoderError) {
        self.settings = settings
        encoder = try X264Encoder(settings, continuing: other?.encoder)
    }

    /// The size of a frame, counted from 0, of a take whose frames have that size.
    static func size(ofFrame frame: Int, _ size: PixelSize) -> PixelSize {
        frame / run % 2 == 0 ? size : PixelSize(width: size.width / 2, height: size.height)
    }

    var format: VideoFormat? { encoder.format }
    func follow(_ other: ChangingEncoder) { encoder.follow(other.encoder) }
    func setPeak(_ peak: VideoEncoderSettings.Peak) -> Bool { encoder.setPeak(peak) }
    func drain(output: (VideoEncoderOutput) -> Void) throws(VideoEncoderError) {}

    func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool,
        output: (VideoEncoderOutput) -> Void
    ) throws(VideoEncoderError) {
        let size = Self.size(ofFrame: count, settings.size)
        count += 1
        let changes = size != encoder.settings.size
        if changes {
            var settings = settings
            settings.size = size
            encoder = try X264Encoder(settings, continuing: encoder)
            if let format { output(.format(format)) }
        }
        try encoder.encode(
            frame.part(PixelRect(size: size)), changed: .full(size: size), at: time,
            forceKeyframe: forceKeyframe || changes, output: output)
    }
}
