// The wait at the start of a cast. When it is over is tested with instants of a test's own in ScreenSettlingTests.
import CastTesting
import CoreTesting
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture

@Suite(.serialized, .tags(.real)) struct SettledOpeningTests {
    private static let size = PixelSize(width: 160, height: 96)
    private let fixture: CastFixture

    init() throws { fixture = try CastFixture(size: Self.size) }

    /// Sends frames until the opening is through.
    private func source(of opening: SettledOpening) throws -> any VideoSource {
        var source: (any VideoSource)?
        try wait("the cast") {
            try fixture.producer.begin("frame")
            source = try opening.processEvents()
            return source != nil
        }
        return try #require(source)
    }

    @Test func `a cast has time for the end of a dialog, and a region of it is what is read then`() throws {
        let start = MonotonicClock.now()
        let region = PixelRect(x: 16, y: 8, width: 64, height: 48)
        let opening = try SettledOpening(fixture.opening(), region: region)
        let watcher = try Watcher(source(of: opening))
        #expect(MonotonicClock.now() - start >= 150_000_000)
        #expect(watcher.size == region.size && watcher.pixels == fixture.producer.picture.cropped(region).pixels)
    }

    @Test func `a region that is outside of the monitor is refused`() throws {
        let region = PixelRect(x: 160, y: 0, width: 8, height: 8)
        let opening = try SettledOpening(fixture.opening(), region: region)
        #expect(throws: VideoSourceError.outsideScreen(region, screen: Self.size)) { try source(of: opening) }
    }
}
