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
        rects = [rects.reduce(rect) { $0.union($1) }]
    }

    package mutating func insert(_ other: DamageList) { for rect in other.rects { insert(rect) } }
}
