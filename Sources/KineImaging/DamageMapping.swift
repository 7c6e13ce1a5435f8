// Where a change of the source shows in the scaled frame.
import KineMedia

/// From rectangles of a frame to those of the same frame in another size.
struct DamageMapping {
    let from: PixelSize
    let to: PixelSize

    /// Pixels around a scaled pixel's own place that the filters read, on each side.
    private static let margin = 2

    /// The pixels of the scaled frame that depend on `rect`.
    func map(_ rect: PixelRect) -> PixelRect {
        let left = rect.x * to.width / from.width - Self.margin
        let top = rect.y * to.height / from.height - Self.margin
        let right = (rect.maxX * to.width + from.width - 1) / from.width + Self.margin
        let bottom = (rect.maxY * to.height + from.height - 1) / from.height + Self.margin
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top).intersection(PixelRect(size: to))
    }
}
