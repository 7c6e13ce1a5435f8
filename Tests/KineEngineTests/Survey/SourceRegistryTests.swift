// The kinds of source.
import KineControl
import KineMedia
import Testing

@testable import KineEngine

@Suite struct SourceRegistryTests {
    private static let sources: [(source: TakeConfiguration.Source, name: String)] = [
        (.screen(monitor: nil), "screen"), (.region(PixelRect(x: 1, y: 2, width: 3, height: 4)), "region"),
        (.window(0x77_7777), "window"), (.application("no such", monitor: nil), "application"),
        (.virtual(PixelSize(width: 64, height: 48)), "virtual"),
        (.pattern(PixelSize(width: 64, height: 48)), "pattern"),
    ]

    @Test(arguments: sources.indices) func `each source is of exactly one kind, which names it to extensions`(
        index: Int
    ) {
        let (source, name) = Self.sources[index]
        #expect(SourceRegistry.kinds.count { $0.init(source) != nil } == 1)
        let annotation = SourceAnnotation.describe(source, size: PixelSize(width: 64, height: 48))
        #expect(annotation["source"] == name)
        #expect(annotation["size"] == "64x48")
    }

    @Test func `a chosen monitor is named to extensions`() {
        let size = PixelSize(width: 1920, height: 1080)
        let annotation = SourceAnnotation.describe(.screen(monitor: "eDP-1"), size: size)
        #expect(annotation == ["source": "screen", "monitor": "eDP-1", "size": "1920x1080"])
        #expect(SourceAnnotation.describe(.screen(monitor: nil), size: size)["monitor"] == nil)
    }

    @Test func `the doctor checks displays, then private ones`() {
        #expect(SourceRegistry.kinds.compactMap { $0.check()?.name } == ["display", "virtual"])
    }
}
