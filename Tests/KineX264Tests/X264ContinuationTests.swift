// A stream that another encoder continues: with its parameter sets, and for a decoder that notices nothing.
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import Testing

@testable import KineX264

@Suite struct X264ContinuationTests {
    private static let rates: [VideoEncoderSettings.RateControl] = [
        .constantQuantizer(17), .constantQuantizer(40), .averageBitrate(300_000), .averageBitrate(20_000_000),
    ]

    private func frame(_ size: PixelSize, seed: UInt64 = 1) -> TestFrame {
        var generator = SeededGenerator(seed: seed)
        let frame = TestFrame(size: size)
        frame.write(PixelRect(size: size), using: &generator)
        return frame
    }

    private func encode(_ frame: TestFrame, _ encoder: X264Encoder, at time: Int64, isKeyframe: Bool) throws -> [UInt8]
    {
        try encoder.encode(
            frame.planes, changed: .full(size: frame.size), at: .milliseconds(time), forceKeyframe: isKeyframe
        ).data
    }

    /// Every preset, and none.
    @Test(arguments: [EncoderPreset?.none] + EncoderPreset.allCases, rates)
    func `the parameter sets of every take are met`(
        preset: EncoderPreset?, rate: VideoEncoderSettings.RateControl
    ) throws {
        for (size, colour, fps, peak) in [
            (PixelSize(width: 320, height: 192), .standard, 30, nil),
            (PixelSize(width: 322, height: 182), ColourFormat(chroma: .yuv444), 1, 500_000),
            (PixelSize(width: 1280, height: 720), ColourFormat(isFullRange: true), 60, 6_000_000),
            (PixelSize(width: 16, height: 16), ColourFormat(chroma: .yuv444, isFullRange: true), 144, nil),
        ] as [(PixelSize, ColourFormat, Int, Int?)] {
            let take = try X264Encoder(
                VideoEncoderSettings(
                    size: size, colour: colour, rateControl: rate, preset: preset,
                    peak: peak.map { .init(bitrate: $0) },
                    nominalFrameRate: fps))
            // It throws where the sets differ in a bit.
            _ = try X264Continuation(take.h264ParameterSets, size: size, isDeblocked: true, threads: 2)
        }
    }

    @Test func `another encoder's parameter sets are refused`() throws {
        let size = PixelSize(width: 320, height: 192)
        let own = try X264Encoder(
            VideoEncoderSettings(size: size, rateControl: .constantQuantizer(23), nominalFrameRate: 30)
        ).h264ParameterSets
        for position in [1, 2, 5, 8] {
            var sets = own
            sets.sequence[position] ^= 0x10
            #expect(throws: X264Continuation.Error.otherEncoder) {
                try X264Continuation(sets, size: size, isDeblocked: false, threads: 1)
            }
        }
        for sets in [
            H264ParameterSets(sequence: [], picture: own.picture),
            H264ParameterSets(sequence: own.sequence, picture: []),
            H264ParameterSets(sequence: own.picture, picture: own.sequence),
        ] {
            #expect(throws: X264Continuation.Error.otherEncoder) {
                try X264Continuation(sets, size: size, isDeblocked: false, threads: 1)
            }
        }
        // The frames of another size have other sets.
        #expect(throws: X264Continuation.Error.otherEncoder) {
            try X264Continuation(own, size: PixelSize(width: 336, height: 192), isDeblocked: false, threads: 1)
        }
    }

    @Test(arguments: [1, 12, 23, 36, 51]) func `a slice header tells the quantizer of its frame`(quantizer: Int) throws
    {
        let size = PixelSize(width: 320, height: 192)
        let take = try X264Encoder(
            VideoEncoderSettings(size: size, rateControl: .constantQuantizer(quantizer), nominalFrameRate: 30))
        let sets = take.h264ParameterSets
        _ = try encode(frame(size), take, at: 0, isKeyframe: true)
        let unit = try encode(frame(size, seed: 2), take, at: 40, isKeyframe: false)
        let header = try #require(H264SliceHeader(accessUnit: unit, sets))
        #expect(
            header == H264SliceHeader(accessUnit: unit + [0, 0, 0, 2, 6, 0], sets), "what follows has no part in it")
        #expect(header.idrIdentifier == nil && header.quantizer == quantizer)
        #expect(header.isDeblocked == (quantizer > 26))
        // Encoded again, it says the same.
        let again = try X264Continuation(sets, size: size, isDeblocked: header.isDeblocked, threads: 2)
        _ = try frame(size).lend { try again.encode($0, quantizer: quantizer, isKeyframe: true) }
        let copy = try frame(size, seed: 2).lend { try again.encode($0, quantizer: quantizer, isKeyframe: false) }
        #expect(H264SliceHeader(accessUnit: copy, sets) == header)
    }

    @Test func `two keyframes in a row have different identifiers`() throws {
        let size = PixelSize(width: 320, height: 192)
        let sets = try X264Encoder(
            VideoEncoderSettings(size: size, rateControl: .constantQuantizer(23), nominalFrameRate: 30)
        ).h264ParameterSets
        let encoder = try X264Continuation(sets, size: size, isDeblocked: false, threads: 1)
        let identifiers = try (0..<4).map { _ in
            H264SliceHeader(
                accessUnit: try frame(size).lend { try encoder.encode($0, quantizer: 23, isKeyframe: true) }, sets)?
                .idrIdentifier
        }
        #expect(identifiers == [0, 1, 0, 1])
    }

    /// A group's beginning, encoded again, then the stream as it was.
    @Test func `a decoder reads both encoders' frames as one stream`() throws {
        let size = PixelSize(width: 320, height: 192)
        let take = try X264Encoder(
            VideoEncoderSettings(size: size, rateControl: .averageBitrate(900_000), nominalFrameRate: 30))
        let frames = (0..<12).map { frame(size, seed: UInt64($0)) }
        let units = try frames.enumerated().map { number, frame in
            try encode(frame, take, at: Int64(number) * 33, isKeyframe: number % 6 == 0)
        }
        let decoder = try H264Decoder(take.h264ParameterSets, threads: 1)
        let again = try X264Continuation(take.h264ParameterSets, size: size, isDeblocked: true, threads: 2)
        var count = 0
        for number in 3..<12 {
            let unit =
                number < 6
                ? try again.encode(frames[number].planes, quantizer: 20, isKeyframe: number == 3) : units[number]
            try decoder.decode(unit) { decoded in
                #expect(decoded.size == size)
                count += 1
            }
        }
        try decoder.drain { _ in count += 1 }
        #expect(count == 9)
    }

    @Test func `what is no access unit is an error`() throws {
        let take = try X264Encoder(
            VideoEncoderSettings(
                size: PixelSize(width: 320, height: 192), rateControl: .constantQuantizer(23), nominalFrameRate: 30))
        let unit = try encode(frame(take.settings.size), take, at: 0, isKeyframe: true)
        for damaged in [[], [0, 0, 0], Array(unit.dropLast()), [0, 0, 0, 0] + unit, unit + [1]] {
            let decoder = try H264Decoder(take.h264ParameterSets, threads: 1)
            #expect(throws: H264Decoder.Error.self) { try decoder.decode(damaged) { _ in } }
            #expect(H264SliceHeader(accessUnit: Array(damaged.prefix(5)), take.h264ParameterSets) == nil)
        }
    }
}
