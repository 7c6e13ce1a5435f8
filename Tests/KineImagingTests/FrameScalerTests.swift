// Frames of other sizes and formats: the same in whatever parts they were drawn, and in the right colours.
import CoreTesting
import KineMedia
import Testing

@testable import KineImaging

@Suite struct FrameScalerTests {
    private static let size = PixelSize(width: 192, height: 144)

    /// A frame in memory of its own.
    private final class Source {
        let ring = FrameRing(size: FrameScalerTests.size)
        var screen = TestScreen(size: FrameScalerTests.size)

        /// Draws a rectangle of the screen, and shows the frame.
        func draw(_ rect: PixelRect, _ body: (FrameRing.Frame) throws -> Void) throws {
            try #require(ring.begin())
            var region = DamageRegion(size: screen.size)
            region.insert(rect)
            for rect in region.rectangles() {
                screen.withPixels(at: rect) { ring.draw(rect, bgra: $0, stride: $1) }
            }
            let frame = try #require(ring.commit(evenIfUnchanged: true))
            defer { ring.release(frame) }
            try body(frame)
        }
    }

    private final class Memory: @unchecked Sendable {
        // Sendable: one thread uses it.
        let base: UnsafeMutableRawPointer

        init(_ byteCount: Int) {
            base = .allocate(byteCount: byteCount, alignment: 4096)
            base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        }

        deinit { base.deallocate() }
    }

    private func converter(_ layout: FrameLayout, slotCount: Int = 3) -> (FrameScaler, Memory) {
        let memory = Memory(layout.slotBytes * slotCount)
        return (
            FrameScaler(
                PictureGeometry(source: Self.size, place: PixelRect(size: layout.size), in: layout.size),
                layout: layout, slotCount: slotCount, memory: FrameRing.Memory(base: memory.base, owner: memory)),
            memory
        )
    }

    private func bytes(_ layout: FrameLayout, slot: Int, of memory: Memory) -> [[UInt8]] {
        let extents = layout.pixelFormat.planeExtents(of: layout.size)
        return extents.enumerated().map { plane, extent in
            (0..<extent.1).flatMap { row in
                let start =
                    memory.base + slot * layout.slotBytes + layout.planeOffsets[plane] + row
                    * layout.planeStrides[plane]
                return Array(UnsafeRawBufferPointer(start: start, count: extent.0))
            }
        }
    }

    @Test(
        arguments: [PixelFormat.i420, .nv12, .bgra],
        [
            size, PixelSize(width: 96, height: 72), PixelSize(width: 128, height: 96), PixelSize(width: 64, height: 48),
            PixelSize(width: 180, height: 134), PixelSize(width: 50, height: 144),
        ])
    func `a frame that was brought up to date is as one converted at once`(
        format: PixelFormat, size: PixelSize
    ) throws {
        let layout = FrameLayout(pixelFormat: format, size: size)
        let source = Source()
        let (piecewise, memory) = converter(layout)
        var generator = SeededGenerator(seed: 4)
        var shown: [[UInt8]] = []
        var held: [Int] = []
        for round in 0..<40 {
            let rect = round == 0 ? PixelRect(size: Self.size) : source.screen.randomRect(using: &generator)
            source.screen.scribble(rect, using: &generator)
            try source.draw(rect) { frame in
                piecewise.note(frame.changed)
                // Some are left out; their changes come with the next.
                guard round % 3 != 1 else { return }
                let converted = try #require(piecewise.convert(frame.planes))
                let now = bytes(layout, slot: converted.slot, of: memory)
                let (whole, other) = converter(layout)
                let reference = try #require(whole.convert(frame.planes))
                let isSame = now == bytes(layout, slot: reference.slot, of: other)
                #expect(isSame)
                let isMarked = shown.isEmpty || covers(converted.changed, shown, now, layout)
                #expect(isMarked)
                shown = now
                held.append(converted.slot)
                if held.count == 2 { piecewise.references.release(held.removeFirst()) }
            }
        }
    }

    /// Whether all that differs lies in tiles of `region`.
    private func covers(
        _ region: DamageRegion, _ a: [[UInt8]], _ b: [[UInt8]], _ layout: FrameLayout
    ) -> Bool {
        for plane in a.indices {
            let isChroma = plane > 0
            let rowBytes = a[plane].count / (isChroma ? layout.size.height / 2 : layout.size.height)
            for index in a[plane].indices where a[plane][index] != b[plane][index] {
                let x = index % rowBytes * layout.size.width / rowBytes
                let y = index / rowBytes * (isChroma ? 2 : 1)
                guard region.contains(column: x / 16, row: y / 16) else { return false }
            }
        }
        return true
    }

    @Test func `with every slot lent nothing is converted, and nothing is lost`() throws {
        let layout = FrameLayout(pixelFormat: .nv12, size: Self.size)
        let source = Source()
        let (converter, memory) = converter(layout, slotCount: 1)
        source.screen.fill(PixelRect(size: Self.size), 0x40_8020)
        try source.draw(PixelRect(size: Self.size)) { frame in
            converter.note(frame.changed)
            let converted = try #require(converter.convert(frame.planes))
            #expect(converted.changed.isFull)
        }
        let rect = PixelRect(x: 32, y: 48, width: 16, height: 16)
        source.screen.fill(rect, 0xff_ffff)
        try source.draw(rect) { frame in
            converter.note(frame.changed)
            #expect(converter.convert(frame.planes) == nil)
            converter.references.release(0)
            let converted = try #require(converter.convert(frame.planes))
            #expect(converted.changed.rectangles() == [rect])
            #expect(bytes(layout, slot: 0, of: memory)[0][48 * Self.size.width + 32] == 235)
        }
    }
}
