// H.264, HEVC, AV1 and AAC as FLV tags.
import KineMedia
import KineRTMP
import RTMPTesting
import Testing

@Suite struct TagTests {
    private func frame(_ codec: VideoCodec, _ isKeyframe: Bool) -> [UInt8] {
        ([0xAA, 0xBB] as [UInt8]).withUnsafeBytes { VideoTag.frame(codec, isKeyframe: isKeyframe, bytes: $0) }
    }

    private func video(_ codec: VideoCodec) -> RTMPStreamFormat.Video {
        .init(
            codec: codec, decoderConfiguration: [1, 2], size: PixelSize(width: 64, height: 48), framesPerSecond: 30,
            bitrate: 2_500_000)
    }

    @Test func `H.264 has the tags that every server knows`() {
        #expect(VideoTag.sequenceHeader(video(.h264)) == [0x17, 0, 0, 0, 0, 1, 2])
        let delimiter: [UInt8] = [0, 0, 0, 2, 9, 0xF0]
        #expect(frame(.h264, true) == [0x17, 1, 0, 0, 0] + delimiter + [0xAA, 0xBB])
        #expect(frame(.h264, false) == [0x27, 1, 0, 0, 0] + delimiter + [0xAA, 0xBB])
    }

    @Test func `newer codecs have extended tags`() {
        let (hvc1, av01) = (Array("hvc1".utf8), Array("av01".utf8))
        #expect(VideoTag.sequenceHeader(video(.hevc)) == [0x90] + hvc1 + [1, 2])
        let delimiter: [UInt8] = [0, 0, 0, 3, 0x46, 1, 0x50]
        #expect(frame(.hevc, true) == [0x93] + hvc1 + delimiter + [0xAA, 0xBB])
        #expect(frame(.hevc, false) == [0xA3] + hvc1 + delimiter + [0xAA, 0xBB])
        #expect(VideoTag.sequenceHeader(video(.av1)) == [0x90] + av01 + [1, 2])
        #expect(frame(.av1, false) == [0xA1] + av01 + [0xAA, 0xBB])
    }

    @Test func `an access unit that has a delimiter gets no second one`() {
        let h264: [UInt8] = [0, 0, 0, 2, 9, 0x10, 0, 0, 1, 0, 0x65]
        let hevc: [UInt8] = [0, 0, 0, 3, 0x46, 1, 0x10, 0, 0, 1, 0, 0x26]
        for (codec, unit) in [(VideoCodec.h264, h264), (.hevc, hevc)] {
            #expect(
                unit.withUnsafeBytes { VideoTag.frame(codec, isKeyframe: true, bytes: $0) }.dropFirst(5)
                    .elementsEqual(unit))
        }
    }

    @Test func `audio is AAC, whatever its rate`() {
        #expect(([7] as [UInt8]).withUnsafeBytes { AudioTag.audio($0) } == [0xAF, 1, 7])
    }

    @Test func `metadata says what is true`() throws {
        let audio = AudioFormat(
            type: .audioApp, codec: .aac, sampleRate: 48000, channels: 2, bitrate: 160_000,
            configuration: [0x11, 0x90], samplesPerAccessUnit: 1024, primingSamples: 1024)
        let values = try StrictAMF.read(RTMPStreamFormat(video: video(.h264), audio: audio).metadata())
        #expect(values.prefix(2) == [.string("@setDataFrame"), .string("onMetaData")])
        let expected: [(String, StrictAMF)] = [
            ("width", .number(64)), ("height", .number(48)), ("framerate", .number(30)), ("videocodecid", .number(7)),
            ("videodatarate", .number(2500)), ("audiocodecid", .number(10)), ("audiosamplerate", .number(48000)),
            ("audiosamplesize", .number(16)), ("audiochannels", .number(2)), ("stereo", .boolean(true)),
            ("audiodatarate", .number(160)), ("encoder", .string("Kinecast")),
        ]
        #expect(values[2] == .object(expected))
        let hevc = try StrictAMF.read(RTMPStreamFormat(video: video(.hevc), audio: nil).metadata())
        #expect(hevc[2]["videocodecid"] == .number(Double(0x6876_6331)))
        #expect(hevc[2]["audiocodecid"] == nil)
    }
}
