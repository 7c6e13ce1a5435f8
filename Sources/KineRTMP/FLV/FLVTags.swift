// The first bytes of audio and video messages: FLV's tag headers (Adobe's "Video File Format Specification 10.1", annex
// E.4.2 and E.4.3) and the ExVideoTagHeader of Enhanced RTMP v2 for the codecs that FLV has no number for.

/// A picture's bytes in a video message.
public enum VideoTag {
    /// The message that goes before the first picture: how it is decoded.
    public static func sequenceHeader(_ video: RTMPStreamFormat.Video) -> [UInt8] {
        var bytes: [UInt8]
        if video.codec == .h264 {
            bytes = [FrameType.keyframe << 4 | avcCodec, 0, 0, 0, 0]
        } else {
            bytes = enhanced(FrameType.keyframe, PacketType.sequenceStart, video.codec)
        }
        bytes.append(contentsOf: video.decoderConfiguration)
        return bytes
    }

    /// A picture. Its composition time is zero: pictures are coded in the order in which they are shown. An access unit
    /// delimiter goes in front where there is none: some servers look for a start code first, and the length of a unit of 256
    /// to 511 bytes, `00 00 01 xx`, reads as one.
    public static func picture(
        _ codec: RTMPStreamFormat.VideoCodec, isKeyframe: Bool, bytes: UnsafeRawBufferPointer
    ) -> [UInt8] {
        let frameType = isKeyframe ? FrameType.keyframe : FrameType.inter
        let delimiter = delimiter(of: codec, before: bytes)
        return [UInt8](unsafeUninitializedCapacity: 5 + delimiter.count + bytes.count) { buffer, count in
            let head: (UInt8, UInt8, UInt8, UInt8, UInt8)
            if codec == .h264 {
                head = (frameType << 4 | avcCodec, 1, 0, 0, 0)
            } else {
                // CodedFramesX leaves out a composition time of zero, which AV1 never has.
                let packetType = codec == .av1 ? PacketType.codedFrames : PacketType.codedFramesX
                let code = Array(codec.fourCharacterCode.utf8)
                head = (0x80 | frameType << 4 | packetType, code[0], code[1], code[2], code[3])
            }
            (buffer[0], buffer[1], buffer[2], buffer[3], buffer[4]) = head
            for (index, byte) in delimiter.enumerated() { buffer[5 + index] = byte }
            let rest = UnsafeMutableRawBufferPointer(buffer)[(5 + delimiter.count)...]
            UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: bytes)
            count = 5 + delimiter.count + bytes.count
        }
    }

    /// Behind a length of four bytes; for any kind of picture (H.264, 7.4.2.4; H.265, 7.4.3.5). Empty where there is one.
    private static func delimiter(
        of codec: RTMPStreamFormat.VideoCodec, before bytes: UnsafeRawBufferPointer
    ) -> [UInt8] {
        let head = bytes.count > 4 ? bytes[4] : 0
        switch codec {
        case .h264: return head & 0x1F == 9 ? [] : [0, 0, 0, 2, 0x09, 0xF0]
        case .hevc: return head >> 1 & 0x3F == 35 ? [] : [0, 0, 0, 3, 0x46, 0x01, 0x50]
        // An OBU begins with its header, which is never zero.
        case .av1: return []
        }
    }

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

    private static func enhanced(
        _ frameType: UInt8, _ packetType: UInt8, _ codec: RTMPStreamFormat.VideoCodec
    ) -> [UInt8] {
        [0x80 | frameType << 4 | packetType] + Array(codec.fourCharacterCode.utf8)
    }
}

/// AAC in an audio message.
public enum AudioTag {
    /// Format 10, and for AAC always "44 kHz, 16 bit, stereo", whatever it is: decoders read the configuration (E.4.2.1).
    private static let head: UInt8 = 0xAF

    /// The message that goes before the first sound.
    public static func sequenceHeader(_ audio: RTMPStreamFormat.Audio) -> [UInt8] {
        [head, 0] + audio.specificConfiguration
    }

    /// One access unit.
    public static func sound(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: bytes.count + 2) { buffer, count in
            (buffer[0], buffer[1]) = (head, 1)
            UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[2...]).copyMemory(from: bytes)
            count = bytes.count + 2
        }
    }
}
