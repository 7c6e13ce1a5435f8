// A sequence parameter set to which the place of chroma samples is added.
import CodecTesting
import KineMedia
import Testing

@testable import KineCodecs

@Suite struct ChromaLocationSPSTests {
    @Test(arguments: [16, 326, 1280, 1920, 2560])
    func `nothing else changes, and it is added once`(width: Int) throws {
        let size = PixelSize(width: width, height: 354)
        let encoder = try OpenH264Encoder(
            VideoEncoderSettings(size: size, rateControl: .constantQuantizer(23), nominalFrameRate: 30))
        let unit = encoder.h264ParameterSets.sequence
        let sets = try SequenceParameters(unit)
        #expect(sets.size == size && sets.colour == [1, 1, 1] && sets.chromaLocation == [1, 1])
        #expect(sets.reorderedFrames == 0 && sets.bufferedFrames == 1)
        #expect(ChromaLocationSPS.insertingMiddle(unit) == unit)
    }

    @Test func `a parameter set that is cut short, or another NAL unit, is left as it is`() {
        for unit: [UInt8] in [[], [0x67], [0x67, 100, 0, 40], [0x68, 0]] {
            #expect(ChromaLocationSPS.insertingMiddle(unit) == unit)
        }
    }
}
