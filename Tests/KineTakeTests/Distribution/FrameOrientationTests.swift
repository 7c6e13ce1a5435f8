// Uncompressed frames of a take that is turned: upright, or as the source has them and with the turn beside them.
import CoreTesting
import KineMedia
import Testing

@testable import KineTake

@Suite(.serialized) struct FrameOrientationTests {
    /// The source's.
    private static let size = PixelSize(width: 128, height: 96)
    /// Upper left, upper right, lower left, lower right.
    private static let corners = [(0, 0), (112, 0), (0, 80), (112, 80)].map { x, y in
        PixelRect(x: x, y: y, width: 16, height: 16)
    }
    private static let colours: [UInt32] = [0xff_0000, 0x00_ff00, 0x00_00ff, 0xff_ffff]

    /// A take whose picture has a colour in each corner, and what its readers have got when it is over.
    private func readers(_ services: [SampleRequirements], _ turn: Orientation) throws -> (FeedFixture, [FeedReader]) {
        let fixture = try FeedFixture(services: services) { $0.video.orientation = turn }
        let readers = try services.map { try fixture.reader($0) }
        for reader in readers { reader.expect("the first picture") { !$0.frames.isEmpty } }
        for (corner, colour) in zip(Self.corners, Self.colours) { try fixture.paint(corner, colour) }
        fixture.stop()
        let last = try #require(fixture.frames.samples.last?.presentationTime)
        for reader in readers {
            reader.expect("the last picture") { $0.frames.last?.time == last }
            reader.end()
            #expect(reader.frames.allSatisfy { $0.patched == $0.planes }, "the damage is of the frame as handed over")
            #expect(reader.feed.violation == nil)
        }
        return (fixture, readers)
    }

    /// With each turn, the corner of the source that is the upper left one of the upright picture.
    @Test(arguments: [
        (Orientation.up, 0), (.upMirrored, 1), (.down, 3), (.downMirrored, 2), (.leftMirrored, 0), (.right, 2),
        (.rightMirrored, 3), (.left, 1),
    ])
    func `a reader gets the source's pixels and the turn if it asks for them, and upright frames if not`(
        turn: Orientation, first: Int
    ) throws {
        let (fixture, readers) = try readers([.raw(orientation: .source), .raw()], turn)
        let source = try fixture.converted { $0.planes }
        #expect(readers[0].feed.stream.frames?.size == Self.size)
        #expect(readers[0].frames.last?.planes == source)
        #expect(readers[0].frames.allSatisfy { $0.orientation == turn })

        let upright = try #require(readers[1].frames.last)
        #expect(readers[1].feed.stream.frames?.size == turn.turned(Self.size))
        #expect(readers[1].feed.frames?.isReadInPlace == true, "they are the encoder's own")
        #expect(readers[1].frames.allSatisfy { $0.orientation == .up })
        let corner = Self.corners[first]
        #expect(upright.planes[0][0] == source[0][corner.y * Self.size.width + corner.x])
        // Turned as the tag says, the source's frames are the upright ones.
        let turned = try fixture.converted { $0.drawn(PictureGeometry(source: Self.size, orientation: turn)) }
        #expect(upright.planes == turned)
    }

    @Test(arguments: [Orientation.up, .right, .down, .left])
    func `a part is one of the frame as it is handed over`(turn: Orientation) throws {
        let shape = FrameShape(crop: .part(PixelRect(x: 96, y: 64, width: 200, height: 200)))
        let (fixture, readers) = try readers([.raw(shape: shape, orientation: .source)], turn)
        let geometry = shape.geometry(of: Self.size)
        #expect(geometry.size == PixelSize(width: 32, height: 32))
        #expect(readers[0].feed.stream.frames?.visibleSize == geometry.size)
        let part = try fixture.converted { $0.drawn(geometry) }
        #expect(readers[0].frames.last?.planes == part)
        #expect(readers[0].frames.allSatisfy { $0.orientation == turn })
    }

    @Test func `readers share frames that one has turned and another has turned back, each with its own tag`() throws {
        let turned = SampleRequirements.raw(shape: FrameShape(orientation: .left))
        let (_, readers) = try readers([.raw(orientation: .source), turned], .right)
        #expect(readers[0].feed.frames?.store === readers[1].feed.frames?.store)
        #expect(readers[0].frames.allSatisfy { $0.orientation == .right })
        #expect(readers[1].frames.allSatisfy { $0.orientation == .up })
        #expect(readers[0].frames.last?.planes == readers[1].frames.last?.planes)
    }

    @Test(arguments: [
        SampleRequirements.raw(orientation: .source),
        .raw(size: PixelSize(width: 640, height: 640), orientation: .source),
        .raw(size: PixelSize(width: 300, height: 1000), orientation: .source),
        .raw(shape: FrameShape(size: PixelSize(width: 640, height: 360)), orientation: .source),
        .raw(shape: FrameShape(size: PixelSize(width: 540, height: 960), crop: .fill), orientation: .source),
        .raw(
            shape: FrameShape(crop: .part(PixelRect(x: 1000, y: 7, width: 1000, height: 333))), orientation: .source),
    ])
    func `a size, a limit and a part are those of a take that is not turned`(samples: SampleRequirements) throws {
        let source = PixelSize(width: 1921, height: 1079)
        let plain = try #require(FrameRequirements(samples, size: source, framesPerSecond: 30))
        #expect(plain.orientation == .up)
        for turn in Orientation.allCases where turn != .up {
            let required = try #require(
                FrameRequirements(samples, size: turn.turned(source), turn: turn, framesPerSecond: 30))
            #expect(required.orientation == turn)
            #expect(required.layout == plain.layout)
            #expect(required.geometry.size == plain.geometry.size)
            #expect(required.geometry.place == plain.geometry.place)
            // The same pixels of the source.
            #expect(turn.turnedBack(required.geometry.part, of: source) == plain.geometry.part)
            #expect(!required.isNative)
        }
    }

    @Test(arguments: Orientation.allCases)
    func `an orientation and its inverse leave a frame as it was`(orientation: Orientation) {
        #expect(orientation.followed(by: orientation.inverse) == .up)
        #expect(orientation.inverse.followed(by: orientation) == .up)
    }
}
