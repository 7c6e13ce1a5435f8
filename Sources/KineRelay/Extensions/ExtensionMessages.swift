// What passes between an engine and an extension on the extension's control socket (its descriptor 3). The framing is that of
// every control channel; samples go through the rings whose descriptors come with `start`.
import KineMedia

/// From an engine to an extension.
public enum ExtensionRequest: Codable, Sendable, Equatable {
    /// The first message, once. Its descriptors, in this order: the samples' memory, the state page, the pipe that wakes,
    /// and, where `pictures` is set, the pictures' memory.
    case start(ExtensionStart)
    /// After everything up to `position`.
    case pause(after: StreamPosition)
    case resume(after: StreamPosition)
    /// What is being shown has changed: `broadcastAnnotated(withApplicationInfo:)`.
    case annotate([String: String], after: StreamPosition)
    /// The link is to be replaced by a new one: `broadcastLinkRenewalRequested()`. Only where `links` said that it can be.
    case renewLink(after: StreamPosition)
    /// After everything up to `position`, finish within so many seconds and end.
    case finish(after: StreamPosition, seconds: Double)
}

/// A place in both streams of an extension: what was written before it is older.
public struct StreamPosition: Codable, Sendable, Equatable {
    /// Bytes written to the sample ring since its beginning.
    public var samples: UInt64
    /// The sequence number of the last picture offered; 0: none yet.
    public var pictures: UInt64

    public init(samples: UInt64 = 0, pictures: UInt64 = 0) {
        self.samples = samples
        self.pictures = pictures
    }
}

/// Everything an extension has to know before its first sample.
public struct ExtensionStart: Codable, Sendable, Equatable {
    /// Encoded video of this take: see EncodedVideo+Codable.swift for its keys.
    public struct EncodedVideo: Sendable, Equatable {
        /// What a decoder has to know.
        public var format: VideoFormat
        /// Bits a second that the user chose; nil: a quality was chosen instead.
        public var averageBitRate: Int?
        /// The engine understands `ExtensionReport.encoding`. Nil from one that is older than that message.
        public var isAdjustable: Bool?

        public init(_ format: VideoFormat, averageBitRate: Int? = nil, isAdjustable: Bool? = true) {
            self.format = format
            self.averageBitRate = averageBitRate
            self.isAdjustable = isAdjustable
        }
    }

    /// Uncompressed pictures: how the slots lie in the pictures' memory.
    public struct Pictures: Codable, Sendable, Equatable {
        public var pixelFormat: PixelFormat
        /// Of the memory: both sides even.
        public var size: PixelSize
        /// To show; may be odd.
        public var visibleSize: PixelSize
        public var slotCount: Int
        /// Bytes from one slot to the next; the first begins at 0.
        public var slotBytes: Int
        /// For each plane, its first byte seen from the slot's, and bytes from one row to the next.
        public var planeOffsets: [Int]
        public var planeStrides: [Int]

        public init(
            pixelFormat: PixelFormat, size: PixelSize, visibleSize: PixelSize, slotCount: Int, slotBytes: Int,
            planeOffsets: [Int], planeStrides: [Int]
        ) {
            self.pixelFormat = pixelFormat
            self.size = size
            self.visibleSize = visibleSize
            self.slotCount = slotCount
            self.slotBytes = slotBytes
            self.planeOffsets = planeOffsets
            self.planeStrides = planeStrides
        }
    }

    /// A sound of this take.
    public struct Sound: Codable, Sendable, Equatable {
        public var type: SampleType
        public var form: AudioCodec
        /// Samples a second.
        public var sampleRate: Int
        public var channels: Int
        /// AAC only.
        public var audioSpecificConfig: [UInt8]
        public var samplesPerAccessUnit: Int
        public var primingSamples: Int
        /// Bits a second.
        public var bitrate: Int

        public init(
            type: SampleType, form: AudioCodec, sampleRate: Int, channels: Int,
            audioSpecificConfig: [UInt8] = [], samplesPerAccessUnit: Int = 1024, primingSamples: Int = 0,
            bitrate: Int = 0
        ) {
            self.type = type
            self.form = form
            self.sampleRate = sampleRate
            self.channels = channels
            self.audioSpecificConfig = audioSpecificConfig
            self.samplesPerAccessUnit = samplesPerAccessUnit
            self.primingSamples = primingSamples
            self.bitrate = bitrate
        }
    }

    /// The service's id.
    public var service: String
    /// What the user set, secrets among it.
    public var setupInfo: [String: String]
    public var framesPerSecond: Int
    public var video: EncodedVideo?
    public var pictures: Pictures?
    public var sounds: [Sound]
    /// Bytes of the sample ring's memory.
    public var sampleRingBytes: Int
    /// Bytes of resident memory at which the extension is ended.
    public var memoryLimit: Int
    /// Seconds that `broadcastFinished` may take.
    public var finishSeconds: Double
    /// The engine understands `ExtensionReport.live`. Nil from one that is older than that message.
    public var understandsLive: Bool?

    public init(
        service: String, setupInfo: [String: String], framesPerSecond: Int, video: EncodedVideo?, pictures: Pictures?,
        sounds: [Sound], sampleRingBytes: Int, memoryLimit: Int, finishSeconds: Double = 5,
        understandsLive: Bool? = true
    ) {
        self.service = service
        self.setupInfo = setupInfo
        self.framesPerSecond = framesPerSecond
        self.video = video
        self.pictures = pictures
        self.sounds = sounds
        self.sampleRingBytes = sampleRingBytes
        self.memoryLimit = memoryLimit
        self.finishSeconds = finishSeconds
        self.understandsLive = understandsLive
    }
}

/// From an extension to its engine.
public enum ExtensionReport: Codable, Sendable, Equatable {
    /// `broadcastStarted` has returned.
    case started
    /// Whether the broadcast arrives where it goes; where it does not, why, in one sentence, as far as that is known. Only where
    /// `start` said that the engine understands it. An extension that never says so is live once it has started.
    case live(Bool, reason: String?)
    /// Every 15 seconds, whatever the handler does.
    case heartbeat
    /// Once a second while samples come.
    case statistics(ExtensionStatistics)
    /// Where the broadcast can be seen.
    case link(String)
    /// The same, with more to be said of it.
    case links(BroadcastLinks)
    /// A few words on where the broadcast stands: "connected", "reconnecting" …
    case state(String)
    /// Something a person should know; one sentence.
    case warning(String)
    /// Decoding has to begin anew: the next picture should be a keyframe.
    case needsKeyframe
    /// How the pictures should be encoded from now on; holds until another is asked for. Only where `start` said that the
    /// encoder is adjustable.
    case encoding(EncodingRequest)
    /// `finishBroadcastWithError`, or `broadcastStarted` threw; one sentence. The extension ends.
    case failed(String)
    /// `broadcastFinished` has returned. The extension ends.
    case finished
}

/// Where a broadcast can be seen, and what can be done about it.
public struct BroadcastLinks: Codable, Sendable, Equatable {
    public var page: String
    /// A plain address for players.
    public var player: String?
    /// The extension understands `ExtensionRequest.renewLink`.
    public var isRenewable: Bool

    public init(page: String, player: String? = nil, isRenewable: Bool = false) {
        self.page = page
        self.player = player
        self.isRenewable = isRenewable
    }
}

/// What an extension counts of itself.
public struct ExtensionStatistics: Codable, Sendable, Equatable {
    /// Pictures given to the handler.
    public var pictures: Int64 = 0
    /// Sounds given to the handler.
    public var sounds: Int64 = 0
    /// Bytes of encoded samples given to the handler.
    public var bytes: Int64 = 0
    /// Bytes that wait in the sample ring.
    public var queuedBytes: Int64 = 0
    /// Bytes that the handler says it has sent, to all peers together.
    public var sentBytes: Int64 = 0
    /// Peers that the handler says it serves.
    public var viewers: Int?
    /// What the handler says of its connection.
    public var connection: ConnectionStatistics?

    public init() {}
}
