// The first bytes of video messages: FLV's tag header for H.264 (Adobe's "Video File Format Specification 10.1", annex E.4.3)
// and the ExVideoTagHeader of Enhanced RTMP v2 for the codecs that FLV has no number for.
import KineMedia

/// An encoded frame in a video message.
public enum VideoTag {
    /// The payload of the message before the first frame, with the decoder configuration.
    public static func sequenceHeader(_ video: RTMPStreamFormat.Video) -> [UInt8] {
        head(video.codec, FrameType.keyframe, avcPacket: 0, packet: PacketType.sequenceStart, room: 0)
            + video.decoderConfiguration
    }

    /// The payload of a frame's message. The composition time is zero: frames are coded in the order in which they are shown.
    ///
    /// An access unit delimiter goes in front where there is none: some servers look for a start code first, and would read the
    /// length of a unit of 256 to 511 bytes, `00 00 01 xx`, as one.
    public static func frame(
        _ codec: VideoCodec, isKeyframe: Bool, bytes: UnsafeRawBufferPointer
    ) -> [UInt8] {
        let delimiter = delimiter(of: codec, before: bytes)
        // CodedFramesX leaves out a composition time of zero, which AV1 never has.
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

    /// A delimiter behind its length of four bytes, for any kind of frame (H.264, 7.4.2.4; H.265, 7.4.3.5). Empty if there is one.
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
