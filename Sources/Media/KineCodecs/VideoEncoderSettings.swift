// The settings of a video encoder.
import KineMedia

/// The settings of a video encoder. The defaults suit text on a desktop.
public struct VideoEncoderSettings: Sendable, Equatable {
    /// A choice between constant quality and a constant bitrate.
    public enum RateControl: Sendable, Equatable {
        /// One quantizer for all P frames (0…51, lower is better). The cheapest mode: frames are not analysed first.
        case constantQuantizer(Int)
        /// Bits a second, on average over seconds.
        case averageBitrate(Int)
    }

    /// The limits of a network.
    public struct Peak: Sendable, Equatable {
        /// Bits a second, over more than a fraction of a second.
        public var bitrate: Int
        /// The most bytes of an access unit; nil: the bytes of half a second.
        public var accessUnit: Int?
        /// The frames a second if the frame rate is reduced to save bits. A frame then gets the bits of one interval of
        /// the nominal rate, not those of the whole time since the last frame.
        public var frameRate: Double?

        public init(bitrate: Int, accessUnit: Int? = nil, frameRate: Double? = nil) {
            self.bitrate = bitrate
            self.accessUnit = accessUnit
            self.frameRate = frameRate
        }
    }

    /// Both sides even.
    public var size: PixelSize
    /// The sample format of the frames, which the parameter sets state.
    public var colour: ColourFormat
    /// With a peak, quantizers are no finer than the constant one, and the average is no higher than the peak.
    public var rateControl: RateControl
    /// Nil: the encoder's own settings for text on a desktop, about as fast as `veryfast`.
    public var preset: EncoderPreset?
    /// nil: no limit. Only an encoder that was opened with a peak accepts another one.
    public var peak: Peak?
    /// Frames a second that the rate control assumes. Frames may come at any time.
    public var nominalFrameRate: Int
    /// The most frames from one keyframe to the next; nil: only the caller requests keyframes.
    public var keyframeFrames: Int?
    /// Worker threads of the encoder. One costs the least processor time and memory.
    public var threads: Int
    /// Whether to tell the encoder which macroblocks have not changed.
    public var usesMacroblockInfo: Bool

    public init(
        size: PixelSize, colour: ColourFormat = .standard, rateControl: RateControl, preset: EncoderPreset? = nil,
        peak: Peak? = nil, nominalFrameRate: Int, keyframeFrames: Int? = nil, threads: Int = 1,
        usesMacroblockInfo: Bool = true
    ) {
        self.size = size
        self.colour = colour
        self.rateControl = rateControl
        self.preset = preset
        self.peak = peak
        self.nominalFrameRate = nominalFrameRate
        self.keyframeFrames = keyframeFrames
        self.threads = threads
        self.usesMacroblockInfo = usesMacroblockInfo
    }
}
