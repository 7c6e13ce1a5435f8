// The streams as a receiver of samples, an extension or a client, gets to know them before the first sample.
import KineMedia

/// The streams that a `StreamSender` sends, and the size of the memory that they go through.
public struct StreamDescription: Codable, Sendable, Equatable {
    /// Encoded frames of this take: see EncodedVideo+Codable.swift for its keys.
    public struct EncodedVideo: Sendable, Equatable {
        /// The parameters that a decoder needs.
        public var format: VideoFormat
        /// Bits a second that the user chose; nil: a quality was chosen instead.
        public var averageBitrate: Int?
        /// The engine understands `ExtensionReport.encoding`. Nil from one that is older than that message.
        public var isAdjustable: Bool?

        public init(_ format: VideoFormat, averageBitrate: Int? = nil, isAdjustable: Bool? = true) {
            self.format = format
            self.averageBitrate = averageBitrate
            self.isAdjustable = isAdjustable
        }
    }

    /// One audio stream of this take.
    public struct Audio: Codable, Sendable, Equatable {
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

    public var framesPerSecond: Int
    /// nil: no encoded frames.
    public var video: EncodedVideo?
    /// The layout of uncompressed frames; nil: there are none.
    public var frames: FrameSlotLayout?
    /// The audio streams. One whose type or form this version does not know, or that cannot be, is left out when it is decoded.
    public var audio: [Audio]
    /// Bytes of the sample ring's memory.
    public var sampleRingBytes: Int

    public init(
        framesPerSecond: Int, video: EncodedVideo?, frames: FrameSlotLayout?, audio: [Audio], sampleRingBytes: Int
    ) {
        self.framesPerSecond = framesPerSecond
        self.video = video
        self.frames = frames
        self.audio = audio
        self.sampleRingBytes = sampleRingBytes
    }

    private enum CodingKeys: String, CodingKey {
        case framesPerSecond, video, sampleRingBytes
        case frames = "pictures"
        case audio = "sounds"
    }

    public init(from decoder: any Decoder) throws {
        struct Readable: Decodable {
            let audio: Audio?
            init(from decoder: any Decoder) { audio = try? Audio(from: decoder) }
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        framesPerSecond = try container.decode(Int.self, forKey: .framesPerSecond)
        video = try container.decodeIfPresent(EncodedVideo.self, forKey: .video)
        frames = try container.decodeIfPresent(FrameSlotLayout.self, forKey: .frames)
        audio = try container.decode([Readable].self, forKey: .audio).compactMap(\.audio)
            .filter { 1...1_000_000 ~= $0.sampleRate && 1...64 ~= $0.channels }
        sampleRingBytes = try container.decode(Int.self, forKey: .sampleRingBytes)
    }
}
