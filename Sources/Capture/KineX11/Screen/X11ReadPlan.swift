// The rectangles to ask the X server for, given a region: few enough for one round trip, and large ones cut into strips, so
// that one is converted while the server copies the next.
import KineMedia

/// The requests of one read, in the order in which they are sent.
struct X11ReadPlan: Equatable {
    /// Disjoint, each beginning on a tile. The lowest comes first: if the frame has become too small for the region, the first
    /// request already fails.
    let parts: [PixelRect]
    /// Whether some parts are strips of one rectangle, which must show the same instant.
    let isDivided: Bool

    /// More requests would cost more than reading the pixels between the rectangles.
    private static let mostRectangles = 48
    /// Smaller strips, or more of them, save less than their requests cost.
    private static let leastStripBytes = 1 << 20
    private static let mostStrips = 8

    init(_ region: DamageRegion) {
        let rects = Self.joined(region.rectangles())
        parts = rects.flatMap { Self.strips(of: $0) }.reversed()
        isDivided = parts.count > rects.count
    }

    /// The rectangle around all if there are too many to ask for one by one.
    private static func joined(_ rects: [PixelRect]) -> [PixelRect] {
        guard rects.count > mostRectangles, let first = rects.first else { return rects }
        let bounds = rects.reduce(first) { whole, rect in
            let x = min(whole.x, rect.x)
            let y = min(whole.y, rect.y)
            return PixelRect(
                x: x, y: y, width: max(whole.maxX, rect.maxX) - x, height: max(whole.maxY, rect.maxY) - y)
        }
        return [bounds]
    }

    /// Strips of whole rows of tiles, of nearly the same height, from the highest to the lowest.
    static func strips(of rect: PixelRect) -> [PixelRect] {
        let count = min(mostStrips, rect.size.area * 4 / leastStripBytes)
        guard count > 1 else { return [rect] }
        let tiles = (rect.height + DamageRegion.tileSide - 1) / DamageRegion.tileSide
        let height = (tiles + count - 1) / count * DamageRegion.tileSide
        return stride(from: rect.y, to: rect.maxY, by: height).map {
            PixelRect(x: rect.x, y: $0, width: rect.width, height: min(height, rect.maxY - $0))
        }
    }
}
