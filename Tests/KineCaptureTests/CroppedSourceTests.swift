// A part of a cast: its place in the upright picture, its damage, and what becomes of it when the monitor changes.
import CastTesting
import CoreTesting
import KineMedia
import Testing

@testable import KineCapture

@Suite(.serialized, .tags(.real)) struct CroppedSourceTests {
    /// Neither its place nor its size is one of whole tiles.
    private static let region = PixelRect(x: 21, y: 37, width: 83, height: 45)

    @Test func `a part of a cast shows its pixels and nothing else, and only its damage`() throws {
        let fixture = try CastFixture()
        let whole = try fixture.watch()
        let watcher = try Watcher(CroppedSource(whole.source, region: Self.region))
        #expect(watcher.size == Self.region.size && fixture.isShown(by: watcher, crop: Self.region))
        let inside = PixelRect(x: 60, y: 50, width: 5, height: 3)
        try fixture.producer.paint(inside, 0xff_0000)
        let damage = try watcher.damage(of: "frame damage=60,50,5,3", by: fixture.producer)
        #expect(fixture.isShown(by: watcher, crop: Self.region))
        #expect(!damage.isFull && damage.contains(column: 2, row: 0))
        try fixture.producer.paint(PixelRect(x: 0, y: 0, width: 8, height: 8), 0xff_0000)
        #expect(try watcher.damage(of: "frame damage=0,0,8,8", by: fixture.producer).isEmpty)
    }

    @Test func `a region lies in the upright picture, however the monitor is turned`() throws {
        let fixture = try CastFixture()
        let whole = try fixture.watch()
        // Within a picture of 160×96, and of 96×160.
        let region = PixelRect(x: 5, y: 50, width: 60, height: 30)
        let watcher = try Watcher(CroppedSource(whole.source, region: region))
        for transform in 0...7 {
            try fixture.producer.setPattern(transform + 1)
            #expect(try watcher.damage(of: "frame transform=\(transform)", by: fixture.producer).isFull)
            let orientation = Orientation(undoingWaylandTransform: Int32(transform))
            #expect(watcher.source.orientation == orientation)
            #expect(orientation.turned(watcher.size) == region.size)
            let part = orientation.turnedBack(region, of: PixelSize(width: 160, height: 96))
            #expect(fixture.isShown(by: watcher, crop: part), "\(transform)")
        }
    }

    @Test func `a monitor that becomes smaller shows less of the region, and one that has none of it left ends`() throws
    {
        let fixture = try CastFixture()
        let whole = try fixture.watch()
        let watcher = try Watcher(CroppedSource(whole.source, region: Self.region))
        try fixture.producer.resize(to: PixelSize(width: 64, height: 96))
        try fixture.send("frame", untilShownBy: watcher, crop: PixelRect(x: 21, y: 37, width: 43, height: 45))
        try fixture.producer.resize(to: PixelSize(width: 20, height: 96))
        let gone = VideoSourceError.outsideScreen(Self.region, screen: PixelSize(width: 20, height: 96))
        #expect(throws: gone) { try fixture.send("frame", untilShownBy: watcher) }
    }

    @Test func `a region outside of the picture is refused`() throws {
        let fixture = try CastFixture()
        let whole = try fixture.watch()
        let outside = PixelRect(x: 160, y: 0, width: 16, height: 16)
        #expect(throws: VideoSourceError.outsideScreen(outside, screen: PixelSize(width: 160, height: 96))) {
            try CroppedSource(whole.source, region: outside)
        }
    }
}
