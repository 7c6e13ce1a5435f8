// The hardest frames there are, at the size that most people broadcast: no access unit is larger than ingests take.
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import Testing

@testable import KineX264

@Suite(.serialized) struct NoiseLimitTests {
    private static let size = PixelSize(width: 1920, height: 1080)
    private static let limit = (1 << 20) - 1024

    /// A few frames of random samples: nothing in them can be predicted.
    private let frames: [TestFrame] = {
        var generator = SeededGenerator(seed: 11)
        return (0..<3).map { _ in
            let frame = TestFrame(size: size)
            let bytes = UnsafeMutableRawPointer(frame.planes.y)
            for offset in stride(from: 0, to: size.area * 3 / 2, by: 8) {
                bytes.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
            }
            return frame
        }
    }()

    /// 6 Mbit/s is the default; at 100 Mbit/s half a second would be 6 MB.
    @Test(
        .tags(.slow), arguments: [6_000_000, 100_000_000],
        [VideoEncoderSettings.RateControl.constantQuantizer(23), .averageBitrate(100_000_000)])
    func `noise at 1080p stays below the limit, keyframes as well`(
        bitrate: Int, rateControl: VideoEncoderSettings.RateControl
    ) throws {
        let encoder = try X264Encoder(
            VideoEncoderSettings(
                size: Self.size, rateControl: rateControl, peak: .init(bitrate: bitrate, accessUnit: Self.limit),
                nominalFrameRate: 30))
        let sizes = try (0..<24).map { number in
            try encoder.encode(
                frames[number % 3].planes, changed: .full(size: Self.size),
                at: MediaTime(ticks: Int64(number), timescale: 30), forceKeyframe: number % 12 == 0
            ).data.count
        }
        #expect(try #require(sizes.max()) <= Self.limit, "\(sizes)")
        print("Noise at 1080p, \(bitrate / 1_000_000) Mbit/s, \(rateControl): \(sizes.map { $0 / 1024 }) KiB")
    }

    @Test func `with a peak that stops nothing it is far above, and as coarse as can be it is below`() throws {
        let encoder = try X264Encoder(
            VideoEncoderSettings(
                size: Self.size, rateControl: .constantQuantizer(23), peak: .init(bitrate: 1_000_000_000),
                nominalFrameRate: 30))
        func size(_ number: Int64, isCoarsest: Bool) throws -> Int {
            try encoder.encode(
                frames[0].planes, .full(size: Self.size), at: MediaTime(ticks: number, timescale: 30),
                isKeyframe: true, isCoarsest: isCoarsest
            ).data.count
        }
        let (fine, coarse) = (try size(0, isCoarsest: false), try size(1, isCoarsest: true))
        #expect(fine > Self.limit && coarse < Self.limit, "\(fine) and \(coarse) bytes")
    }
}
