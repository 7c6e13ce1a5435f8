// Sources of the compositor that is driven by lines, and what it shows.
import KineMedia
import ScreenTesting

@testable import KineWayland

extension CaptureCompositor {
    func opening(
        _ target: WaylandScreenSource.Target = .desktop, cursor: Bool = false
    ) throws -> WaylandScreenOpening {
        try WaylandScreenOpening(target, display: display, showsCursor: cursor)
    }

    /// Waits until a target is open, and reads its first frame.
    func watch(_ target: WaylandScreenSource.Target = .desktop, cursor: Bool = false) throws -> Watcher {
        try Watcher(opening: opening(target, cursor: cursor))
    }

    /// A pixel of the pattern of `seed` (Tests/Support/CaptureCompositor/main.c).
    static func pattern(_ seed: Int, _ x: Int, _ y: Int) -> UInt32 {
        UInt32((x * 7 + seed * 31) & 255) << 16 | UInt32((y * 5 + seed * 17) & 255) << 8
            | UInt32(((x ^ y) + seed) & 255)
    }
}

extension Watcher {
    /// Whether every pixel is that of the pattern with these rectangles painted over it. `origin`: the place of the first one on the output.
    func shows(
        pattern seed: Int = 1, painted: [(PixelRect, UInt32)] = [], from origin: (x: Int, y: Int) = (0, 0)
    ) -> Bool {
        (origin.y..<origin.y + size.height).allSatisfy { y in
            (origin.x..<origin.x + size.width).allSatisfy { x in
                let top = painted.last { !$0.0.intersection(PixelRect(x: x, y: y, width: 1, height: 1)).isEmpty }
                return colour(x - origin.x, y - origin.y) == top?.1 ?? CaptureCompositor.pattern(seed, x, y)
            }
        }
    }
}

extension DamageRegion {
    /// The tiles that rectangles touch.
    static func tiles(_ rects: [PixelRect], of size: PixelSize = ImageCaptureSourceTests.size) -> DamageRegion {
        var tiles = DamageRegion(size: size)
        for rect in rects { tiles.insert(rect) }
        return tiles
    }
}
