// The frame rate in the sequence parameter set: frames come whenever they change.
import KineCodecs
import KineMedia
import Testing

@testable import KineX264

@Suite struct VariableRateTests {
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

    private func bits(_ payload: [UInt8], at position: Int) -> UInt32 {
        (0..<32).reduce(0) { value, offset in
            let place = position + offset
            return value << 1 | UInt32(payload[place >> 3] >> UInt8(7 - place & 7) & 1)
        }
    }
}
