// Layers over the source's frame: the tiles that each changes, and frames drawn piece by piece, which equal those composed at
// once.
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

@Suite struct LayerTests {
    /// The pixels of a layer, and its place in the output.
    private struct Content {
        let place: PixelRect
        var pixels: TestScreen

        func layer(in output: PixelSize) -> Layer {
            let layer = Layer(PictureGeometry(source: pixels.size, place: place, in: output))
            draw(PixelRect(size: pixels.size), on: layer)
            return layer
        }

        func draw(_ rect: PixelRect, on layer: Layer) {
            pixels.withPixels(at: rect) { layer.draw(rect, pixels: $0, stride: $1) }
        }
    }

    /// Reads the source where it or a layer changed, and commits. Returns also the region read.
    private func frame(
        of screen: TestScreen, on compositor: Compositor, damage: DamageRegion
    ) throws -> (planes: Planes, changed: DamageRegion, read: DamageRegion) {
        var region = damage
        compositor.addDamage(to: &region)
        try #require(compositor.begin())
        for rect in region.rectangles() {
            screen.withPixels(at: rect) { compositor.draw(rect, pixels: $0, stride: $1) }
        }
        let frame = try #require(compositor.commit(evenIfUnchanged: true))
        defer { compositor.references.release(frame.slot) }
        return (Planes(frame.planes), frame.changed, region)
    }

    /// The same frame composed at once.
    private func whole(_ screen: TestScreen, _ contents: [Content], in size: PixelSize) throws -> Planes {
        let compositor = Compositor(size: size, sourceSize: screen.size)
        for content in contents { compositor.add(content.layer(in: size)) }
        return try frame(of: screen, on: compositor, damage: .full(size: screen.size)).planes
    }

    private func randomContent(
        _ output: PixelSize, isScaled: Bool, using generator: inout SeededGenerator
    ) -> Content {
        let width = Int.random(in: 1...output.width, using: &generator)
        let height = Int.random(in: 1...output.height, using: &generator)
        let place = PixelRect(
            x: Int.random(in: -width / 2...output.width - 1, using: &generator),
            y: Int.random(in: -height / 2...output.height - 1, using: &generator), width: width, height: height)
        let size =
            isScaled
            ? PixelSize(
                width: Int.random(in: 1...output.width, using: &generator),
                height: Int.random(in: 1...output.height, using: &generator)) : place.size
        var pixels = TestScreen(size: size)
        pixels.scribbleTransparent(PixelRect(size: size), using: &generator)
        return Content(place: place, pixels: pixels)
    }

    @Test func `a layer that changes touches its own rectangle of the output and nothing else`() throws {
        var generator = SeededGenerator(seed: 12)
        let size = PixelSize(width: 320, height: 200)
        var screen = TestScreen(size: size)
        screen.scribble(PixelRect(size: size), using: &generator)
        let compositor = Compositor(size: size, sourceSize: size)
        var content = Content(
            place: PixelRect(x: 100, y: 90, width: 80, height: 60),
            pixels: TestScreen(size: PixelSize(width: 80, height: 60), colour: 0xff00_8000))
        let layer = content.layer(in: size)
        compositor.add(layer)
        let before = try frame(of: screen, on: compositor, damage: .full(size: size)).planes

        // A change that the source does not report must not be seen either.
        screen.scribble(PixelRect(x: 0, y: 0, width: 320, height: 80), using: &generator)
        content.pixels.fill(PixelRect(x: 30, y: 20, width: 9, height: 9), 0xff80_0000)
        content.draw(PixelRect(x: 30, y: 20, width: 9, height: 9), on: layer)
        let after = try frame(of: screen, on: compositor, damage: DamageRegion(size: size))
        var expected = DamageRegion(size: size)
        expected.insert(PixelRect(x: 130, y: 110, width: 9, height: 9))
        #expect(after.read == expected)
        var outside = after.planes.difference(from: before)
        outside.subtract(expected)
        #expect(outside.isEmpty && !after.changed.isEmpty)

        let still = try frame(of: screen, on: compositor, damage: DamageRegion(size: size))
        #expect(still.read.isEmpty && still.changed.isEmpty && still.planes == after.planes)
    }

    @Test(arguments: [PixelSize(width: 160, height: 90), PixelSize(width: 101, height: 67)])
    func `layers are blended from the lowest to the highest`(size: PixelSize) throws {
        var generator = SeededGenerator(seed: UInt64(size.area))
        for _ in 0..<20 {
            var screen = TestScreen(size: size)
            screen.scribble(PixelRect(size: size), using: &generator)
            let contents = (0..<3).map { _ in randomContent(size, isScaled: false, using: &generator) }
            let planes = try whole(screen, contents, in: size)
            for content in contents { screen.blend(content.pixels, at: content.place) }
            #expect(planes == Planes(converting: screen))
        }
    }

    @Test(arguments: [
        (PixelSize(width: 160, height: 90), PixelSize(width: 160, height: 90)),
        (PixelSize(width: 101, height: 67), PixelSize(width: 101, height: 67)),
        (PixelSize(width: 200, height: 90), PixelSize(width: 120, height: 100)),
        (PixelSize(width: 90, height: 70), PixelSize(width: 181, height: 140)),
    ])
    func `layers that change, come and go one by one give the same frame as composing everything`(
        source: PixelSize, size: PixelSize
    ) throws {
        var generator = SeededGenerator(seed: UInt64(source.area * size.area))
        var screen = TestScreen(size: source)
        screen.scribble(PixelRect(size: source), using: &generator)
        let compositor = Compositor(size: size, sourceSize: source)
        var layers: [(layer: Layer, content: Content)] = []
        var before = try frame(of: screen, on: compositor, damage: .full(size: source)).planes
        for _ in 0..<120 {
            var damage = DamageRegion(size: source)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0 where layers.count < 3:
                    let content = randomContent(size, isScaled: .random(using: &generator), using: &generator)
                    layers.append((content.layer(in: size), content))
                    compositor.add(layers[layers.count - 1].layer)
                case 1 where !layers.isEmpty:
                    let index = layers.indices.randomElement(using: &generator) ?? 0
                    compositor.remove(layers.remove(at: index).layer)
                case 2...3 where !layers.isEmpty:
                    let index = layers.indices.randomElement(using: &generator) ?? 0
                    let rect = layers[index].content.pixels.randomRect(using: &generator)
                    layers[index].content.pixels.scribbleTransparent(rect, using: &generator)
                    layers[index].content.draw(rect, on: layers[index].layer)
                default:
                    let rect = screen.randomRect(using: &generator)
                    screen.scribble(rect, using: &generator)
                    damage.insert(rect)
                }
            }
            let now = try frame(of: screen, on: compositor, damage: damage)
            #expect(now.planes == (try whole(screen, layers.map(\.content), in: size)))
            #expect(now.changed == now.planes.difference(from: before))
            before = now.planes
        }
    }

    @Test func `a layer stays when the source changes its size`() throws {
        var generator = SeededGenerator(seed: 3)
        let size = PixelSize(width: 160, height: 96)
        let compositor = Compositor(size: size, sourceSize: size)
        let content = randomContent(size, isScaled: true, using: &generator)
        compositor.add(content.layer(in: size))
        for source in [size, PixelSize(width: 64, height: 64), PixelSize(width: 320, height: 100), size] {
            var screen = TestScreen(size: source)
            screen.scribble(PixelRect(size: source), using: &generator)
            compositor.changeSource(to: source, orientation: .up)
            let planes = try frame(of: screen, on: compositor, damage: .full(size: source)).planes
            #expect(planes == (try whole(screen, [content], in: size)))
        }
    }
}

extension TestScreen {
    /// Every pixel of `rect` gets a premultiplied colour of its own; some are opaque and some are not there at all.
    fileprivate mutating func scribbleTransparent(_ rect: PixelRect, using generator: inout some RandomNumberGenerator)
    {
        for y in rect.y..<rect.maxY {
            for x in rect.x..<rect.maxX {
                let alpha =
                    [0, 255, UInt32.random(in: 1...254, using: &generator)].randomElement(using: &generator) ?? 0
                pixels[y * size.width + x] = (0..<3).reduce(alpha << 24) { pixel, channel in
                    pixel | UInt32.random(in: 0...alpha, using: &generator) << (8 * UInt32(channel))
                }
            }
        }
    }

    /// Lays `other` over `self`, as libyuv rounds it.
    fileprivate mutating func blend(_ other: TestScreen, at place: PixelRect) {
        let inside = place.intersection(PixelRect(size: size))
        for y in inside.y..<inside.maxY {
            for x in inside.x..<inside.maxX {
                let top = other.pixels[(y - place.y) * other.size.width + x - place.x]
                let bottom = pixels[y * size.width + x]
                pixels[y * size.width + x] = [UInt32(0), 8, 16].reduce(0) { pixel, shift in
                    let kept = ((256 - top >> 24) * (bottom >> shift & 255)) >> 8
                    let value = kept + (top >> shift & 255)
                    return pixel | min(value, 255) << shift
                }
            }
        }
    }
}
