// The compositor: the source's pixels as they are, or scaled into a frame of another shape, and layers over them.
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

@Suite struct CompositorTests {
    /// Draws the tiles of `region` and commits; the frame goes back at once.
    private func composed(_ screen: TestScreen, on compositor: Compositor, _ region: DamageRegion? = nil) throws -> (
        planes: Planes, changed: DamageRegion
    ) {
        try #require(compositor.begin())
        for rect in (region ?? .full(size: screen.size)).rectangles() {
            screen.withPixels(at: rect) { compositor.draw(rect, pixels: $0, stride: $1) }
        }
        let frame = try #require(compositor.commit(evenIfUnchanged: true))
        defer { compositor.references.release(frame.slot) }
        return (Planes(frame.planes), frame.changed)
    }

    private func fresh(_ screen: TestScreen, in size: PixelSize) throws -> Planes {
        try composed(screen, on: Compositor(size: size, sourceSize: screen.size)).planes
    }

    @Test(arguments: [PixelSize(width: 641, height: 481), PixelSize(width: 100, height: 64)])
    func `a source of the frame's size is converted and nothing else`(size: PixelSize) throws {
        var generator = SeededGenerator(seed: 1)
        var screen = TestScreen(size: size)
        screen.scribble(PixelRect(size: size), using: &generator)
        let compositor = Compositor(size: size, sourceSize: size)
        #expect(compositor.codedSize == size.roundedUpToEven)
        #expect(try composed(screen, on: compositor).planes == Planes(converting: screen))
    }

    /// The rectangle of white in the luma of a frame: a source of one colour shows its shape.
    private func whiteArea(_ planes: Planes, in size: PixelSize) -> PixelRect {
        var bounds = (left: Int.max, top: Int.max, right: 0, bottom: 0)
        for y in 0..<size.height {
            for x in 0..<size.width where planes.y[y * planes.size.width + x] > 125 {
                bounds = (min(bounds.left, x), min(bounds.top, y), max(bounds.right, x + 1), max(bounds.bottom, y + 1))
            }
        }
        return PixelRect(
            x: bounds.left, y: bounds.top, width: bounds.right - bounds.left, height: bounds.bottom - bounds.top)
    }

    @Test(arguments: [
        (
            PixelSize(width: 400, height: 300), PixelSize(width: 640, height: 360),
            PixelRect(x: 80, y: 0, width: 480, height: 360)
        ),
        (
            PixelSize(width: 640, height: 360), PixelSize(width: 400, height: 300),
            PixelRect(x: 0, y: 37, width: 400, height: 225)
        ),
        (
            PixelSize(width: 1920, height: 1080), PixelSize(width: 320, height: 180),
            PixelRect(x: 0, y: 0, width: 320, height: 180)
        ),
        (
            PixelSize(width: 100, height: 100), PixelSize(width: 200, height: 200),
            PixelRect(x: 0, y: 0, width: 200, height: 200)
        ),
        (
            PixelSize(width: 300, height: 10), PixelSize(width: 90, height: 80),
            PixelRect(x: 0, y: 38, width: 90, height: 3)
        ),
        (
            PixelSize(width: 16, height: 3000), PixelSize(width: 90, height: 80),
            PixelRect(x: 44, y: 0, width: 1, height: 80)
        ),
    ])
    func `a source of another shape is in the middle, as large as fits, between black borders`(
        source: PixelSize, frame: PixelSize, wanted: PixelRect
    ) throws {
        let planes = try fresh(TestScreen(size: source, colour: 0xff_ffff), in: frame)
        #expect(whiteArea(planes, in: frame) == wanted)
        // Each sample is black or white and none has a colour. libyuv's filter weighs with seven bits: up to two levels of
        // white are lost.
        #expect(planes.y.allSatisfy { $0 == 16 || $0 >= 233 })
        #expect(planes.u.allSatisfy { $0 == 128 } && planes.v.allSatisfy { $0 == 128 })
    }

    @Test(
        .tags(.slow),
        arguments: [
            (PixelSize(width: 320, height: 240), PixelSize(width: 160, height: 120)),
            (PixelSize(width: 320, height: 240), PixelSize(width: 80, height: 60)),
            (PixelSize(width: 320, height: 240), PixelSize(width: 107, height: 80)),
            (PixelSize(width: 320, height: 200), PixelSize(width: 500, height: 360)),
            (PixelSize(width: 241, height: 181), PixelSize(width: 161, height: 201)),
            (PixelSize(width: 100, height: 50), PixelSize(width: 333, height: 222)),
            (PixelSize(width: 90, height: 70), PixelSize(width: 180, height: 140)),
            (PixelSize(width: 30, height: 20), PixelSize(width: 301, height: 222)),
            (PixelSize(width: 700, height: 30), PixelSize(width: 64, height: 64)),
            (PixelSize(width: 635, height: 477), PixelSize(width: 120, height: 90)),
            (PixelSize(width: 1001, height: 333), PixelSize(width: 78, height: 50)),
        ])
    func `damage drawn piece by piece gives the same frame as drawing everything`(
        source: PixelSize, frame: PixelSize
    ) throws {
        var generator = SeededGenerator(seed: UInt64(source.area * frame.area))
        let compositor = Compositor(size: frame, sourceSize: source)
        var screen = TestScreen(size: source)
        screen.scribble(PixelRect(size: source), using: &generator)
        var before = try composed(screen, on: compositor).planes
        for _ in 0..<40 {
            var damage = DamageRegion(size: source)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                var rect = screen.randomRect(using: &generator)
                if Bool.random(using: &generator) { rect = PixelRect(x: rect.x, y: rect.y, width: 1, height: 1) }
                screen.scribble(rect, using: &generator)
                damage.insert(rect)
            }
            let (planes, changed) = try composed(screen, on: compositor, damage)
            let whole = try fresh(screen, in: frame)
            #expect(planes == whole)
            #expect(changed == whole.difference(from: before))
            before = planes
        }
    }

    @Test func `a source that grows, shrinks and comes back is shown whole each time`() throws {
        var generator = SeededGenerator(seed: 8)
        let frame = PixelSize(width: 321, height: 241)
        let compositor = Compositor(size: frame, sourceSize: frame)
        let sizes = [
            frame, PixelSize(width: 200, height: 241), PixelSize(width: 640, height: 100), frame,
            PixelSize(width: 64, height: 64), PixelSize(width: 641, height: 481), frame,
        ]
        for size in sizes {
            var screen = TestScreen(size: size)
            screen.scribble(PixelRect(size: size), using: &generator)
            compositor.changeSource(to: size, orientation: .up)
            #expect(compositor.sourceSize == size)
            let planes = try composed(screen, on: compositor).planes
            #expect(planes == (try fresh(screen, in: frame)))
            if size == frame { #expect(planes == Planes(converting: screen)) }
        }
    }

    @Test(arguments: [
        PixelSize(width: 320, height: 240), PixelSize(width: 213, height: 160), PixelSize(width: 250, height: 188),
        PixelSize(width: 107, height: 80), PixelSize(width: 80, height: 60),
    ])
    func `lines of one pixel become an even grey in a much smaller frame`(frame: PixelSize) throws {
        var screen = TestScreen(size: PixelSize(width: 639, height: 480), colour: 0)
        for x in stride(from: 0, to: 639, by: 2) {
            screen.fill(PixelRect(x: x, y: 0, width: 1, height: 480), 0xff_ffff)
        }
        let planes = try fresh(screen, in: frame)
        let row = (8..<frame.width - 8).map { planes.y[frame.height / 2 * planes.size.width + $0] }
        #expect(row.allSatisfy { (110...142).contains($0) }, "\(row.min() ?? 0) to \(row.max() ?? 0)")
    }

    @Test(arguments: ColourFormat.allCases)
    func `scaled and turned frames of every chroma and range are like the reference, drawn whole or in parts`(
        colour: ColourFormat
    ) throws {
        var screen = TestScreen(page: PixelSize(width: 318, height: 202))
        var generator = SeededGenerator(seed: 13)
        for (orientation, size) in [
            (Orientation.up, PixelSize(width: 318, height: 202)), (.up, PixelSize(width: 160, height: 101)),
            (.up, PixelSize(width: 481, height: 305)), (.right, PixelSize(width: 202, height: 318)),
        ] {
            let compositor = Compositor(
                size: size, sourceSize: screen.size, orientation: orientation, colour: colour)
            let geometry = PictureGeometry(
                source: screen.size, orientation: orientation, crop: .fit, size: size)
            let planes = try composed(screen, on: compositor).planes
            let reference = ReferencePicture(
                screen, orientation: orientation, part: orientation.turned(geometry.part, of: screen.size),
                place: geometry.place, in: size)
            if size == size.roundedUpToEven {
                for (plane, wanted) in zip([planes.y, planes.u, planes.v], reference.planes(colour)) {
                    let likeness = ReferencePicture.likeness(of: plane, to: wanted)
                    #expect(likeness >= 45, "\(likeness) dB, \(geometry)")
                }
            }
            for _ in 0..<10 {
                let rect = screen.randomRect(using: &generator)
                screen.scribble(rect, using: &generator)
                var damage = DamageRegion(size: screen.size)
                damage.insert(rect)
                let part = try composed(screen, on: compositor, damage).planes
                let whole = Compositor(size: size, sourceSize: screen.size, orientation: orientation, colour: colour)
                #expect(try composed(screen, on: whole).planes == part, "\(geometry)")
            }
            screen = TestScreen(page: screen.size)
        }
    }
}
