// An image that is drawn over the pixels of a frame, such as the mouse pointer. Pure.
import KineMedia

/// Premultiplied ARGB, the format of the server's pointer image (X Fixes, GetCursorImage) and of cairo: one word per
/// pixel, rows packed.
package struct OverlayImage: Equatable, Sendable {
    package let size: PixelSize
    /// `size.area` pixels.
    let pixels: [UInt32]

    package init(size: PixelSize, pixels: [UInt32]) { (self.size, self.pixels) = (size, pixels) }

    package static let empty = OverlayImage(size: PixelSize(width: 0, height: 0), pixels: [])

    /// Draws the image at `origin` of the frame over the pixels of `area`, a part of the frame.
    package func draw(at origin: (x: Int, y: Int), over target: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        let common = PixelRect(origin: origin, size: size).intersection(area)
        guard !common.isEmpty else { return }
        for y in common.y..<common.maxY {
            let row = (target + (y - area.y) * stride).assumingMemoryBound(to: UInt32.self)
            let source = (y - origin.y) * size.width - origin.x
            for x in common.x..<common.maxX {
                let over = pixels[source + x]
                let alpha = over >> 24
                if alpha == 255 {
                    row[x - area.x] = over
                } else if alpha > 0 {
                    row[x - area.x] = Self.blend(over, over: row[x - area.x])
                }
            }
        }
    }

    private static func blend(_ top: UInt32, over bottom: UInt32) -> UInt32 {
        let keep = 255 - top >> 24
        var result: UInt32 = 0
        for shift: UInt32 in [0, 8, 16] {
            let value = (top >> shift & 255) + ((bottom >> shift & 255) * keep + 127) / 255
            result |= min(value, 255) << shift
        }
        return result
    }

    /// The image with less opacity: 1 changes nothing, 0 makes it invisible.
    package func faded(to opacity: Double) -> OverlayImage {
        guard opacity < 1 else { return self }
        let keep = UInt32((max(0, opacity) * 256).rounded())
        let pixels = pixels.map { pixel in
            // Two channels at a time, with room for each product.
            let (even, odd) = ((pixel & 0xff_00ff) * keep >> 8, (pixel >> 8 & 0xff_00ff) * keep)
            return even & 0xff_00ff | odd & 0xff00_ff00
        }
        return OverlayImage(size: size, pixels: pixels)
    }

    /// The image enlarged by a factor of at least 1: each pixel is a weighted mean of four. Means of premultiplied
    /// pixels have no dark fringes.
    func enlarged(by factor: Double) -> OverlayImage {
        guard factor != 1, size.area > 0 else { return self }
        let (across, down) = (Self.samples(size.width, factor), Self.samples(size.height, factor))
        var result: [UInt32] = []
        result.reserveCapacity(across.count * down.count)
        for row in down {
            let (upper, lower) = (row.first * size.width, row.second * size.width)
            for column in across {
                let above = Self.mean(pixels[upper + column.first], pixels[upper + column.second], column.weight)
                let below = Self.mean(pixels[lower + column.first], pixels[lower + column.second], column.weight)
                result.append(Self.mean(above, below, row.weight))
            }
        }
        return OverlayImage(size: PixelSize(width: across.count, height: down.count), pixels: result)
    }

    /// For each pixel of the enlarged side: its two neighbours in the image, and the second's weight in 1/256ths.
    private static func samples(_ side: Int, _ factor: Double) -> [(first: Int, second: Int, weight: UInt32)] {
        let count = max(1, Int((Double(side) * factor).rounded()))
        return (0..<count).map { index in
            let centre = (Double(index) + 0.5) * Double(side) / Double(count) - 0.5
            let place = min(max(centre, 0), Double(side - 1))
            let first = Int(place)
            return (first, min(first + 1, side - 1), UInt32(((place - Double(first)) * 256).rounded()))
        }
    }

    private static func mean(_ a: UInt32, _ b: UInt32, _ weight: UInt32) -> UInt32 {
        if a == b || weight == 0 { return a }
        var result: UInt32 = 0
        for shift: UInt32 in [0, 8, 16, 24] {
            result |= (((a >> shift & 255) * (256 - weight) + (b >> shift & 255) * weight + 128) >> 8) << shift
        }
        return result
    }
}
