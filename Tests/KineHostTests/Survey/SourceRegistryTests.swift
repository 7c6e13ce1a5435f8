// The kinds of source.
import KineMedia
import Testing

@testable import KineHost
@testable import KineTake

@Suite struct SourceRegistryTests {
    private static let sources: [(source: TakeConfiguration.Source, name: String)] = [
        (.screen(monitor: nil), "screen"), (.region(PixelRect(x: 1, y: 2, width: 3, height: 4)), "region"),
        (.window(0x77_7777), "window"), (.application("no such", monitor: nil), "application"),
        (.virtual(PixelSize(width: 64, height: 48)), "virtual"), (.drawnRegion, "region"),
        (.virtualWayland(PixelSize(width: 64, height: 48)), "virtual"), (.chosenWindow, "window"),
        (.pattern(PixelSize(width: 64, height: 48)), "pattern"),
        (.commandWindow(.init(.first, privateScreen: PixelSize(width: 64, height: 48))), "window"),
        (.commandWindow(.init(.titled("no such"))), "window"),
        (.commandWindow(.init(.application("no such", monitor: nil))), "application"),
    ]

    private static func configuration(
        _ source: TakeConfiguration.Source, _ backend: TakeConfiguration.Backend? = nil
    ) -> TakeConfiguration {
        var configuration = TakeConfiguration(source: source, output: nil)
        configuration.backend = backend
        return configuration
    }

    @Test(arguments: sources.indices, [nil, .x11, .wlr, .portal] as [TakeConfiguration.Backend?])
    func `each source is of exactly one kind, which names it to extensions`(
        index: Int, backend: TakeConfiguration.Backend?
    ) {
        let (source, name) = Self.sources[index]
        let configuration = Self.configuration(source, backend)
        #expect(SourceRegistry.all.kinds.count { $0.init(SourceRequest(configuration)) != nil } == 1)
        let annotation = SourceAnnotation.describe(configuration, of: .all, size: PixelSize(width: 64, height: 48))
        #expect(annotation["source"] == name)
        #expect(annotation["size"] == "64x48")
    }

    @Test func `a chosen monitor is named to extensions`() {
        let size = PixelSize(width: 1920, height: 1080)
        let annotation = SourceAnnotation.describe(Self.configuration(.screen(monitor: "eDP-1")), of: .all, size: size)
        #expect(annotation == ["source": "screen", "monitor": "eDP-1", "size": "1920x1080"])
        #expect(
            SourceAnnotation.describe(Self.configuration(.screen(monitor: nil)), of: .all, size: size)["monitor"] == nil
        )
    }

    @Test func `the doctor checks displays, then private ones`() {
        #expect(SourceRegistry.all.kinds.compactMap { $0.check()?.name } == ["display", "virtual"])
    }
}
