// An encoder whose limit is lowered, and encoders that continue each other's stream.
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import Testing

@testable import KineX264

@Suite(.serialized) struct BitrateLimitTests {
    private static let size = PixelSize(width: 160, height: 96)
    private static let rate = 30

    private static func settings(
        _ rateControl: VideoEncoderSettings.RateControl, peak: Int?, frameRate: Double? = nil
    ) -> VideoEncoderSettings {
        VideoEncoderSettings(
            size: size, rateControl: rateControl, peak: peak.map { .init(bitrate: $0, frameRate: frameRate) },
            nominalFrameRate: rate)
    }

    /// A few frames that have nothing in common, as hard to encode as any.
    private final class Noise {
        private let frames: [TestFrame]
        var number = 0

        init() {
            var generator = SeededGenerator(seed: 5)
            frames = (0..<6).map { _ in
                let frame = TestFrame(size: BitrateLimitTests.size)
                frame.write(PixelRect(size: BitrateLimitTests.size), using: &generator)
                return frame
            }
        }

        /// Encodes so many seconds of them.
        func run(
            _ encoder: X264Encoder, seconds: Int, isFirstKeyframe: Bool = false, rate: Int = BitrateLimitTests.rate
        ) throws -> [EncodedSample] {
            try (0..<seconds * rate).map { index in
                number += 1
                return try encoder.encode(
                    frames[number % frames.count].planes, changed: .full(size: BitrateLimitTests.size),
                    at: MediaTime(ticks: Int64(number), timescale: Int32(rate)),
                    forceKeyframe: isFirstKeyframe && index == 0)
            }
        }
    }

    private static func bitrate(_ samples: [EncodedSample], rate: Int = rate) -> Int {
        samples.reduce(0) { $0 + $1.data.count } * 8 * rate / samples.count
    }

    /// The most bits by which any stretch of the stream exceeds what `peak` allows for its time.
    private static func largestBurst(_ samples: [EncodedSample], peak: Int) -> Double {
        var (burst, largest) = (0.0, 0.0)
        var last = samples[0].presentationTime
        for sample in samples {
            let elapsed = Double(sample.presentationTime.nanoseconds - last.nanoseconds) / 1e9
            burst = max(0, burst - elapsed * Double(peak)) + Double(sample.data.count * 8)
            last = sample.presentationTime
            largest = max(largest, burst)
        }
        return largest
    }

    @Test(
        .tags(.slow),
        arguments: [
            (VideoEncoderSettings.RateControl.averageBitrate(1_200_000), 1_200_000),
            (.constantQuantizer(14), 1_200_000),
        ])
    func `what is made follows the peak, down and up again`(
        rateControl: VideoEncoderSettings.RateControl, chosen: Int
    ) throws {
        let encoder = try X264Encoder(Self.settings(rateControl, peak: chosen))
        let noise = Noise()
        let before = Self.bitrate(try noise.run(encoder, seconds: 4))
        #expect((chosen / 2...chosen * 5 / 4).contains(before))
        for peak in [500_000, 250_000] {
            #expect(encoder.setPeak(.init(bitrate: peak)))
            _ = try noise.run(encoder, seconds: 1)  // what its buffer still allowed
            let reduced = Self.bitrate(try noise.run(encoder, seconds: 3))
            #expect((peak / 2...peak * 5 / 4).contains(reduced), "\(peak) was asked for")
        }
        #expect(encoder.setPeak(.init(bitrate: chosen)))
        _ = try noise.run(encoder, seconds: 2)
        let after = Self.bitrate(try noise.run(encoder, seconds: 3))
        #expect((chosen / 2...chosen * 5 / 4).contains(after))
    }

    @Test func `no frame is a burst, keyframes neither`() throws {
        let encoder = try X264Encoder(Self.settings(.constantQuantizer(20), peak: 250_000))
        let noise = Noise()
        for _ in 0..<4 {
            let samples = try noise.run(encoder, seconds: 1, isFirstKeyframe: true)
            #expect(samples[0].isKeyframe)
            // Half a second's worth, and the error of an estimate.
            #expect(try #require(samples.map(\.data.count).max()) * 8 < 150_000)
        }
    }

    @Test(arguments: [1, 2, 5, 12, 30])
    func `the peak is of the clock, however seldom frames come`(rate: Int) throws {
        let peak = 500_000
        let encoder = try X264Encoder(Self.settings(.constantQuantizer(14), peak: peak))
        let samples = try Noise().run(encoder, seconds: 12, rate: rate)
        #expect(Self.largestBurst(samples, peak: peak) < Double(peak) * 0.55, "half a second's worth")
        // At a lower frame rate, half a second's worth for each is less.
        if rate >= 5 { #expect(Self.bitrate(samples, rate: rate) > peak * 3 / 4) }
    }

    @Test func `after a rest no more comes than half a second's worth at once`() throws {
        let peak = 500_000
        let encoder = try X264Encoder(Self.settings(.constantQuantizer(14), peak: peak))
        let noise = Noise()
        var samples = try noise.run(encoder, seconds: 2)
        for rest in [300, 17, 90] {
            noise.number += rest
            samples += try noise.run(encoder, seconds: 2)
        }
        #expect(Self.largestBurst(samples, peak: peak) < Double(peak) * 0.55)
    }

    @Test func `frames that are limited to fewer a second take fewer bits, not the same`() throws {
        let peak = 500_000
        let encoder = try X264Encoder(Self.settings(.constantQuantizer(14), peak: peak, frameRate: 10))
        let noise = Noise()
        _ = try noise.run(encoder, seconds: 2, rate: 10)
        let limited = Self.bitrate(try noise.run(encoder, seconds: 6, rate: 10), rate: 10)
        #expect((peak / 5...peak * 5 / 12).contains(limited))
        #expect(encoder.setPeak(.init(bitrate: peak)))
        _ = try noise.run(encoder, seconds: 1, rate: 10)
        #expect(Self.bitrate(try noise.run(encoder, seconds: 6, rate: 10), rate: 10) > peak * 3 / 4)
    }

    @Test(arguments: [
        VideoEncoderSettings.RateControl.constantQuantizer(4), .constantQuantizer(23), .constantQuantizer(40),
        .averageBitrate(500_000), .averageBitrate(50_000_000),
    ])
    func `encoders that take over from each other make one stream`(
        rateControl: VideoEncoderSettings.RateControl
    ) throws {
        let chosen = try X264Encoder(Self.settings(rateControl, peak: nil))
        let decoder = try TestDecoder(chosen.h264ParameterSets)
        let noise = Noise()
        var last: EncodedSample?
        func check(_ samples: [EncodedSample]) throws {
            #expect(samples.first?.isKeyframe == true)
            for sample in samples {
                #expect(try decoder.decode(sample).size == Self.size)
                if let last { #expect(sample.presentationTime > last.presentationTime) }
                last = sample
            }
        }
        for round in 0..<2 {
            try check(try noise.run(chosen, seconds: 1, isFirstKeyframe: true))
            let reduced = try X264Encoder(
                Self.settings(rateControl, peak: round == 0 ? 100_000 : 100_000_000), continuing: chosen)
            #expect(reduced.format == chosen.format)
            noise.number -= 1  // the same instant again: it must not be taken twice
            try check(try noise.run(reduced, seconds: 1))
            chosen.follow(reduced)
            noise.number -= 1
        }
    }
}
