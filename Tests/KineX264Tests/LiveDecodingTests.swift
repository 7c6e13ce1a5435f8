// The decoder as an app uses it for live video: each frame at once, and on after damage.
import CodecTesting
import CoreTesting
import KineMedia
import KineX264
import Testing

@testable import KineCodecs

@Suite struct LiveDecodingTests {
    private static let size = PixelSize(width: 320, height: 192)

    private func stream(_ count: Int) throws -> (sets: H264ParameterSets, samples: [EncodedSample]) {
        let encoder = try X264Encoder(
            VideoEncoderSettings(size: Self.size, rateControl: .constantQuantizer(23), nominalFrameRate: 30))
        var generator = SeededGenerator(seed: 6)
        let frame = TestFrame(size: Self.size)
        let samples = try (0..<count).map { index in
            frame.write(frame.randomRect(using: &generator), using: &generator)
            return try encoder.sample(
                of: frame.planes, at: .milliseconds(Int64(index) * 33), forceKeyframe: index % 6 == 0)
        }
        return (encoder.h264ParameterSets, samples)
    }

    /// The sequence parameter set, ending before its VUI, which says that nothing is reordered.
    private func withoutPresentation(_ unit: [UInt8]) throws -> [UInt8] {
        let payload = EmulationPrevention.removed(from: unit)
        var reader = BitReader(payload)
        let chroma = reader.readSequenceParameters()
        try #require(chroma == .yuv420)
        let end = reader.position  // vui_parameters_present_flag, and then the stop bit
        var result = Array(payload[...((end + 1) >> 3)])
        for bit in end..<result.count * 8 { result[bit >> 3] &= ~(0x80 >> UInt8(bit & 7)) }
        result[(end + 1) >> 3] |= 0x80 >> UInt8((end + 1) & 7)
        return EmulationPrevention.added(to: result)
    }

    @Test(arguments: [true, false])
    func `one thread hands out each frame at once, also where the stream is silent about its order`(
        isSilent: Bool
    ) throws {
        var (sets, samples) = try stream(12)
        if isSilent { sets.sequence = try withoutPresentation(sets.sequence) }
        #expect(try SequenceParameters(sets.sequence).reorderedFrames == (isSilent ? nil : 0))
        let decoder = try H264Decoder(sets, threads: 1)
        let counts = try samples.map { sample in
            var frames = 0
            try decoder.decode(sample.data) { _ in frames += 1 }
            return frames
        }
        #expect(counts == samples.map { _ in 1 })
    }

    @Test func `after a damaged access unit it goes on with the next keyframe`() throws {
        let (sets, samples) = try stream(12)
        let decoder = try H264Decoder(sets, threads: 1)
        try decoder.decode(samples[0].data) { _ in }
        #expect(throws: H264Decoder.Error.self) { try decoder.decode(Array(samples[1].data.dropLast(3))) { _ in } }
        var frames = 0
        for sample in samples[6...] { try decoder.decode(sample.data) { _ in frames += 1 } }
        #expect(frames == 6)
    }
}
