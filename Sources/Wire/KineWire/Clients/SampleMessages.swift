// A client's request for the samples of a take, and what its engine tells it about them. The samples go through memory whose
// descriptors come with `SampleFeedMessage.start`, as an extension's do.
import KineMedia
import KineRings

/// The samples that a client wants, as a service's manifest says it.
public struct SampleRequest: Codable, Sendable, Equatable {
    public enum Video: Codable, Sendable, Equatable {
        /// `maximumSize`: larger frames are scaled down to fit, their shape kept; nil: the take's own size.
        /// `framesPerSecond`: at most so many; nil: the take's own. `shape`: nil: all of the take's picture, as it is.
        /// `orientation`: nil: `upright`; `source` cannot be beside a shape that turns the picture.
        case raw(
            pixelFormat: PixelFormat, maximumSize: PixelSize? = nil, framesPerSecond: Int? = nil,
            shape: FrameShape? = nil, orientation: FrameOrientation? = nil)
        /// The camera that is shown over the picture, whichever it is, as it sees: frames of BGRA that it fits into, the rest of them
        /// black. The sides are even. Nothing comes while no camera is shown.
        case camera(size: PixelSize)
        /// Access units of the take's encoder. `keyframeInterval`: at most so many seconds between keyframes while the screen changes.
        case encoded(codec: VideoCodec, keyframeInterval: Double? = nil)
    }

    /// Nil: no frames.
    public var video: Video?
    /// Nil: not this audio.
    public var appAudio: AudioCodec?
    public var micAudio: AudioCodec?

    public var wantsAudio: Bool { appAudio != nil || micAudio != nil }

    public init(video: Video? = nil, appAudio: AudioCodec? = nil, micAudio: AudioCodec? = nil) {
        self.video = video
        self.appAudio = appAudio
        self.micAudio = micAudio
    }
}

/// What an engine tells a client about the samples that it asked for.
public enum SampleFeedMessage: Codable, Sendable, Equatable {
    /// Once, before the first sample, unless `failed` comes instead. Its descriptors are in the order of
    /// `ExtensionRequest.start`'s.
    case start(StreamDescription)
    /// After everything up to that position.
    case pause(after: StreamPosition)
    case resume(after: StreamPosition)
    /// After everything up to that position there is nothing more: the take is over.
    case finish(after: StreamPosition)
    /// There are none, or no more; one sentence.
    case failed(String)
}
