// The weights for adding up pixels of a row, or rows of a frame, when it is scaled.
import CPixels

/// One direction of a scaled frame. A pixel is the weighted mean of the pixels around its position, with linearly
/// falling weights: within one source pixel when enlarging (linear interpolation), within five sixths of a new pixel
/// when reducing (less causes moiré with lines of one pixel, more blurs text). At exactly half size, the most frequent
/// case, a pixel is the mean of two, without moiré.
final class ScaleAxis {
    /// For CPixels; valid as long as this object.
    let table: kine_scale_axis
    private let first: UnsafeMutablePointer<Int32>
    private let weights: UnsafeMutablePointer<Int16>

    /// - Parameters:
    ///   - from: the pixels of the frame in this direction; at least 1, as is `to`.
    ///   - to: the pixels of the scaled frame.
    ///   - samples: the samples of both frames if a sample covers several pixels; nil: one per pixel.
    init(from: Int, to: Int, samples: (from: Int, to: Int)? = nil) {
        let count = samples?.to ?? to
        let pixels = (0..<count).map { Self.pixel($0, from, to, last: (samples?.from ?? from) - 1) }
        let taps = pixels.map(\.weights.count).max() ?? 1
        first = .allocate(capacity: count)
        // CPixels reads them in pairs.
        let each = (taps + 1) & ~1
        weights = .allocate(capacity: count * each)
        weights.initialize(repeating: 0, count: count * each)
        for (index, pixel) in pixels.enumerated() {
            // All of them read the same number of pixels: near the end some begin earlier, with weights of 0.
            let start = min(pixel.first, (samples?.from ?? from) - taps)
            first[index] = Int32(start)
            for (tap, weight) in pixel.weights.enumerated() {
                weights[index * each + pixel.first - start + tap] = Int16(weight)
            }
        }
        let isHalf = from == 2 * to && (samples.map { $0.from == 2 * $0.to } ?? true)
        table = kine_scale_axis(first: first, weights: weights, taps: Int32(taps), halves: isHalf)
    }

    deinit {
        first.deallocate()
        weights.deallocate()
    }

    func read(for pixels: Range<Int>) -> Range<Int> {
        Int(first[pixels.lowerBound])..<Int(first[pixels.upperBound - 1] + table.taps)
    }

    private typealias Pixel = (first: Int, weights: [Int])

    private static func pixel(_ index: Int, _ from: Int, _ to: Int, last: Int) -> Pixel {
        // In units of which the frame has 6 · from · to. With fewer samples than pixels, everything scales alike.
        let middle = (6 * index + 3) * from
        let reach = from == 2 * to ? 3 * from : max(6 * to, 5 * from)
        // The first and the last pixel whose middle is nearer than that.
        let first = max(0, (middle - reach + 3 * to) / (6 * to))
        let last = min(last, (middle + reach - 3 * to - 1) / (6 * to))
        let weights = (first...last).map { from == 2 * to ? 1 : max(0, reach - abs(middle - (6 * $0 + 3) * to)) }
        let total = weights.reduce(0, +)
        // Rounds their sum instead of each weight, so that all of them make 256.
        var (sum, rounded) = (0, 0)
        let parts = weights.map { weight in
            sum += weight
            let next = (512 * sum + total) / (2 * total)
            defer { rounded = next }
            return next - rounded
        }
        return (first, parts)
    }
}
