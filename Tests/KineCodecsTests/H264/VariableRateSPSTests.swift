// The frame rate in the sequence parameter set: frames come whenever they change.
import CoreTesting
import KineMedia
import Testing

@testable import KineCodecs

struct VariableRateSPSTests {
    @Test(arguments: [16, 320, 642, 1366, 1920, 3840], [10, 30, 60])
    func `what x264 writes says that the frame rate varies`(width: Int, rate: Int) throws {
        let size = PixelSize(width: width, height: 480)
        let encoder = try X264Encoder(
            VideoEncoderSettings(size: size, rateControl: .constantQuantizer(23), nominalFrameRate: rate))
        let unit = encoder.h264ParameterSets.sequence
        let payload = EmulationPrevention.removed(from: unit)
        let flag = try #require(VariableRateSPS.fixedFrameRateFlag(in: payload))
        #expect(payload[flag >> 3] & (0x80 >> UInt8(flag & 7)) == 0)
        // The 64 bits before it are num_units_in_tick and time_scale, of which x264 makes 1 and twice the rate.
        #expect(bits(payload, at: flag - 64) == 1)
        #expect(bits(payload, at: flag - 32) == UInt32(2 * rate))
    }

    @Test func `a parameter set without timing, or cut short, is left as it is`() {
        for unit: [UInt8] in [[], [0x67], [0x67, 100, 0, 40], [0x67, 66, 0, 40, 0xff, 0xff, 0, 0, 3, 1]] {
            #expect(VariableRateSPS.clearingFixedFrameRate(unit) == unit)
        }
    }

    @Test func `emulation prevention comes back as it went`() {
        var generator = SeededGenerator()
        for _ in 0..<1000 {
            // Small values make the sequences that need it frequent.
            let payload = (0..<40).map { _ in UInt8.random(in: 0...4, using: &generator) } + [0x80]
            let unit = EmulationPrevention.added(to: payload)
            #expect(EmulationPrevention.removed(from: unit) == payload)
            for index in 2..<unit.count where unit[index - 2] == 0 && unit[index - 1] == 0 {
                #expect(unit[index] >= 3)
            }
        }
    }

    private func bits(_ payload: [UInt8], at position: Int) -> UInt32 {
        (0..<32).reduce(0) { value, offset in
            let place = position + offset
            return value << 1 | UInt32(payload[place >> 3] >> UInt8(7 - place & 7) & 1)
        }
    }
}
