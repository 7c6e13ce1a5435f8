// The stretching resampler: lengths, delay and fidelity.
import AudioTesting
import Testing

@testable import KineCodecs

@Suite struct AudioResamplerTests {
    @Test(arguments: [8000, 44100, 48000, 96000, 192_000], [0.0, 300e-6, -300e-6])
    func `output and delay together are as long as the input`(rate: Int, stretch: Double) throws {
        let resampler = try AudioResampler(inputRate: rate, outputRate: 48000, channels: 2)
        resampler.setStretch(stretch)
        var produced = 0
        let chunk = tone(from: 0, frames: rate / 4, channels: 2, rate: Double(rate))
        for _ in 0..<80 {
            resampler.convert(interleaved: chunk.span) { produced += $0.count / 2 }
        }
        let wanted = 20.0 * 48000 * (1 + stretch)
        #expect(abs(Double(produced) + resampler.delay - wanted) < 1.5)
        #expect(resampler.delay < 100)
    }

    @Test(arguments: [44100, 48000, 96000])
    func `a tone comes out in its place`(rate: Int) throws {
        let resampler = try AudioResampler(inputRate: rate, outputRate: 48000, channels: 1)
        let input = tone(from: 0, frames: rate, channels: 1, rate: Double(rate))
        var output: [Float] = []
        resampler.convert(interleaved: input.span) { samples in
            for index in samples.indices { output.append(samples[index]) }
        }
        let meant = tone(from: 0, frames: 48000, channels: 1)
        #expect(signalToNoise(output[1000..<47000], against: meant[1000..<47000]) > 60)
    }

    @Test func `after a reset nothing of before comes out`() throws {
        let resampler = try AudioResampler(inputRate: 48000, outputRate: 48000, channels: 1)
        resampler.convert(interleaved: tone(from: 0, frames: 4800, channels: 1).span) { _ in }
        resampler.reset()
        var loudest: Float = 0
        resampler.convert(interleaved: [Float](repeating: 0, count: 4800).span) { samples in
            for index in samples.indices { loudest = max(loudest, abs(samples[index])) }
        }
        #expect(loudest == 0)
    }
}
