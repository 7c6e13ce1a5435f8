// The encoder's output, read and decoded by others.
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import Testing

@testable import KineX264

@Suite struct X264EncoderTests {
    private static let size = PixelSize(width: 326, height: 198)

    private func encoder(
        _ rateControl: VideoEncoderSettings.RateControl = .constantQuantizer(23), size: PixelSize = size,
        colour: ColourFormat = .standard, threads: Int = 1, usesMacroblockInfo: Bool = true
    ) throws -> X264Encoder {
        try X264Encoder(
            VideoEncoderSettings(
                size: size, colour: colour, rateControl: rateControl, nominalFrameRate: 30, threads: threads,
                usesMacroblockInfo: usesMacroblockInfo))
    }

    private func types(_ sample: EncodedSample) throws -> [UInt8] { try networkUnits(sample).map { $0[0] & 31 } }

    @Test func `the parameter sets promise no reordering, one reference, and BT.709 in limited range`() throws {
        let sets = try SequenceParameters(encoder().h264ParameterSets.sequence)
        #expect(sets.profile == 100)
        #expect(sets.referenceFrames == 1)
        #expect(sets.size == Self.size)
        #expect(!sets.isFullRange)
        #expect(sets.colour == [1, 1, 1])
        #expect(sets.chromaLocation == [1, 1])  // the middle of four pixels
        #expect(sets.reorderedFrames == 0)
        #expect(try #require(sets.bufferedFrames) <= 1)
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

    @Test func `the first frame is an IDR, then only those that are asked for`() throws {
        let encoder = try encoder()
        var generator = SeededGenerator(seed: 1)
        let frame = TestFrame(size: Self.size)
        for index in 0..<40 {
            frame.write(PixelRect(size: Self.size), using: &generator)  // as different as a scene cut
            let sample = try encoder.encode(
                frame.planes, changed: .full(size: Self.size), at: .milliseconds(Int64(index) * 33),
                forceKeyframe: index == 20)
            let isKeyframe = index == 0 || index == 20
            #expect(sample.isKeyframe == isKeyframe)
            #expect(try types(sample) == [isKeyframe ? 5 : 1])
            #expect(sample.type == .video)
        }
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

    @Test func `an average bitrate leaves no stale block either`() throws {
        let encoder = try encoder(.averageBitrate(3_000_000))
        let worst = try encoder.worstTile(of: 90, interval: 33, seed: 9, isKeyframe: { $0 % 30 == 0 }) {
            _, frame, generator in
            let rect = frame.randomRect(using: &generator)
            return [PixelRect(x: rect.x, y: rect.y, width: 24, height: 16)]
        }
        #expect(worst > 26)
    }

    @Test(arguments: [
        PixelSize(width: 16, height: 16), PixelSize(width: 18, height: 34), PixelSize(width: 640, height: 360),
    ])
    func `a frame comes back as it was given, at once`(size: PixelSize) throws {
        let encoder = try encoder(.constantQuantizer(10), size: size)
        let decoder = try TestDecoder(encoder.h264ParameterSets)
        var generator = SeededGenerator(seed: UInt64(size.area))
        let frame = TestFrame(size: size)
        for index in 0..<3 {
            frame.write(PixelRect(size: size), using: &generator)
            let sample = try encoder.encode(
                frame.planes, changed: .full(size: size), at: .seconds(Double(index)), forceKeyframe: false)
            let decoded = try decoder.decode(sample)
            #expect(decoded.size == size)
            #expect(frame.worstTile(of: decoded) > 44)
        }
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

    @Test func `frames of one instant, or out of order, get times that grow`() throws {
        let encoder = try encoder()
        let frame = TestFrame(size: Self.size)
        var last: MediaTime?
        for milliseconds: Int64 in [0, 0, 0, 40, 40, 20, 80] {
            let sample = try encoder.encode(
                frame.planes, changed: .full(size: Self.size), at: .milliseconds(milliseconds), forceKeyframe: false)
            let ticks = sample.presentationTime.ticks(timescale: 90000)
            if let last { #expect(ticks > last.ticks(timescale: 90000)) }
            #expect(ticks - milliseconds * 90 <= 3 || milliseconds == 20)
            last = sample.presentationTime
        }
        #expect(last == .milliseconds(80))
    }

    @Test func `a size that H.264 cannot have is refused with a sentence`() {
        let error = #expect(throws: VideoEncoderError.self) { try encoder(size: PixelSize(width: 0, height: 16)) }
        #expect(error?.description.contains("0×16") == true)
    }
}
