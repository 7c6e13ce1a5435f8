// Images that look photographed: clouds of several sizes with a little grain, made once and copied from.
import KineMedia

/// A square image that repeats without a seam in both directions.
public final class Texture {
    /// Pixels on each side, a power of two.
    public let side: Int
    private let buffer: OwnedCanvas

    public var canvas: Canvas { buffer.canvas }

    /// `grain` is the largest change of a pixel's brightness by noise that no neighbour shares, of 255.
    public init(side: Int, seed: UInt64, dark: Colour, light: Colour, grain: Int) {
        self.side = side
        buffer = OwnedCanvas(size: PixelSize(width: side, height: side))
        var level = [Float](repeating: 0, count: side * side)
        var cells = 4
        var weight: Float = 0.5
        while cells <= side / 4, weight > 0.02 {
            Texture.addNoise(to: &level, side: side, cells: cells, weight: weight, seed: seed &+ UInt64(cells))
            cells *= 2
            weight *= 0.55
        }
        for index in 0..<side * side {
            let noise = Float(IndexedRandom.below(2 * grain + 1, index, seed: seed ^ 0xABCD) - grain)
            let t = max(0, min(1, level[index]))
            func channel(_ a: UInt8, _ b: UInt8) -> UInt32 {
                UInt32(max(0, min(255, Float(a) + (Float(b) - Float(a)) * t + noise)))
            }
            canvas.pixels[index] =
                channel(dark.red, light.red) << 16 | channel(dark.green, light.green) << 8
                | channel(dark.blue, light.blue)
        }
    }

    /// Fills `rect` with the texture as seen through a window whose corner is at (`x`, `y`) of the repeating image.
    public func draw(fromX x: Int, y: Int, in rect: PixelRect, on canvas: Canvas) {
        let part = rect.intersection(canvas.bounds)
        guard !part.isEmpty else { return }
        let mask = side - 1
        for line in part.y..<part.maxY {
            let source = self.canvas.row((y + line - rect.y) & mask)
            let target = canvas.row(line)
            var column = part.x
            while column < part.maxX {
                let from = (x + column - rect.x) & mask
                let count = min(side - from, part.maxX - column)
                (target + column).update(from: source + from, count: count)
                column += count
            }
        }
    }

    /// Value noise: random numbers on a grid, joined smoothly.
    private static func addNoise(to level: inout [Float], side: Int, cells: Int, weight: Float, seed: UInt64) {
        let grid = (0..<cells * cells).map { Float(IndexedRandom.unit($0, seed: seed)) }
        let step = Float(cells) / Float(side)
        for y in 0..<side {
            let fy = Float(y) * step
            let y0 = Int(fy)
            let ty = smooth(fy - Float(y0))
            let upper = y0 % cells * cells
            let lower = (y0 + 1) % cells * cells
            for x in 0..<side {
                let fx = Float(x) * step
                let x0 = Int(fx)
                let tx = smooth(fx - Float(x0))
                let left = x0 % cells
                let right = (x0 + 1) % cells
                let top = grid[upper + left] + (grid[upper + right] - grid[upper + left]) * tx
                let bottom = grid[lower + left] + (grid[lower + right] - grid[lower + left]) * tx
                level[y * side + x] += (top + (bottom - top) * ty) * weight
            }
        }
    }

    private static func smooth(_ t: Float) -> Float { t * t * (3 - 2 * t) }
}
