// How alike two frames look: SSIM (Wang, Bovik, Sheikh and Simoncelli, 2004) over the luma, with windows of 8×8 pixels
// every four pixels, which is how x264 and ffmpeg's filter measure it too.
import KineMedia

public enum StructuralSimilarity {
    /// The mean over all windows: 1 for equal frames. Nil where the sizes differ or no window fits.
    public static func mean(_ a: LumaFrame, _ b: LumaFrame) -> Double? {
        guard a.size == b.size, a.size.width >= 8, a.size.height >= 8 else { return nil }
        let width = a.size.width
        let columns = width / 4
        let rows = a.size.height / 4
        var above = [Sums](repeating: Sums(), count: columns)
        var here = above
        var total = 0.0
        a.pixels.withUnsafeBufferPointer { a in
            b.pixels.withUnsafeBufferPointer { b in
                guard let a = a.baseAddress, let b = b.baseAddress else { return }
                for row in 0..<rows {
                    swap(&above, &here)
                    for column in 0..<columns {
                        let offset = row * 4 * width + column * 4
                        here[column] = Sums(a + offset, b + offset, stride: width)
                    }
                    guard row > 0 else { continue }
                    for column in 1..<columns {
                        total += (above[column - 1] + above[column] + here[column - 1] + here[column]).similarity
                    }
                }
            }
        }
        return total / Double((columns - 1) * (rows - 1))
    }

    /// What SSIM needs to know of a block: sums of both frames' values, of all squares, and of the products.
    private struct Sums {
        var a: Int32 = 0
        var b: Int32 = 0
        var squares: Int32 = 0
        var products: Int32 = 0

        init() {}

        @inline(__always)
        init(_ p: UnsafePointer<UInt8>, _ q: UnsafePointer<UInt8>, stride: Int) {
            for y in 0..<4 {
                for x in 0..<4 {
                    let v = Int32(p[y &* stride &+ x])
                    let w = Int32(q[y &* stride &+ x])
                    a &+= v
                    b &+= w
                    squares &+= v &* v &+ w &* w
                    products &+= v &* w
                }
            }
        }

        static func + (l: Sums, r: Sums) -> Sums {
            var sum = Sums()
            sum.a = l.a &+ r.a
            sum.b = l.b &+ r.b
            sum.squares = l.squares &+ r.squares
            sum.products = l.products &+ r.products
            return sum
        }

        /// Equation 13 of the paper, with K1 = 0.01 and K2 = 0.03, times the 64 pixels of a window; a variance divides
        /// by 63.
        var similarity: Double {
            let c1 = 0.01 * 0.01 * 255 * 255 * 64
            let c2 = 0.03 * 0.03 * 255 * 255 * 64 * 63
            let a = Double(self.a)
            let b = Double(self.b)
            let variances = Double(squares) * 64 - a * a - b * b
            let covariance = Double(products) * 64 - a * b
            return (2 * a * b + c1 * 64) * (2 * covariance + c2) / ((a * a + b * b + c1 * 64) * (variances + c2))
        }
    }
}
