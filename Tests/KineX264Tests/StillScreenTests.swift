// A screen that stands still, encoded again and again below a limit that its keyframes do not fit into.
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import Testing

@testable import KineX264

@Suite struct StillScreenTests {
    private static let size = PixelSize(width: 640, height: 352)
    private static let quantizer = 23

    private let frame: TestFrame = {
        var generator = SeededGenerator(seed: 21)
        let frame = TestFrame(size: size)
        frame.write(PixelRect(size: size), using: &generator)
        return frame
    }()

    private static func encoder(_ peak: Int?, nominal: Int = 30) throws -> X264Encoder {
        try X264Encoder(
            VideoEncoderSettings(
                size: size, rateControl: .constantQuantizer(quantizer), peak: peak.map { .init(bitrate: $0) },
                nominalFrameRate: nominal))
    }

    /// Five frames a second, a keyframe every two.
    private func repeats(_ encoder: X264Encoder, seconds: Int) throws -> [EncodedSample] {
        try (0..<seconds * 5).map { number in
            try encoder.encode(
                frame.planes, changed: number == 0 ? .full(size: Self.size) : DamageRegion(size: Self.size),
                at: MediaTime(ticks: Int64(number), timescale: 5), forceKeyframe: number % 10 == 0)
        }
    }

    /// The worst tile of the last frame, in decibels.
    private func sharpness(_ samples: [EncodedSample], of encoder: X264Encoder) throws -> Double {
        let decoder = try TestDecoder(encoder.h264ParameterSets)
        var last = TestFrame(size: Self.size)
        for sample in samples { last = try decoder.decode(sample) }
        return frame.worstTile(of: last)
    }

    /// The quality of a frame without a limit that is no keyframe: keyframes have finer quantizers.
    private func chosenSharpness() throws -> Double {
        let encoder = try Self.encoder(1_000_000_000)
        let samples = try [TestFrame(size: Self.size), frame].enumerated().map { number, frame in
            try encoder.encode(
                frame.planes, changed: .full(size: Self.size), at: .seconds(Double(number)),
                forceKeyframe: number == 0)
        }
        return try sharpness(samples, of: encoder)
    }

    @Test(.tags(.slow), arguments: [30, 60])
    func `it gets as sharp as was chosen within a second, and from then on nothing is encoded`(
        nominal: Int
    ) throws {
        let keyframe = try repeats(try Self.encoder(nil), seconds: 1)[0].data.count
        // At the limit, such a keyframe would take half a second; it may take half of that.
        let encoder = try Self.encoder(keyframe * 16, nominal: nominal)
        let samples = try repeats(encoder, seconds: 6)
        for round in 0..<3 {
            let sizes = samples[round * 10..<round * 10 + 10].map(\.data.count)
            #expect(sizes[0] < keyframe * 3 / 4, "the limit limits nothing")
            // A frame whose macroblocks are all skipped.
            #expect(sizes[6...].allSatisfy { $0 < 100 }, "\(sizes)")
        }
        let sharp = try sharpness(samples, of: encoder)
        let chosen = try chosenSharpness()
        #expect(sharp > chosen)
    }
}
