// Frames in memory of their own, and the distance of a decoded one from them.
import Glibc
import KineMedia

/// A frame that owns its planes, rows packed.
package final class TestFrame {
    package let size: PixelSize
    package let planes: PlanarFrame
    private let memory: UnsafeMutablePointer<UInt8>

    /// Black.
    package init(size: PixelSize, colour: ColourFormat = .standard) {
        self.size = size
        let chroma = PixelSize(
            width: colour.chroma.samples(of: size.width), height: colour.chroma.samples(of: size.height))
        memory = .allocate(capacity: size.area + 2 * chroma.area)
        memory.initialize(repeating: ColourFormat.noColour, count: size.area + 2 * chroma.area)
        memory.update(repeating: colour.black, count: size.area)
        planes = PlanarFrame(
            size: size, colour: colour, y: memory, u: memory + size.area, v: memory + size.area + chroma.area,
            lumaStride: size.width, chromaStride: chroma.width)
    }

    deinit { memory.deallocate() }

    /// Lends the planes of a frame that nobody keeps: `planes` does not keep it.
    package func lend<Result>(_ body: (PlanarFrame) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(self) { try body(planes) }
    }

    /// Something like text: dark strokes on a light ground of one colour.
    package func write(_ rect: PixelRect, using generator: inout some RandomNumberGenerator) {
        let inside = rect.intersection(PixelRect(size: size))
        let ink = UInt8.random(in: 16...90, using: &generator)
        let paper = UInt8.random(in: 170...235, using: &generator)
        let colour = (
            UInt8.random(in: 90...160, using: &generator), UInt8.random(in: 90...160, using: &generator)
        )
        for y in inside.y..<inside.maxY {
            var isInk = false
            for x in inside.x..<inside.maxX {
                if Int.random(in: 0..<3, using: &generator) == 0 { isInk.toggle() }
                planes.y[y * size.width + x] = isInk && y % 5 != 0 ? ink : paper
            }
        }
        let chroma = planes.colour.chroma
        for y in chroma.samples(of: inside.y)..<chroma.samples(of: inside.maxY) {
            for x in chroma.samples(of: inside.x)..<chroma.samples(of: inside.maxX) {
                planes.u[y * planes.chromaStride + x] = colour.0
                planes.v[y * planes.chromaStride + x] = colour.1
            }
        }
    }

    /// A rectangle with even sides.
    package func randomRect(using generator: inout some RandomNumberGenerator) -> PixelRect {
        let x = Int.random(in: 0..<size.width / 2, using: &generator) * 2
        let y = Int.random(in: 0..<size.height / 2, using: &generator) * 2
        return PixelRect(
            x: x, y: y, width: Int.random(in: 1...(size.width - x) / 2, using: &generator) * 2,
            height: Int.random(in: 1...(size.height - y) / 2, using: &generator) * 2)
    }

    /// The worst tile's peak signal-to-noise ratio in decibels, luma and chroma taken together; 99 for equal frames.
    package func worstTile(of decoded: TestFrame) -> Double {
        var worst = 99.0
        for top in stride(from: 0, to: size.height, by: 16) {
            for left in stride(from: 0, to: size.width, by: 16) {
                let (right, bottom) = (min(size.width, left + 16), min(size.height, top + 16))
                var error = 0
                var count = 0
                func add(
                    _ a: UnsafeMutablePointer<UInt8>, _ b: UnsafeMutablePointer<UInt8>, _ stride: Int, _ scale: Int
                ) {
                    for y in top / scale..<bottom / scale {
                        for x in left / scale..<right / scale {
                            let difference = Int(a[y * stride + x]) - Int(b[y * stride + x])
                            error += difference * difference
                            count += 1
                        }
                    }
                }
                add(planes.y, decoded.planes.y, size.width, 1)
                let scale = planes.colour.chroma == .yuv420 ? 2 : 1
                add(planes.u, decoded.planes.u, planes.chromaStride, scale)
                add(planes.v, decoded.planes.v, planes.chromaStride, scale)
                guard error > 0 else { continue }
                worst = min(worst, 10 * log10(255 * 255 * Double(count) / Double(error)))
            }
        }
        return worst
    }
}
