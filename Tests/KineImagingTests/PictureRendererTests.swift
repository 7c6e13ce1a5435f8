// Pictures in every pixel format, out of every kind of source: turned, cropped and scaled.
import CPixels
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

@Suite struct PictureRendererTests {
    /// A frame in memory of its own.
    private final class Frame {
        let layout: FrameLayout
        let base: UnsafeMutableRawPointer

        init(_ layout: FrameLayout) {
            self.layout = layout
            base = .allocate(byteCount: layout.slotBytes, alignment: 64)
            base.initializeMemory(as: UInt8.self, repeating: 0x55, count: layout.slotBytes)
        }

        deinit { base.deallocate() }

        /// The bytes of each plane, without the padding.
        var planes: [[UInt8]] {
            layout.pixelFormat.planeExtents(of: layout.size).enumerated().map { plane, extent in
                (0..<extent.1).flatMap { row in
                    let start = base + layout.planeOffsets[plane] + row * layout.planeStrides[plane]
                    return Array(UnsafeRawBufferPointer(start: start, count: extent.0))
                }
            }
        }
    }

    /// The screen in the pixel format of a source.
    private final class Source {
        let screen: TestScreen
        private let planar: Frame?

        init(_ screen: TestScreen, isPlanar: Bool) {
            self.screen = screen
            planar = isPlanar ? Frame(FrameLayout(pixelFormat: .i420, size: screen.size)) : nil
            guard let planar else { return }
            screen.withPixels(at: PixelRect(size: screen.size)) { pixels, stride in
                let bgra = PictureSource.bgra(base: pixels, stride: stride)
                PictureRenderer(PictureGeometry(source: screen.size), layout: planar.layout)
                    .draw(.full(size: screen.size), of: bgra, at: planar.base)
            }
        }

        func show(_ body: (PictureSource) -> Void) {
            if let planar {
                body(.planar(planar.layout.i420(at: planar.base)))
            } else {
                screen.withPixels(at: PixelRect(size: screen.size)) { body(.bgra(base: $0, stride: $1)) }
            }
        }
    }

    private static let geometries: [(Orientation, PictureGeometry.Crop, PixelSize)] = Orientation.allCases.flatMap {
        orientation -> [(Orientation, PictureGeometry.Crop, PixelSize)] in
        [
            (orientation, .fit, PixelSize(width: 160, height: 100)),
            (orientation, .fit, PixelSize(width: 216, height: 384)),
            (orientation, .fill, PixelSize(width: 108, height: 192)),
            (orientation, .fill, PixelSize(width: 400, height: 300)),
            (orientation, .part(PixelRect(x: 20, y: 12, width: 96, height: 80)), PixelSize(width: 96, height: 80)),
            (orientation, .part(PixelRect(x: 21, y: 13, width: 97, height: 81)), PixelSize(width: 64, height: 64)),
        ]
    }

    @Test(.tags(.slow), arguments: [PixelFormat.i420, .nv12, .bgra], [false, true])
    func `parts are as in the whole picture`(format: PixelFormat, isPlanar: Bool) {
        var generator = SeededGenerator(seed: 9)
        var screen = TestScreen(size: PixelSize(width: 320, height: 200))
        screen.scribble(PixelRect(size: screen.size), using: &generator)
        let source = Source(screen, isPlanar: isPlanar)
        for (orientation, crop, size) in Self.geometries {
            let geometry = PictureGeometry(source: screen.size, orientation: orientation, crop: crop, size: size)
            let layout = FrameLayout(pixelFormat: format, size: size)
            let renderer = PictureRenderer(geometry, layout: layout)
            let (whole, parts) = (Frame(layout), Frame(layout))
            source.show { renderer.draw(.full(size: size), of: $0, at: whole.base) }
            var rest = DamageRegion.full(size: size)
            while !rest.isEmpty {
                var part = DamageRegion(size: size)
                let (x, y) = (
                    Int.random(in: 0..<size.width, using: &generator),
                    Int.random(in: 0..<size.height, using: &generator)
                )
                part.insert(PixelRect(x: x, y: y, width: size.width / 3, height: size.height / 3))
                if rest.tileCount < 12 { part = rest }
                source.show { renderer.draw(part, of: $0, at: parts.base) }
                rest.subtract(part)
            }
            #expect(parts.planes == whole.planes, "\(geometry)")
        }
    }

    @Test func `only damage that is mapped has to be drawn`() {
        var generator = SeededGenerator(seed: 10)
        for (orientation, crop, size) in Self.geometries {
            var screen = TestScreen(size: PixelSize(width: 320, height: 200))
            screen.scribble(PixelRect(size: screen.size), using: &generator)
            let geometry = PictureGeometry(source: screen.size, orientation: orientation, crop: crop, size: size)
            let layout = FrameLayout(pixelFormat: .i420, size: size)
            for isPlanar in [false, true] {
                let renderer = PictureRenderer(geometry, layout: layout)
                let frame = Frame(layout)
                Source(screen, isPlanar: isPlanar).show { renderer.draw(.full(size: size), of: $0, at: frame.base) }
                for _ in 0..<4 {
                    let rect = screen.randomRect(using: &generator)
                    screen.scribble(rect, using: &generator)
                    var damage = DamageRegion(size: screen.size)
                    damage.insert(rect)
                    let source = Source(screen, isPlanar: isPlanar)
                    source.show { renderer.draw(geometry.map(damage), of: $0, at: frame.base) }
                    let whole = Frame(layout)
                    source.show { renderer.draw(.full(size: size), of: $0, at: whole.base) }
                    #expect(frame.planes == whole.planes, "\(geometry)")
                }
            }
        }
    }

    @Test func `planes are like those of the reference`() {
        let screen = TestScreen(page: PixelSize(width: 318, height: 202))
        for (orientation, crop, size) in Self.geometries {
            let geometry = PictureGeometry(source: screen.size, orientation: orientation, crop: crop, size: size)
            let shown = orientation.turned(geometry.part, of: screen.size)
            let reference = ReferencePicture(
                screen, orientation: orientation, part: shown, place: geometry.place, in: size
            ).planes()
            let frame = Frame(FrameLayout(pixelFormat: .i420, size: size))
            let renderer = PictureRenderer(geometry, layout: frame.layout)
            Source(screen, isPlanar: false).show { renderer.draw(.full(size: size), of: $0, at: frame.base) }
            for (plane, wanted) in zip(frame.planes, reference) {
                let likeness = ReferencePicture.likeness(of: plane, to: wanted)
                #expect(likeness >= 45, "\(likeness) dB, \(geometry)")
            }
            // Of a source of 4:2:0 the chroma has lost what its samples cannot hold, and some luma at the borders of colours.
            Source(screen, isPlanar: true).show { renderer.draw(.full(size: size), of: $0, at: frame.base) }
            let likeness = ReferencePicture.likeness(of: frame.planes[0], to: reference[0])
            #expect(likeness >= (PlanarPlan(geometry) != nil ? 45 : 38), "\(likeness) dB of planes, \(geometry)")
        }
    }

    @Test(arguments: ColourFormat.allCases, PixelFormat.allCases)
    func `frames of every chroma and range become the same picture`(colour: ColourFormat, format: PixelFormat) {
        // Colours change at even places only, so that 4:2:0 holds them too.
        var screen = TestScreen(size: PixelSize(width: 96, height: 64))
        var generator = SeededGenerator(seed: 11)
        for x in stride(from: 0, to: screen.size.width, by: 8) {
            for y in stride(from: 0, to: screen.size.height, by: 8) {
                let random = UInt32.random(in: 0...0xff_ffff, using: &generator)
                screen.fill(PixelRect(x: x, y: y, width: 8, height: 8), random | 0xff00_0000)
            }
        }
        let ring = FrameRing(size: screen.size, colour: colour)
        #expect(ring.begin())
        screen.withPixels(at: PixelRect(size: screen.size)) {
            ring.draw(PixelRect(size: screen.size), bgra: $0, stride: $1)
        }
        guard let coded = ring.commit() else {
            Issue.record("no frame")
            return
        }
        for size in [screen.size, PixelSize(width: 48, height: 32)] {
            let geometry = PictureGeometry(source: screen.size, orientation: .up, crop: .fit, size: size)
            let layout = FrameLayout(pixelFormat: format, size: size)
            let (found, wanted) = (Frame(layout), Frame(layout))
            let renderer = PictureRenderer(geometry, layout: layout)
            renderer.draw(.full(size: size), of: .planar(coded.planes), at: found.base)
            Source(screen, isPlanar: false).show { renderer.draw(.full(size: size), of: $0, at: wanted.base) }
            for (a, b) in zip(found.planes, wanted.planes) {
                let worst = zip(a, b).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
                #expect(worst <= 3, "\(size)")
            }
        }
    }
}
