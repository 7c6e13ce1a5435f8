// A short list of changed rectangles, even if a compositor reports many.
import KineMedia

/// A few rectangles. Beyond the limit, one rectangle contains them all.
package struct DamageList: Equatable {
    static let limit = 64
    package private(set) var rects: [PixelRect] = []

    package init() {}

    package mutating func insert(_ rect: PixelRect) {
        guard !rect.isEmpty else { return }
        if rects.count < Self.limit { return rects.append(rect) }
        let left = min(rect.x, rects.map(\.x).min() ?? rect.x)
        let top = min(rect.y, rects.map(\.y).min() ?? rect.y)
        let right = max(rect.maxX, rects.map(\.maxX).max() ?? rect.maxX)
        let bottom = max(rect.maxY, rects.map(\.maxY).max() ?? rect.maxY)
        rects = [PixelRect(x: left, y: top, width: right - left, height: bottom - top)]
    }

    package mutating func insert(_ other: DamageList) { for rect in other.rects { insert(rect) } }
}
