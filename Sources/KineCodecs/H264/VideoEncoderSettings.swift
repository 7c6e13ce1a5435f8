// What a video encoder is told before its first picture.
import KineMedia

/// How an encoder is set up. The defaults suit text on a desktop.
public struct VideoEncoderSettings: Sendable, Equatable {
    public enum RateControl: Sendable, Equatable {
        /// One quantiser for all P pictures (0…51, lower is better). The cheapest mode x264 has, since it needs no look
        /// at the picture before coding it.
        case constantQuantizer(Int)
        /// Bits a second, on average over seconds.
        case averageBitrate(Int)
    }

    /// How much may come at most, for a network that takes no more.
    public struct Peak: Sendable, Equatable {
        /// Bits a second, over more than a fraction of a second.
        public var bitrate: Int
        /// Bytes that one access unit may have; nil: what comes in half a second.
        public var accessUnit: Int?
        /// Pictures a second, where they are limited so that fewer bits come: each gets what it would get at the nominal rate,
        /// not what the time between them lets through. nil: no limit.
        public var frameRate: Double?

        public init(bitrate: Int, accessUnit: Int? = nil, frameRate: Double? = nil) {
            self.bitrate = bitrate
            self.accessUnit = accessUnit
            self.frameRate = frameRate
        }
    }

    /// Both sides even.
    public var size: PixelSize
    /// With a peak, a quantizer is the finest, and an average no more than the peak.
    public var rateControl: RateControl
    /// nil: pictures become as large as they are. Only an encoder that is opened with a peak can be given another one.
    public var peak: Peak?
    /// What the rate control assumes between two pictures when it cannot know better. Pictures may come at any time.
    public var nominalFrameRate: Int
    /// The most frames from one keyframe to the next; nil: the caller asks for keyframes itself.
    public var keyframeFrames: Int?
    /// Worker threads inside x264. One costs the least processor time and memory.
    public var threads: Int
    /// Tell x264 which macroblocks are as they were.
    public var usesMacroblockInfo: Bool

    public init(
        size: PixelSize, rateControl: RateControl, peak: Peak? = nil, nominalFrameRate: Int,
        keyframeFrames: Int? = nil, threads: Int = 1, usesMacroblockInfo: Bool = true
    ) {
        self.size = size
        self.rateControl = rateControl
        self.peak = peak
        self.nominalFrameRate = nominalFrameRate
        self.keyframeFrames = keyframeFrames
        self.threads = threads
        self.usesMacroblockInfo = usesMacroblockInfo
    }
}
