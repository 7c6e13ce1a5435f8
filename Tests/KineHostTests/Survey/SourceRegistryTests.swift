// The kinds of source.
import KineCapture
import KineMedia
import KinePlatform
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
        let kind = SourceRegistry.all.kind(of: configuration)
        let annotation = SourceAnnotation.describe(kind, size: PixelSize(width: 64, height: 48))
        #expect(annotation["source"] == name)
        #expect(annotation["size"] == "64x48")
    }

    @Test func `a chosen monitor is named to extensions`() {
        let size = PixelSize(width: 1920, height: 1080)
        func annotation(_ monitor: String?) -> [String: String] {
            let kind = SourceRegistry.all.kind(of: Self.configuration(.screen(monitor: monitor)))
            return SourceAnnotation.describe(kind, size: size)
        }
        #expect(annotation("eDP-1") == ["source": "screen", "monitor": "eDP-1", "size": "1920x1080"])
        #expect(annotation(nil)["monitor"] == nil)
    }

    /// A kind of source that says all that one can say.
    private struct Told: SourceKind {
        var annotation: [String: String] = [:]

        init() {}
        init?(_ request: SourceRequest) { return nil }
        func open(
            _ video: TakeConfiguration.Video, _ cancellation: Cancellation
        ) throws(VideoSourceError) -> any VideoSourceOpening { throw VideoSourceError("No.") }
        static func monitors() -> [SourceList.Monitor] {
            [0, 100].map { x in
                let bounds = PixelRect(x: x, y: 0, width: 100, height: 80)
                return SourceList.Monitor(name: "DP-\(x)", bounds: bounds, isPrimary: false, description: "DELL \(x)")
            }
        }
    }

    @Test func `a source is named for a person by what its kind says of it`() {
        func name(_ source: TakeConfiguration.Source, _ annotation: [String: String] = [:]) -> String {
            var kind = Told()
            kind.annotation = annotation
            return SourceAnnotation.name(of: source, kind, annotation, size: PixelSize(width: 64, height: 48))
        }
        let window = ["source": "window", "title": "Notes", "application": "no-such-program"]
        #expect(name(.window(7), window) == "Notes — No-such-program")
        #expect(name(.window(7), ["title": "Notes"]) == "Notes" && name(.window(7)) == "Window")
        #expect(name(.application("gimp", monitor: nil), ["application": "no-such-program"]) == "No-such-program")
        #expect(name(.screen(monitor: "DP-100")) == "DELL 100" && name(.screen(monitor: nil)) == "Whole screen")
        #expect(name(.region(PixelRect(x: 110, y: 0, width: 9, height: 9))) == "Area 9×9 of DELL 100")
        #expect(name(.drawnRegion) == "Area 64×48 of the screen")
        #expect(
            SourceAnnotation.name(of: .drawnRegion, nil, [:], size: .init(width: 2, height: 2)).hasPrefix("Area 2×2"))
    }

    @Test func `the doctor checks displays, then private ones`() {
        #expect(SourceRegistry.all.kinds.compactMap { $0.check()?.name } == ["display", "virtual"])
    }
}
