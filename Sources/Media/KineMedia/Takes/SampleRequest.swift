// Requests for samples of a take: of a service, by its manifest, and of an app.

/// The samples that a client requests, in the form of a service's manifest.
public struct SampleRequest: Codable, Sendable, Equatable {
    public enum Video: Codable, Sendable, Equatable {
        /// `maximumSize`: larger frames are scaled down to fit, their shape kept; nil: the take's own size.
        /// `framesPerSecond`: at most this many; nil: the take's own. `shape`: nil: the take's whole picture,
        /// unchanged. `orientation`: nil: `upright`; `source` is invalid with a shape that turns the picture.
        case raw(
            pixelFormat: PixelFormat, maximumSize: PixelSize? = nil, framesPerSecond: Int? = nil,
            shape: FrameShape? = nil, orientation: FrameOrientation? = nil)
        /// The current camera's own picture: BGRA frames with even sides into which it fits, the rest black. There are
        /// no frames while no camera is shown.
        case camera(size: PixelSize)
        /// The take's access units. `keyframeInterval`: the most seconds between keyframes while the screen changes.
        /// `followsFormat`: the format of the samples may change at a keyframe; otherwise the samples end there.
        case encoded(codec: VideoCodec, keyframeInterval: Double? = nil, followsFormat: Bool? = nil)
    }

    public var video: Video?
    /// Nil: without this audio.
    public var appAudio: AudioCodec?
    public var micAudio: AudioCodec?

    public init(video: Video? = nil, appAudio: AudioCodec? = nil, micAudio: AudioCodec? = nil) {
        self.video = video
        self.appAudio = appAudio
        self.micAudio = micAudio
    }
}

/// The samples that a service's manifest requests.
public struct SampleRequirements: Sendable, Equatable {
    /// Frames, uncompressed or as the take's encoder made them.
    public enum Video: Sendable, Equatable {
        /// `maximumSize`: larger frames are scaled down to fit, their shape kept; nil: the take's own size.
        /// `framesPerSecond`: at most this many; nil: the take's own. `shape`: nil: the take's whole picture,
        /// unchanged. `orientation`: with `source`, the orientation of `shape` is ignored.
        case raw(
            pixelFormat: PixelFormat, maximumSize: PixelSize?, framesPerSecond: Int?, shape: FrameShape? = nil,
            orientation: FrameOrientation = .upright)
        /// The recording's access units. `codecs`: those that the service accepts, in the order of its preference; not
        /// empty. `keyframeInterval`: the most seconds between keyframes while the screen changes.
        case encoded(codecs: [VideoCodec], keyframeInterval: Double?, expecting: Expectations = Expectations())
    }

    /// A service's limits for encoded frames, and what it can follow.
    public struct Expectations: Sendable, Equatable {
        /// The most bits a second at 1920x1080 and 30 frames a second; scaled for other sizes and rates.
        public var maximumBitrate: Int?
        /// The most bytes of one access unit.
        public var maximumAccessUnit: Int?
        /// Frames a second while the screen does not change; nil: about one.
        public var stillFramesPerSecond: Int?
        /// Whether the service looks at each sample's format, which may change at a keyframe.
        public var followsFormat: Bool

        public init(
            maximumBitrate: Int? = nil, maximumAccessUnit: Int? = nil, stillFramesPerSecond: Int? = nil,
            followsFormat: Bool = false
        ) {
            self.maximumBitrate = maximumBitrate
            self.maximumAccessUnit = maximumAccessUnit
            self.stillFramesPerSecond = stillFramesPerSecond
            self.followsFormat = followsFormat
        }
    }

    public var video: Video?
    /// Nil: without this audio.
    public var appAudio: AudioCodec?
    public var micAudio: AudioCodec?

    public init(video: Video? = nil, appAudio: AudioCodec? = nil, micAudio: AudioCodec? = nil) {
        self.video = video
        self.appAudio = appAudio
        self.micAudio = micAudio
    }

    /// The service's limits for encoded frames; nil: it receives none.
    package var expectations: Expectations? {
        guard case .encoded(_, _, let expectations) = video else { return nil }
        return expectations
    }

    /// The codecs that the service accepts, in the order of its preference; nil: it receives no encoded frames.
    package var codecs: [VideoCodec]? {
        guard case .encoded(let codecs, _, _) = video else { return nil }
        return codecs
    }

    package var wantsEncodedVideo: Bool {
        if case .encoded = video { return true }
        return false
    }

    /// The requested longest time between keyframes.
    package var keyframeInterval: MediaTime? {
        guard case .encoded(_, let seconds?, _) = video else { return nil }
        return .seconds(max(0.1, seconds))
    }
}

extension SampleRequirements {
    /// An app's request. Leaves out the camera's frames, which have a separate feed.
    package init(_ request: SampleRequest) {
        let video = request.video.flatMap { video -> Video? in
            switch video {
            case .camera: nil
            case .raw(let pixelFormat, let maximumSize, let framesPerSecond, let shape, let orientation):
                .raw(
                    pixelFormat: pixelFormat, maximumSize: maximumSize, framesPerSecond: framesPerSecond, shape: shape,
                    orientation: orientation ?? .upright)
            case .encoded(let codec, let interval, let follows):
                .encoded(
                    codecs: [codec], keyframeInterval: interval,
                    expecting: Expectations(followsFormat: follows ?? false))
            }
        }
        self.init(video: video, appAudio: request.appAudio, micAudio: request.micAudio)
    }
}
