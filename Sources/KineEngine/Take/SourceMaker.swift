// From what a client asked for to the source that shows it, and to the encoder's settings.
import KineCapture
import KineCodecs
import KineControl
import KineMedia
import KinePlatform

enum SourceMaker {
    /// Opens the picture source. Called on the capture thread, which then owns it. `cancellation` ends what it waits for.
    static func make(
        _ configuration: TakeConfiguration, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSource {
        let cursor = configuration.video.showsCursor
        switch configuration.source {
        case .screen(let monitor):
            return try X11ScreenSource(
                target: .screen(monitor: monitor), showsCursor: cursor, cancellation: cancellation)
        case .region(let rect):
            return try X11ScreenSource(target: .region(rect), showsCursor: cursor, cancellation: cancellation)
        case .window(let id):
            return try X11ScreenSource(target: .window(id), showsCursor: cursor, cancellation: cancellation)
        case .virtual:
            return try X11ScreenSource(target: .screen(monitor: nil), showsCursor: cursor, cancellation: cancellation)
        case .pattern(let size):
            return PatternSource(size: size, framesPerSecond: configuration.video.framesPerSecond)
        }
    }

    /// `size` is the coded picture's: both sides even.
    static func encoderSettings(_ configuration: TakeConfiguration, size: PixelSize) -> VideoEncoderSettings {
        let video = configuration.video
        let rate: VideoEncoderSettings.RateControl =
            switch video.rateControl {
            case .constantQuality(let quality): .constantQuantizer(quality)
            case .averageBitrate(let bits): .averageBitrate(bits)
            case .bitsPerSecondPerPixel(let bits): .averageBitrate(Int(bits * Double(size.area)))
            }
        return VideoEncoderSettings(
            size: size, rateControl: rate, nominalFrameRate: video.framesPerSecond,
            keyframeFrames: video.keyframeFrames,
            // One thread codes 1080p at 60; past that the picture needs both the time and the memory of more.
            threads: size.area * video.framesPerSecond > 2560 * 1440 * 60 ? 4 : 1,
            usesMacroblockInfo: configuration.optimizations.macroblockInfo)
    }
}
