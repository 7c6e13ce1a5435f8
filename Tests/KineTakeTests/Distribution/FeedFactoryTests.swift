// More extensions that want uncompressed frames than one take has memory for.
import KineCapture
import KineMedia
import Testing

@testable import KineTake

@Suite struct FeedFactoryTests {
    private func slots(_ count: Int) throws -> Int {
        var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 64, height: 64)), output: nil)
        configuration.audio.app = .none
        let services = [SampleRequirements](repeating: .raw(), count: count)
        let audio = try AudioPipeline(configuration: configuration.audio, clock: TakeClock(), observer: TakeEvents())
        let factory = FeedFactory(configuration: configuration, services: services, sources: .pattern, audio: audio)
        return try factory.makeSlots(size: PixelSize(width: 64, height: 64)).count
    }

    @Test func `too many are an error with their number, before the first frame`() throws {
        #expect(try slots(30) == 64)
        let error = #expect(throws: VideoSourceError.self) { try slots(40) }
        #expect(
            error?.sentence.hasPrefix("40 destinations want uncompressed frames, and one take has room for 29; ")
                == true)
    }
}
