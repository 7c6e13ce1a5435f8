// More extensions that want uncompressed pictures than one take has memory for.
import KineCapture
import KineControl
import KineMedia
import KineServices
import Testing

@testable import KineEngine

@Suite struct RawDestinationsTests {
    private func slots(_ count: Int) throws -> Int {
        var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 64, height: 64)), output: nil)
        configuration.audio.app = .none
        let services = (0..<count).map { index in
            var manifest = ServiceManifest(id: "raw\(index)", name: "Raw", executable: "raw")
            manifest.video = .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil)
            return manifest
        }
        let sound = try AudioPipeline(
            configuration: configuration.audio, clock: TakeClock(), onSample: { _ in }, onWarning: { _ in })
        let desk = FeedDesk(configuration: configuration, services: services, sound: sound, feeds: FeedList())
        return try desk.makeSlots(size: PixelSize(width: 64, height: 64)).count
    }

    @Test func `too many are an error in words, before the first picture`() throws {
        #expect(try slots(30) == 63)
        #expect {
            _ = try slots(40)
        } throws: {
            "\($0)".contains("40 destinations want uncompressed pictures")
        }
    }
}
