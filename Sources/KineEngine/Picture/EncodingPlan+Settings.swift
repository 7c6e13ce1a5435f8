// From what a client asked for to the settings of the first encoder.
import KineCodecs
import KineControl
import KineMedia

extension EncodingPlan {
    /// `size` is the coded frame's: both sides even.
    static func encoderSettings(_ configuration: TakeConfiguration, size: PixelSize) -> VideoEncoderSettings {
        let video = configuration.video
        let rate: VideoEncoderSettings.RateControl =
            switch video.rateControl {
            case .constantQuality(let quality): .constantQuantizer(quality)
            case .averageBitrate(let bits): .averageBitrate(bits)
            case .bitsPerSecondPerPixel(let bits): .averageBitrate(Int(bits * Double(size.area)))
            }
        return VideoEncoderSettings(
            size: size, rateControl: rate, preset: video.preset, nominalFrameRate: video.framesPerSecond,
            keyframeFrames: video.keyframeFrames,
            // One thread codes 1080p at 60; past that a frame needs both the time and the memory of more.
            threads: size.area * video.framesPerSecond > 2560 * 1440 * 60 ? 4 : 1,
            usesMacroblockInfo: configuration.optimizations.macroblockInfo)
    }
}
