// Codecs as values: their names in messages, and their four characters.
import KineMedia
import Testing

@Suite struct VideoCodecTests {
    @Test func `each codec has its four characters, and is found by them`() {
        let names = VideoCodec.allCases.map {
            withUnsafeBytes(of: $0.fourCharacterCode.bigEndian) { String(decoding: $0, as: UTF8.self) }
        }
        #expect(names == ["avc1", "hvc1", "av01"])
        for codec in VideoCodec.allCases { #expect(VideoCodec(fourCharacterCode: codec.fourCharacterCode) == codec) }
        #expect(VideoCodec(fourCharacterCode: 0x6176_6333) == nil, "avc3")
    }

    @Test func `manifests and messages name the codecs as ever`() {
        #expect(VideoCodec.allCases.map(\.rawValue) == ["h264", "hevc", "av1"])
    }

    @Test func `bits are read from the most significant on, and are zero past the end`() {
        var bits = BitReader([0b1010_0011, 0b0100_0000])
        #expect(bits.read(3) == 5)
        #expect(bits.readFlag() == false)
        // ue(v): 00110 is 5, 1 is 0.
        #expect(bits.readExponentialGolomb() == 5)
        #expect(bits.position == 9 && !bits.isPastEnd)
        #expect(bits.readExponentialGolomb() == 0)
        bits.skip(6)
        #expect(bits.isPastEnd && bits.read(16) == 0)
    }
}
