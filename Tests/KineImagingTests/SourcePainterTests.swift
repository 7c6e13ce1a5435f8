// What is painted over the pixels of a source before they are composed.
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

@Suite struct SourcePainterTests {
    private static let size = PixelSize(width: 200, height: 200)
    private static let spot = PixelRect(x: 60, y: 70, width: 10, height: 8)
    private static let ink: UInt32 = 0xff_8000

    /// Fills one rectangle.
    private final class Spot: SourcePainter {
        var rect = SourcePainterTests.spot
        private(set) var areas: [PixelRect] = []

        func bounds(in area: PixelRect) -> PixelRect { rect.intersection(area) }

        func paint(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
            areas.append(area)
            let common = bounds(in: area)
            for y in common.y..<common.maxY {
                let row = (pixels + (y - area.y) * stride).assumingMemoryBound(to: UInt32.self)
                for x in common.x..<common.maxX { row[x - area.x] = SourcePainterTests.ink }
            }
        }
    }

    private func compose(_ screen: TestScreen, on compositor: Compositor, isScratch: Bool) throws -> Planes {
        try #require(compositor.begin())
        // Pixels that may be painted over are the test's own.
        var pixels = screen.pixels
        pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            compositor.draw(
                PixelRect(size: screen.size), pixels: base, stride: screen.size.width * 4, isScratch: isScratch)
        }
        let frame = try #require(compositor.commit(evenIfUnchanged: true))
        defer { compositor.references.release(frame.slot) }
        return Planes(frame.planes)
    }

    private func screen() -> TestScreen {
        var generator = SeededGenerator(seed: 3)
        var screen = TestScreen(size: Self.size)
        screen.scribble(PixelRect(size: Self.size), using: &generator)
        return screen
    }

    @Test(arguments: [Self.size, PixelSize(width: 100, height: 100)])
    func `it is in the frame as if the source had it, also scaled, and is left out without a painter`(
        output: PixelSize
    ) throws {
        let plain = screen()
        var painted = plain
        painted.fill(Self.spot, Self.ink)
        let compositor = Compositor(size: output, sourceSize: Self.size)
        let spot = Spot()
        compositor.painter = spot
        let wanted = try compose(painted, on: Compositor(size: output, sourceSize: Self.size), isScratch: false)
        #expect(try compose(plain, on: compositor, isScratch: false) == wanted)
        // Only the row of tiles with the spot was copied.
        #expect(spot.areas == [PixelRect(x: 0, y: 64, width: 200, height: 16)])
        compositor.painter = nil
        let unpainted = try compose(plain, on: Compositor(size: output, sourceSize: Self.size), isScratch: false)
        #expect(try compose(plain, on: compositor, isScratch: false) == unpainted)
    }

    @Test func `pixels that the source has no use for are painted over in place`() throws {
        let compositor = Compositor(size: Self.size, sourceSize: Self.size)
        let spot = Spot()
        compositor.painter = spot
        var painted = screen()
        painted.fill(Self.spot, Self.ink)
        #expect(try compose(screen(), on: compositor, isScratch: true) == Planes(converting: painted))
        #expect(spot.areas == [PixelRect(size: Self.size)])
    }

    @Test func `a card has nothing painted over it`() throws {
        let compositor = Compositor(size: Self.size, sourceSize: Self.size)
        let spot = Spot()
        compositor.painter = spot
        try #require(compositor.begin())
        compositor.fill(.full(size: Self.size), with: .init(red: 40, green: 40, blue: 40))
        let frame = try #require(compositor.commit(evenIfUnchanged: true))
        defer { compositor.references.release(frame.slot) }
        #expect(spot.areas.isEmpty && Set(Planes(frame.planes).y).count == 1)
    }

    @Test func `rows of tiles around what is painted are copied, and no others`() {
        let rect = PixelRect(x: 64, y: 64, width: 100, height: 300)
        func rows(_ painted: PixelRect) -> [[Int]] {
            Compositor.pieces(of: rect, around: painted.intersection(rect))
                .map { [$0.rect.y, $0.rect.maxY, $0.isPainted ? 1 : 0] }
        }
        #expect(rows(PixelRect(x: 0, y: 0, width: 10, height: 10)) == [[64, 364, 0]])
        #expect(rows(PixelRect(x: 70, y: 60, width: 10, height: 10)) == [[64, 80, 1], [80, 364, 0]])
        let two = rows(PixelRect(x: 70, y: 127, width: 10, height: 2))
        #expect(two == [[64, 112, 0], [112, 144, 1], [144, 364, 0]])
        #expect(rows(PixelRect(x: 70, y: 360, width: 10, height: 99)) == [[64, 352, 0], [352, 364, 1]])
        let one = rows(PixelRect(x: 70, y: 200, width: 1, height: 1))
        #expect(one == [[64, 192, 0], [192, 208, 1], [208, 364, 0]])
    }
}
