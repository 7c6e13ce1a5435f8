// The tags of FLV and Enhanced RTMP: a stream's format and its samples as messages of RTMP.
import KineMedia

/// An encoded frame in a video message.
public enum VideoTag {
    /// The payload of the message before the first frame, with the decoder configuration.
    public static func sequenceHeader(_ video: RTMPStreamFormat.Video) -> [UInt8] {
        head(video.codec, FrameType.keyframe, avcPacket: 0, packet: PacketType.sequenceStart, room: 0)
            + video.decoderConfiguration
    }

    /// The payload of a frame's message. The composition time is zero: frames are coded in display order.
    ///
    /// Adds an access unit delimiter if there is none: some servers look for a start code first, and would mistake the
    /// length of a unit of 256 to 511 bytes, `00 00 01 xx`, for one.
    public static func frame(
        _ codec: VideoCodec, isKeyframe: Bool, bytes: UnsafeRawBufferPointer
    ) -> [UInt8] {
        let delimiter = delimiter(of: codec, before: bytes)
        // CodedFramesX omits a composition time of zero, which AV1 never has.
        var message = head(
            codec, isKeyframe ? FrameType.keyframe : FrameType.inter, avcPacket: 1,
            packet: codec == .av1 ? PacketType.codedFrames : PacketType.codedFramesX,
            room: delimiter.count + bytes.count)
        message.append(contentsOf: delimiter)
        message.append(contentsOf: bytes)
        return message
    }

    /// H.264: FrameType and CodecID, AVCPacketType, and a composition time of zero (E.4.3.1, E.4.3.2). Other codecs: FrameType and
    /// VideoPacketType with the bit isExVideoHeader, and the codec's four characters. `room`: bytes that will follow.
    private static func head(
        _ codec: VideoCodec, _ frameType: UInt8, avcPacket: UInt8, packet: UInt8, room: Int
    ) -> [UInt8] {
        var head: [UInt8] = []
        head.reserveCapacity(5 + room)
        if codec == .h264 {
            head.append(frameType << 4 | avcCodec)
            head.append(avcPacket)
            head.append(bigEndian24: 0)
        } else {
            head.append(0x80 | frameType << 4 | packet)
            head.append(bigEndian: codec.fourCharacterCode)
        }
        return head
    }

    /// A delimiter after its four-byte length, for any frame (H.264, 7.4.2.4; H.265, 7.4.3.5). Empty if there is one.
    private static func delimiter(of codec: VideoCodec, before bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let head = bytes.count > 4 ? bytes[4] : 0
        switch codec {
        case .h264: return head & 0x1F == 9 ? [] : avcDelimiter
        case .hevc: return head >> 1 & 0x3F == 35 ? [] : hevcDelimiter
        // An OBU begins with its header, which is never zero.
        case .av1: return []
        }
    }

    private static let avcDelimiter: [UInt8] = [0, 0, 0, 2, 0x09, 0xF0]
    private static let hevcDelimiter: [UInt8] = [0, 0, 0, 3, 0x46, 0x01, 0x50]

    /// CodecID 7 (E.4.3.1).
    private static let avcCodec: UInt8 = 7

    private enum FrameType {
        static let keyframe: UInt8 = 1
        static let inter: UInt8 = 2
    }

    /// VideoPacketType (Enhanced RTMP v2, "ExVideoTagHeader").
    private enum PacketType {
        static let sequenceStart: UInt8 = 0
        static let codedFrames: UInt8 = 1
        static let codedFramesX: UInt8 = 3
    }
}

/// AAC in an audio message.
///
/// The first bytes of audio messages: FLV's tag header (Adobe's "Video File Format Specification 10.1", annex E.4.2).
public enum AudioTag {
    /// Format 10. For AAC the rest is always "44 kHz, 16 bit, stereo": decoders read the configuration (E.4.2.1).
    private static let head: UInt8 = 0xAF

    /// The payload of the message before the first access unit.
    public static func sequenceHeader(_ audio: AudioFormat) -> [UInt8] { [head, 0] + audio.configuration }

    /// The payload of the message of one access unit, which is copied.
    public static func audio(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(2 + bytes.count)
        message.append(head)
        message.append(1)
        message.append(contentsOf: bytes)
        return message
    }
}

// Makes onMetaData, which servers and players show before they decode a stream (Adobe's "Video File Format Specification 10.1",
// annex E.5). A live stream has neither duration nor file size.
extension RTMPStreamFormat {
    /// The payload of the data message that sets the stream's metadata at the server.
    public func metadata() -> [UInt8] {
        var properties: [AMF0Value.Property] = []
        func add(_ name: String, _ value: Double) { properties.append(.init(name, .number(value))) }
        if let video {
            add("width", Double(video.size.width))
            add("height", Double(video.size.height))
            add("framerate", video.framesPerSecond)
            // Enhanced RTMP writes a codec as the number of its four characters.
            add("videocodecid", video.codec == .h264 ? 7 : Double(video.codec.fourCharacterCode))
            if let bitrate = video.bitrate { add("videodatarate", Double(bitrate) / 1000) }
        }
        if let audio {
            add("audiocodecid", 10)
            add("audiosamplerate", Double(audio.sampleRate))
            add("audiosamplesize", 16)
            add("audiochannels", Double(audio.channels))
            properties.append(.init("stereo", .boolean(audio.channels == 2)))
            add("audiodatarate", Double(audio.bitrate) / 1000)
        }
        properties.append(.init("encoder", .string("Kinecast")))
        return AMF0Encoder.encode([.string("@setDataFrame"), .string("onMetaData"), .ecmaArray(properties)])
    }
}

/// The formats of a published stream, which has video, audio or both.
public struct RTMPStreamFormat: Sendable, Equatable {
    /// The format of access units as in `EncodedSample`. Every server accepts H.264; the other codecs need Enhanced RTMP.
    public struct Video: Sendable, Equatable {
        public var codec: VideoCodec
        /// The codec's decoder configuration record (`avcC`, `hvcC`, `av1C`).
        public var decoderConfiguration: [UInt8]
        /// Pixels, as shown.
        public var size: PixelSize
        /// The maximum frame rate.
        public var framesPerSecond: Double
        /// Bits a second; nil if a quality was chosen instead.
        public var bitrate: Int?

        public init(
            codec: VideoCodec, decoderConfiguration: [UInt8], size: PixelSize, framesPerSecond: Double,
            bitrate: Int? = nil
        ) {
            self.codec = codec
            self.decoderConfiguration = decoderConfiguration
            self.size = size
            self.framesPerSecond = framesPerSecond
            self.bitrate = bitrate
        }
    }

    public var video: Video?
    public var audio: AudioFormat?

    public init(video: Video?, audio: AudioFormat?) {
        self.video = video
        self.audio = audio
    }
}
