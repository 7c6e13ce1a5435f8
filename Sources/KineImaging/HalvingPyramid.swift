// A frame halved until less than a half is left to scale: libyuv averages BGRA only when it halves exactly, and otherwise takes
// two neighbours of each side, which turns small text into patterns.
import CYUV
import KineMedia

/// Keeps a frame and its halves up to date, rectangle by rectangle.
final class HalvingPyramid {
    struct Level {
        /// The memory goes on to even sides, with the last column and row repeated.
        let size: PixelSize
        let stride: Int
        let pixels: UnsafeMutablePointer<UInt8>

        init(size: PixelSize) {
            self.size = size
            let even = size.roundedUpToEven
            stride = even.width * 4
            pixels = .allocate(capacity: even.area * 4)
            pixels.initialize(repeating: 0, count: even.area * 4)
        }
    }

    private let levels: [Level]

    /// `size` is the frame's, `target` the size that it will be scaled to.
    init(size: PixelSize, target: PixelSize) {
        var levels = [Level(size: size)]
        var half = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        while half.width >= target.width && half.height >= target.height {
            levels.append(Level(size: half))
            half = PixelSize(width: (half.width + 1) / 2, height: (half.height + 1) / 2)
        }
        self.levels = levels
    }

    deinit {
        for level in levels { level.pixels.deallocate() }
    }

    /// The last halving, at least as large as the target.
    var smallest: Level { levels[levels.count - 1] }

    /// Draws pixels of the frame in its full size, and updates its halves.
    func draw(_ rect: PixelRect, pixels: UnsafeRawPointer, stride: Int) {
        let full = levels[0]
        for row in 0..<rect.height {
            UnsafeMutableRawPointer(full.pixels + (rect.y + row) * full.stride + rect.x * 4)
                .copyMemory(from: pixels + row * stride, byteCount: rect.width * 4)
        }
        var changed = rect
        repeatEdges(of: full, changed)
        for (larger, smaller) in zip(levels, levels.dropFirst()) {
            // libyuv rounds the last few pixels of a row another way; begun and ended on sixteens, each pixel is always
            // computed alike.
            let left = changed.x / 2 & ~15
            let right = min(smaller.size.width, ((changed.maxX + 1) / 2 + 15) & ~15)
            let top = changed.y / 2
            let bottom = (changed.maxY + 1) / 2
            changed = PixelRect(x: left, y: top, width: right - left, height: bottom - top)
            ARGBScale(
                larger.pixels + 2 * top * larger.stride + 2 * left * 4, Int32(larger.stride), Int32(2 * changed.width),
                Int32(2 * changed.height), smaller.pixels + top * smaller.stride + left * 4, Int32(smaller.stride),
                Int32(changed.width), Int32(changed.height), kFilterBox)
            repeatEdges(of: smaller, changed)
        }
    }

    private func repeatEdges(of level: Level, _ changed: PixelRect) {
        let size = level.size
        if size.width & 1 == 1, changed.maxX == size.width {
            for row in changed.y..<changed.maxY {
                let last = level.pixels + row * level.stride + (size.width - 1) * 4
                (last + 4).update(from: last, count: 4)
            }
        }
        if size.height & 1 == 1, changed.maxY == size.height {
            let last = level.pixels + (size.height - 1) * level.stride
            (last + level.stride).update(from: last, count: level.stride)
        }
    }
}
