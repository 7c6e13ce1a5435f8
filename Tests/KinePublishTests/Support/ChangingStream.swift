// Real H.264 whose frames change their size, in the form in which a take gives it.
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import KineX264
import Testing

struct ChangingStream: Sendable {
    static let sizes = [PixelSize(width: 320, height: 192), PixelSize(width: 160, height: 240)]
    static let framesPerSecond = 25

    /// Of each size.
    private(set) var formats: [VideoFormat] = []
    /// A second of each size, from a keyframe on.
    private var parts: [[EncodedSample]] = []

    init() throws {
        var generator = SeededGenerator(seed: 7)
        var last: X264Encoder?
        for size in Self.sizes {
            let encoder = try X264Encoder(
                VideoEncoderSettings(
                    size: size, rateControl: .constantQuantizer(23), nominalFrameRate: Self.framesPerSecond),
                continuing: last)
            let format = try #require(encoder.format)
            let frame = TestFrame(size: size)
            frame.write(PixelRect(size: size), using: &generator)
            var part: [EncodedSample] = []
            for number in 0..<Self.framesPerSecond {
                frame.write(PixelRect(x: 2 * number, y: 16, width: 64, height: 32), using: &generator)
                var sample = try frame.lend {
                    try encoder.encode(
                        $0, changed: .full(size: size), at: Self.time(number), forceKeyframe: number == 0)
                }
                if sample.isKeyframe {
                    sample.format = format
                    if !parts.isEmpty { sample.data = format.parameterSets.units + sample.data }
                }
                part.append(sample)
            }
            formats.append(format)
            parts.append(part)
            last = encoder
        }
    }

    /// Frame `number` of a stream that has the first size for `seconds`, and the second one from then on.
    func sample(_ number: Int, changingAfter seconds: Int = 1) -> EncodedSample {
        let part = parts[number < seconds * Self.framesPerSecond ? 0 : 1]
        var sample = part[number % Self.framesPerSecond]
        sample.presentationTime = Self.time(number)
        return sample
    }

    private static func time(_ number: Int) -> MediaTime {
        MediaTime(ticks: Int64(number), timescale: Int32(framesPerSecond))
    }
}
