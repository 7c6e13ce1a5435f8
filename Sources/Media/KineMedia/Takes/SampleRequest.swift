// The samples of a take that a service wants, as its manifest says, or an app.

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

/// The samples that a service's manifest asks for.
public struct SampleRequirements: Sendable, Equatable {
    /// Frames, uncompressed or as the take's encoder made them.
    public enum Video: Sendable, Equatable {
        /// `maximumSize`: larger frames are scaled down to fit, their shape kept; nil: the take's own size.
        /// `framesPerSecond`: at most so many; nil: the take's own. `shape`: nil: all of the take's picture, as it is.
        /// `orientation`: with `source`, that of `shape` is not looked at.
        case raw(
            pixelFormat: PixelFormat, maximumSize: PixelSize?, framesPerSecond: Int?, shape: FrameShape? = nil,
            orientation: FrameOrientation = .upright)
        /// Access units as the recording gets them. `keyframeInterval`: at most so many seconds between keyframes while the
        /// screen changes. `codec` is "h264".
        case encoded(codec: String, keyframeInterval: Double?, expecting: Expectations = Expectations())
    }

    /// The demands of a service's far end on encoded frames; nil: none.
    public struct Expectations: Sendable, Equatable {
        /// The most bits a second at 1920x1080 and 30 frames a second; other sizes and rates get more or less accordingly.
        public var maximumBitrate: Int?
        /// The most bytes of one access unit.
        public var maximumAccessUnit: Int?
        /// Frames a second while the screen stands still; nil: about one.
        public var stillFramesPerSecond: Int?

        public init(maximumBitrate: Int? = nil, maximumAccessUnit: Int? = nil, stillFramesPerSecond: Int? = nil) {
            self.maximumBitrate = maximumBitrate
            self.maximumAccessUnit = maximumAccessUnit
            self.stillFramesPerSecond = stillFramesPerSecond
        }
    }

    /// Nil: no frames.
    public var video: Video?
    /// Nil: not this audio.
    public var appAudio: AudioCodec?
    public var micAudio: AudioCodec?

    public init(video: Video? = nil, appAudio: AudioCodec? = nil, micAudio: AudioCodec? = nil) {
        self.video = video
        self.appAudio = appAudio
        self.micAudio = micAudio
    }

    /// The demands of the far end on encoded frames; nil: it takes none.
    package var expectations: Expectations? {
        guard case .encoded(_, _, let expectations) = video else { return nil }
        return expectations
    }

    package var wantsEncodedVideo: Bool {
        if case .encoded = video { return true }
        return false
    }

    /// The longest time that is wanted between keyframes.
    package var keyframeInterval: MediaTime? {
        guard case .encoded(_, let seconds?, _) = video else { return nil }
        return .seconds(max(0.1, seconds))
    }
}

extension SampleRequirements {
    /// An app's request. The camera's frames are left out: a feed of its own has them.
    package init(_ request: SampleRequest) {
        let video = request.video.flatMap { video -> Video? in
            switch video {
            case .camera: nil
            case .raw(let pixelFormat, let maximumSize, let framesPerSecond, let shape, let orientation):
                .raw(
                    pixelFormat: pixelFormat, maximumSize: maximumSize, framesPerSecond: framesPerSecond, shape: shape,
                    orientation: orientation ?? .upright)
            case .encoded(let codec, let interval): .encoded(codec: codec.rawValue, keyframeInterval: interval)
            }
        }
        self.init(video: video, appAudio: request.appAudio, micAudio: request.micAudio)
    }
}
