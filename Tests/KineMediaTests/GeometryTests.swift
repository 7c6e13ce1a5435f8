// Rectangles and sizes against counting pixels.
import KineMedia
import Testing

@Suite struct GeometryTests {
    private func contains(_ rect: PixelRect, _ x: Int, _ y: Int) -> Bool {
        x >= rect.x && x < rect.maxX && y >= rect.y && y < rect.maxY
    }

    @Test func `an intersection holds exactly the pixels of both`() {
        var rects: [PixelRect] = []
        for x in [-2, 0, 3] {
            for y in [-1, 0, 2] {
                for width in [0, 1, 4] {
                    for height in [0, 2, 5] { rects.append(PixelRect(x: x, y: y, width: width, height: height)) }
                }
            }
        }
        for a in rects {
            for b in rects {
                let both = a.intersection(b)
                var isRight = both.isEmpty == (both.width <= 0 || both.height <= 0)
                for x in -3...8 {
                    for y in -3...8 where contains(both, x, y) != (contains(a, x, y) && contains(b, x, y)) {
                        isRight = false
                    }
                }
                if !isRight { Issue.record("\(a) and \(b) give \(both)") }
            }
        }
    }

    @Test func `sizes are rounded up to even`() {
        for width in 0...5 {
            for height in 0...5 {
                let even = PixelSize(width: width, height: height).roundedUpToEven
                #expect(even.width % 2 == 0 && even.width - width == width % 2)
                #expect(even.height % 2 == 0 && even.height - height == height % 2)
            }
        }
        #expect(PixelSize(width: 7, height: 3).area == 21)
    }

    @Test func `an offset moves without resizing`() {
        let rect = PixelRect(x: 1, y: 2, width: 3, height: 4).offset(x: -5, y: 6)
        #expect(rect == PixelRect(x: -4, y: 8, width: 3, height: 4))
        #expect(PixelRect(origin: (2, 3), size: PixelSize(width: 4, height: 5)).maxY == 8)
    }
}
