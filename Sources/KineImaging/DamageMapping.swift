// The part of a scaled frame that a change of the source reaches.
import KineMedia

/// From rectangles of a frame to those of the same frame in another size.
struct DamageMapping {
    let from: PixelSize
    let to: PixelSize

    /// The scaled pixels on each side of a pixel's own place that depend on it: the filters read its neighbours too, which lie
    /// farther apart if the frame grows.
    private static func margin(_ from: Int, _ to: Int) -> Int { 2 + to / from }

    /// The pixels of the scaled frame that depend on `rect`.
    func map(_ rect: PixelRect) -> PixelRect {
        let across = Self.margin(from.width, to.width)
        let down = Self.margin(from.height, to.height)
        let left = rect.x * to.width / from.width - across
        let top = rect.y * to.height / from.height - down
        let right = (rect.maxX * to.width + from.width - 1) / from.width + across
        let bottom = (rect.maxY * to.height + from.height - 1) / from.height + down
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top).intersection(PixelRect(size: to))
    }
}
