// A broadcast that begins with a nearly empty screen: its first frame is so small that its length, 00 00 01 xx, reads as a start
// code. What is sent to a server must not.
import KineCodecs
import KineMedia
import KineRTMP
import KineX264
import RTMPTesting
import Testing

@Suite struct NearlyEmptyScreenTests {
    private static let size = PixelSize(width: 1280, height: 720)

    /// The keyframe of a black screen with so many small signs on it.
    private func keyframe(signs: Int) throws -> (encoder: X264Encoder, sample: EncodedSample) {
        let area = Self.size.area
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: area * 3 / 2)
        defer { memory.deallocate() }
        memory.initialize(repeating: 128, count: area * 3 / 2)
        memory.update(repeating: 16, count: area)
        for sign in 0..<signs {
            for row in 0..<12 { memory[(100 + row) * Self.size.width + 40 + sign * 24 + (row * 5) % 11] = 235 }
        }
        let frame = PlanarFrame(
            size: Self.size, y: memory, u: memory + area, v: memory + area * 5 / 4, lumaStride: Self.size.width,
            chromaStride: Self.size.width / 2)
        let encoder = try X264Encoder(
            VideoEncoderSettings(size: Self.size, rateControl: .constantQuantizer(23), nominalFrameRate: 30))
        let sample = try encoder.encode(
            frame, changed: .full(size: Self.size), at: .zero, forceKeyframe: true)
        return (encoder, sample)
    }

    @Test func `no frame that is sent begins with what reads as a start code`() throws {
        // A server that tries Annex B first finds a start code in the encoder's frame …
        var found: (encoder: X264Encoder, sample: EncodedSample)?
        for signs in 0..<48 where found == nil {
            let candidate = try keyframe(signs: signs)
            if candidate.sample.data.starts(with: [0, 0, 1]) { found = candidate }
        }
        let (encoder, sample) = try #require(found, "no frame has a unit of 256 to 511 bytes")
        #expect((260...515).contains(sample.data.count) && StrictRTMPServer.readsAsAnnexB(sample.data))

        // … but not in what arrives, which the strict server checks too.
        var talk = try Conversation()
        try talk.start()
        let sets = encoder.h264ParameterSets
        let configuration =
            [1, sets.sequence[1], sets.sequence[2], sets.sequence[3], 0xFF, 0xE1] + Self.counted(sets.sequence) + [1]
            + Self.counted(sets.picture)
        let format = RTMPStreamFormat(
            video: .init(
                codec: .h264, decoderConfiguration: configuration, size: Self.size, framesPerSecond: 30), audio: nil)
        _ = try talk.send(talk.session.beginStream(format))
        let payload = sample.data.withUnsafeBytes { VideoTag.frame(.h264, isKeyframe: true, bytes: $0) }
        _ = try talk.send(talk.session.sample(.init(isVideo: true, isKeyframe: true, time: 0, payload: payload)))
        let arrived = try #require(talk.server.media.last)
        #expect(!StrictRTMPServer.readsAsAnnexB(arrived.payload.dropFirst(5)))
        // A delimiter, and then the frame as it was encoded.
        #expect(Self.units(arrived.payload.dropFirst(5)).map { $0[0] & 31 } == [9, 5])
        #expect(arrived.payload.suffix(sample.data.count).elementsEqual(sample.data))
    }

    private static func counted(_ set: [UInt8]) -> [UInt8] { [UInt8(set.count >> 8), UInt8(set.count & 255)] + set }

    /// What stands behind four-byte lengths.
    private static func units(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var (rest, units) = (Array(bytes)[...], [[UInt8]]())
        while rest.count > 4 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            units.append(Array(rest.dropFirst(4).prefix(length)))
            rest = rest.dropFirst(4 + length)
        }
        return units
    }
}
