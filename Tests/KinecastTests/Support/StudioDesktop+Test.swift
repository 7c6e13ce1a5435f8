// The studio's desktop for an app under test, whose windows the test opens.
import KineClient
import KineMeasure
import KinePlatform
import KineTakes
import KineWire
import ProcessTesting
import Testing

@testable import Kinecast

final class TestStudioDesktop: Sendable {
    let desktop: StudioDesktop
    private let links: Monitor<[LiveLink]>

    init(_ studio: RunningStudio, _ locator: EngineLocator = EngineLocator()) throws {
        let socket = try studio.place.registry().studioSocket
        let links = Monitor<[LiveLink]>([])
        self.links = links
        desktop = StudioDesktop(
            locator: locator, hasDisplay: true, socket: { socket },
            opener: { link in
                if let link = LiveLink(link.address) { links.signal { $0.append(link) } }
            })
    }

    /// Opens the next window.
    func open(in window: StudioWindow) throws {
        let link = links.wait { $0.isEmpty ? nil : $0.removeFirst() }
        let found = try #require(link)
        try window.browser.open("\(found.base)#\(found.token)")
    }
}
