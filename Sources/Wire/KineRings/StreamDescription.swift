// The streams, as described to a receiver of samples (an extension or a client) before the first sample.
import FoundationEssentials
import KineMedia

/// The streams that a `StreamSender` sends, and the size of their memory.
public struct StreamDescription: Codable, Sendable, Equatable {
    /// Encoded frames of this take. See the Codable conformance below for the keys.
    public struct EncodedVideo: Sendable, Equatable {
        /// The parameters that a decoder needs.
        public var format: VideoFormat
        /// The bitrate that the user chose, in bits a second; nil: a quality was chosen instead.
        public var averageBitrate: Int?

        public init(_ format: VideoFormat, averageBitrate: Int? = nil) {
            self.format = format
            self.averageBitrate = averageBitrate
        }
    }

    public var framesPerSecond: Int
    /// Nil: no encoded frames.
    public var video: EncodedVideo?
    /// The layout of uncompressed frames, if there are any.
    public var frames: FrameSlotLayout?
    /// The audio streams. Decoding omits a stream of an unknown type or codec, or with impossible values.
    public var audio: [AudioFormat]
    /// Bytes of the sample ring's memory.
    public var sampleRingBytes: Int

    public init(
        framesPerSecond: Int, video: EncodedVideo?, frames: FrameSlotLayout?, audio: [AudioFormat], sampleRingBytes: Int
    ) {
        self.framesPerSecond = framesPerSecond
        self.video = video
        self.frames = frames
        self.audio = audio
        self.sampleRingBytes = sampleRingBytes
    }

    public init(from decoder: any Decoder) throws {
        struct Readable: Decodable {
            let audio: AudioFormat?
            init(from decoder: any Decoder) { audio = try? AudioFormat(from: decoder) }
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

// The format of encoded video, in `start` and in the ring: the codec, and the parameter sets under keys of its own.
extension StreamDescription.EncodedVideo: Codable {
    private enum CodingKeys: String, CodingKey {
        case codec, size, averageBitrate
        /// H.264.
        case sequenceParameterSet, pictureParameterSet
        /// HEVC.
        case parameterSets
        /// AV1.
        case sequenceHeader
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let sets: VideoParameterSets =
            switch try container.decode(VideoCodec.self, forKey: .codec) {
            case .h264:
                .h264(
                    H264ParameterSets(
                        sequence: try container.decode([UInt8].self, forKey: .sequenceParameterSet),
                        picture: try container.decode([UInt8].self, forKey: .pictureParameterSet)))
            case .hevc: .hevc(try container.decode(HEVCParameterSets.self, forKey: .parameterSets))
            case .av1: .av1(AV1SequenceHeader(unit: try container.decode([UInt8].self, forKey: .sequenceHeader)))
            }
        self.init(
            VideoFormat(parameterSets: sets, size: try container.decode(PixelSize.self, forKey: .size)),
            averageBitrate: try container.decodeIfPresent(Int.self, forKey: .averageBitrate))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(format.codec, forKey: .codec)
        try container.encode(format.size, forKey: .size)
        try container.encodeIfPresent(averageBitrate, forKey: .averageBitrate)
        switch format.parameterSets {
        case .h264(let sets):
            try container.encode(sets.sequence, forKey: .sequenceParameterSet)
            try container.encode(sets.picture, forKey: .pictureParameterSet)
        case .hevc(let sets): try container.encode(sets, forKey: .parameterSets)
        case .av1(let header): try container.encode(header.unit, forKey: .sequenceHeader)
        }
    }

    /// The payload of the record in the ring from which on frames have this format.
    var record: [UInt8] { (try? JSONEncoder().encode(self)).map { Array($0) } ?? [] }

    /// Nil if the bytes are no such payload.
    init?(record: UnsafeRawBufferPointer) {
        guard let video = try? JSONDecoder().decode(Self.self, from: Data(record)) else { return nil }
        self = video
    }
}
