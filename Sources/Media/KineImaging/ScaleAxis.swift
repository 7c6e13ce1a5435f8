// The weights with which pixels of a row, or rows of a frame, are added up when it is scaled.
import CPixels

/// One direction of a scaled frame. A pixel is the mean of those around its place, with weights that fall evenly to nothing. Where the
/// frame grows they do so within one of its pixels, which is linear interpolation. Where it shrinks they do so within five sixths of a
/// new pixel: less would make patterns of lines of one pixel, and more would blur text. Halved exactly, a pixel is the mean of the
/// two in its place, which has no patterns either, and is what is computed most often.
final class ScaleAxis {
    /// For CPixels; valid as long as this object.
    let table: kine_scale_axis
    private let first: UnsafeMutablePointer<Int32>
    private let weights: UnsafeMutablePointer<Int16>

    /// - Parameters:
    ///   - from: the pixels of the frame in this direction; at least 1, as is `to`.
    ///   - to: those of the scaled frame.
    ///   - samples: the samples of both frames where a sample is for several pixels; nil: each is for one.
    init(from: Int, to: Int, samples: (from: Int, to: Int)? = nil) {
        let count = samples?.to ?? to
        let pixels = (0..<count).map { Self.pixel($0, from, to, last: (samples?.from ?? from) - 1) }
        let taps = pixels.map(\.weights.count).max() ?? 1
        first = .allocate(capacity: count)
        // CPixels takes them two by two.
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

    /// The pixels that are read for those of the scaled frame.
    func read(for pixels: Range<Int>) -> Range<Int> {
        Int(first[pixels.lowerBound])..<Int(first[pixels.upperBound - 1] + table.taps)
    }

    private typealias Pixel = (first: Int, weights: [Int])

    private static func pixel(_ index: Int, _ from: Int, _ to: Int, last: Int) -> Pixel {
        // In units in which the frame is as long as 6 · from · to. With fewer samples than pixels all of it is multiplied alike.
        let middle = (6 * index + 3) * from
        let reach = from == 2 * to ? 3 * from : max(6 * to, 5 * from)
        // The first and the last pixel whose middle is less far away than that.
        let first = max(0, (middle - reach + 3 * to) / (6 * to))
        let last = min(last, (middle + reach - 3 * to - 1) / (6 * to))
        let weights = (first...last).map { from == 2 * to ? 1 : max(0, reach - abs(middle - (6 * $0 + 3) * to)) }
        let total = weights.reduce(0, +)
        // Their sum is rounded, not each of them, so that all of them make 256.
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
