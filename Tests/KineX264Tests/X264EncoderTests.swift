// The encoder's output, read and decoded by others: what only x264 does. EncoderBehaviourTests has what encoders have in common.
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import Testing

@testable import KineX264

@Suite struct X264EncoderTests {
    private static let size = PixelSize(width: 326, height: 198)

    private func encoder(
        colour: ColourFormat = .standard, threads: Int = 1, usesMacroblockInfo: Bool = true
    ) throws -> X264Encoder {
        try X264Encoder(
            VideoEncoderSettings(
                size: Self.size, colour: colour, rateControl: .constantQuantizer(23), nominalFrameRate: 30,
                threads: threads, usesMacroblockInfo: usesMacroblockInfo))
    }

    @Test(arguments: ColourFormat.allCases)
    func `the parameter sets state the chroma and the range, and are understood here`(colour: ColourFormat) throws {
        let own = try encoder(colour: colour).h264ParameterSets
        let sets = try SequenceParameters(own.sequence)
        #expect(sets.profile == (colour.chroma == .yuv444 ? 244 : 100))
        #expect(sets.chromaFormat == (colour.chroma == .yuv444 ? 3 : 1))
        #expect(sets.size == Self.size)
        #expect(sets.isFullRange == colour.isFullRange)
        #expect(sets.colour == [1, 1, 1])
        // Only 4:2:0 has places for its chroma samples (ITU-T H.264, E.2.1).
        #expect(sets.chromaLocation == (colour.chroma == .yuv420 ? [1, 1] : []))
        #expect(sets.reorderedFrames == 0)
        #expect(own.colour == colour)
        let payload = EmulationPrevention.removed(from: own.sequence)
        let flag = try #require(VariableRateSPS.fixedFrameRateFlag(in: payload))
        #expect(payload[flag >> 3] & (0x80 >> UInt8(flag & 7)) == 0)
    }

    @Test func `an encoder for another size has parameter sets of another identifier, and a level of its own`() throws {
        func open(_ size: PixelSize, after other: X264Encoder?) throws -> X264Encoder {
            try X264Encoder(
                VideoEncoderSettings(size: size, rateControl: .constantQuantizer(23), nominalFrameRate: 30),
                continuing: other)
        }
        let large = PixelSize(width: 1920, height: 1080)
        let first = try open(Self.size, after: nil)
        let second = try open(large, after: first)
        let third = try open(Self.size, after: second)
        let sets = try [first, second, third].map {
            try #require(H264SequenceParameters($0.h264ParameterSets.sequence))
        }
        #expect(sets.map(\.identifier) == [0, 1, 2])
        #expect(sets[1].level > sets[0].level && sets[2].level == sets[0].level)
        #expect(try open(large, after: second).format == second.format)
    }

    @Test(.tags(.slow), arguments: [1, 4], ColourFormat.allCases)
    func `random damage never leaves a stale block`(threads: Int, colour: ColourFormat) throws {
        for usesMacroblockInfo in [true, false] {
            let encoder = try encoder(colour: colour, threads: threads, usesMacroblockInfo: usesMacroblockInfo)
            try expectNoStaleBlock(encoder)
        }
    }

    private func expectNoStaleBlock(_ encoder: X264Encoder) throws {
        let worst = try encoder.worstTile(of: 100, interval: 40, seed: 7, isKeyframe: { $0 % 37 == 0 }) {
            index, frame, generator in
            // Now and then nothing changes at all: a repeat.
            (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                let rect = frame.randomRect(using: &generator)
                return index % 3 > 0 ? PixelRect(x: rect.x, y: rect.y, width: 8, height: 12) : rect
            }
        }
        // A block that stayed behind has less than 20 decibels; quantizer 23 gives text 34 and more.
        #expect(worst > 32)
    }

    @Test func `an unchanged frame costs a few bytes`() throws {
        let encoder = try encoder()
        var generator = SeededGenerator(seed: 3)
        let frame = TestFrame(size: Self.size)
        frame.write(PixelRect(size: Self.size), using: &generator)
        let first = try encoder.encode(
            frame.planes, changed: .full(size: Self.size), at: .zero, forceKeyframe: true)
        let second = try encoder.encode(
            frame.planes, changed: DamageRegion(size: Self.size), at: .seconds(1), forceKeyframe: false)
        #expect(second.data.count < 40)
        #expect(first.data.count > 1000)
    }
}
