// Parts of a frame at another size: exact at rest, and smooth on the way.
import CoreTesting
import KineImaging
import KineMedia
import Testing

@Suite struct PartialViewTests {
    /// Frames of one colour format with a memory of their own.
    private final class Picture {
        let frame: PlanarFrame
        private let memory: UnsafeMutableRawPointer

        init(_ size: PixelSize, _ colour: ColourFormat, _ value: (Int, Int) -> UInt8 = { _, _ in 128 }) {
            let layout = PlanarLayout(size: size, colour: colour)
            memory = .allocate(byteCount: layout.slotBytes, alignment: 64)
            frame = layout.frame(at: memory)
            let chroma = PixelSize(
                width: colour.chroma.samples(of: size.width), height: colour.chroma.samples(of: size.height))
            for (plane, stride, size) in [
                (frame.y, frame.lumaStride, size), (frame.u, frame.chromaStride, chroma),
                (frame.v, frame.chromaStride, chroma),
            ] {
                for y in 0..<size.height { for x in 0..<size.width { plane[y * stride + x] = value(x, y) } }
            }
        }

        deinit { memory.deallocate() }

        func luma(_ x: Int, _ y: Int) -> Int { Int(frame.y[y * frame.lumaStride + x]) }
        func chroma(_ x: Int, _ y: Int) -> Int { Int(frame.u[y * frame.chromaStride + x]) }

        /// Where a row goes from dark to bright, with a fraction.
        func edge(inRow y: Int, isChroma: Bool = false) -> Double {
            let width = isChroma ? frame.colour.chroma.samples(of: frame.size.width) : frame.size.width
            return (0..<width).reduce(0.0) { sum, x in
                sum + Double(235 - (isChroma ? chroma(x, y) : luma(x, y))) / 219
            }
        }
    }

    private static let colours: [ColourFormat] = [
        .standard, ColourFormat(chroma: .yuv444, isFullRange: true),
    ]
    private let size = PixelSize(width: 320, height: 180)

    @Test(arguments: colours) func `the whole frame at its size is the frame`(colour: ColourFormat) {
        var random = SeededGenerator(for: "partial \(colour)")
        let source = Picture(size, colour) { _, _ in UInt8.random(in: 0...255, using: &random) }
        let drawn = Picture(size, colour)
        PartialView(from: size, to: size, colour.chroma)
            .draw(FilmRect(x: 0, y: 0, width: 320, height: 180), of: source.frame, to: drawn.frame)
        for y in 0..<180 { for x in 0..<320 where drawn.luma(x, y) != source.luma(x, y) { Issue.record("\(x), \(y)") } }
        #expect(drawn.chroma(7, 11) == source.chroma(7, 11))
    }

    @Test(arguments: colours) func `an edge is where it should be, and never goes back`(colour: ColourFormat) {
        let source = Picture(size, colour) { x, _ in x < 100 ? 16 : 235 }
        let chroma = Picture(size, colour) { x, _ in x < 75 ? 16 : 235 }
        let drawn = Picture(size, colour)
        let view = PartialView(from: size, to: size, colour.chroma)
        let half = Double(colour.chroma.samples(of: 2)) / 2
        var last = 1000.0
        for step in 0..<400 {
            let left = 20 + Double(step) * 0.03
            view.draw(FilmRect(x: left, y: 11.3, width: 160, height: 90), of: source.frame, to: drawn.frame)
            let edge = drawn.edge(inRow: 90)
            #expect(abs(edge - (100 - left) * 2) < 0.15, "\(left)")
            #expect(edge <= last + 0.001, "\(left)")
            last = edge
            view.draw(FilmRect(x: left, y: 11.3, width: 160, height: 90), of: chroma.frame, to: drawn.frame)
            // Chroma's edge is at its sample 75: at pixel 150 of 4:2:0.
            #expect(abs(drawn.edge(inRow: 45, isChroma: true) - (75 - left * half) * 2) < 0.15, "\(left)")
        }
    }

    @Test func `a smaller film shows means, and none of what is outside`() {
        let source = Picture(size, .standard) { x, y in (x + y) % 2 == 0 ? 16 : 235 }
        let target = PixelSize(width: 80, height: 46)
        let drawn = Picture(target, .standard)
        PartialView(from: size, to: target, .yuv420)
            .draw(FilmRect(x: 0, y: 0, width: 320, height: 180), of: source.frame, to: drawn.frame)
        for y in 2..<44 { for x in 2..<78 { #expect((115...136).contains(drawn.luma(x, y))) } }
        let wide = Picture(size, .standard)
        let edges = Picture(size, .standard) { x, y in x < 40 || y < 20 ? 0 : 200 }
        PartialView(from: size, to: size, .yuv420)
            .draw(FilmRect(x: -10, y: -10, width: 20, height: 11), of: edges.frame, to: wide.frame)
        #expect(wide.luma(0, 0) == 0 && wide.luma(319, 179) == 0)
    }

}
