// DamageRegion against the simplest thing that does the same: a set of tiles.
import CoreTesting
import KineMedia
import Testing

private struct Tile: Hashable {
    var column: Int
    var row: Int
}

@Suite struct DamageRegionTests {
    /// Sizes around the edges of tiles and of words of 64 tiles.
    private static let sizes = [
        (1, 1), (16, 16), (17, 15), (1023, 40), (1024, 33), (1025, 16), (1920, 1080), (2049, 50),
    ].map { PixelSize(width: $0.0, height: $0.1) }

    private func tiles(_ region: DamageRegion) -> Set<Tile> {
        var tiles: Set<Tile> = []
        for row in 0..<region.rows {
            for column in 0..<region.columns where region.contains(column: column, row: row) {
                tiles.insert(Tile(column: column, row: row))
            }
        }
        return tiles
    }

    private func tiles(touchedBy rect: PixelRect, in size: PixelSize) -> Set<Tile> {
        let inside = rect.intersection(PixelRect(size: size))
        guard !inside.isEmpty else { return [] }
        var tiles: Set<Tile> = []
        for row in inside.y / 16...(inside.maxY - 1) / 16 {
            for column in inside.x / 16...(inside.maxX - 1) / 16 { tiles.insert(Tile(column: column, row: row)) }
        }
        return tiles
    }

    private func check(_ region: DamageRegion, holds expected: Set<Tile>) {
        #expect(tiles(region) == expected)
        #expect(region.tileCount == expected.count)
        #expect(region.isEmpty == expected.isEmpty)
        #expect(region.isFull == (expected.count == region.columns * region.rows))
        // The rectangles: inside the frame, on the grid, disjoint, and together exactly the tiles.
        var covered: Set<Tile> = []
        for rect in region.rectangles() {
            let touched = tiles(touchedBy: rect, in: region.size)
            let isGood =
                !rect.isEmpty && rect.intersection(PixelRect(size: region.size)) == rect && rect.x % 16 == 0
                && rect.y % 16 == 0 && (rect.maxX % 16 == 0 || rect.maxX == region.size.width)
                && (rect.maxY % 16 == 0 || rect.maxY == region.size.height) && covered.isDisjoint(with: touched)
            if !isGood { Issue.record("\(rect) in a picture of \(region.size)") }
            covered.formUnion(touched)
        }
        #expect(covered == expected)
        for row in 0..<region.rows {
            let runs = region.runs(row: row)
            let areApart = zip(runs, runs.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
            if !areApart || Set(runs.joined()) != Set(expected.filter { $0.row == row }.map(\.column)) {
                Issue.record("runs \(runs) in row \(row)")
            }
        }
    }

    @Test(arguments: sizes) func `inserting rectangles sets exactly the tiles they touch`(size: PixelSize) {
        var numbers = SeededGenerator()
        for round in 0..<20 {
            var region = DamageRegion(size: size)
            var expected: Set<Tile> = []
            for _ in 0..<round % 7 {
                let isSmall = (Bool.random(using: &numbers), Bool.random(using: &numbers))
                let rect = PixelRect(
                    x: .random(in: -20...size.width + 5, using: &numbers),
                    y: .random(in: -20...size.height + 5, using: &numbers),
                    width: .random(in: 0...(isSmall.0 ? 40 : size.width), using: &numbers),
                    height: .random(in: 0...(isSmall.1 ? 40 : size.height), using: &numbers))
                region.insert(rect)
                expected.formUnion(tiles(touchedBy: rect, in: size))
            }
            check(region, holds: expected)
        }
    }

    @Test func `every pattern of a small frame is covered exactly`() {
        let size = PixelSize(width: 60, height: 41)  // 4×3 tiles: all 4096 patterns
        for pattern in 0..<4096 {
            var region = DamageRegion(size: size)
            var expected: Set<Tile> = []
            for bit in 0..<12 where pattern >> bit & 1 == 1 {
                region.insert(column: bit % 4, row: bit / 4)
                expected.insert(Tile(column: bit % 4, row: bit / 4))
            }
            check(region, holds: expected)
        }
    }

    private func scattered(_ size: PixelSize, share: Double, _ numbers: inout SeededGenerator) -> DamageRegion {
        var region = DamageRegion(size: size)
        for row in 0..<region.rows {
            for column in 0..<region.columns where Double.random(in: 0..<1, using: &numbers) < share {
                region.insert(column: column, row: row)
            }
        }
        return region
    }

    @Test(arguments: sizes) func `scattered tiles are covered exactly`(size: PixelSize) {
        var numbers = SeededGenerator()
        for share in [0.02, 0.5, 0.95] {
            let region = scattered(size, share: share, &numbers)
            check(region, holds: tiles(region))
        }
    }

    @Test(arguments: sizes) func `a union holds the tiles of both`(size: PixelSize) {
        var numbers = SeededGenerator()
        let (a, b) = (scattered(size, share: 0.3, &numbers), scattered(size, share: 0.3, &numbers))
        var union = a
        union.formUnion(b)
        #expect(tiles(union) == tiles(a).union(tiles(b)))
        union.formUnion(DamageRegion(size: size))
        #expect(tiles(union) == tiles(a).union(tiles(b)))
    }

    @Test(arguments: sizes) func `all tiles are one rectangle and none is none`(size: PixelSize) {
        var region = DamageRegion.full(size: size)
        #expect(region.isFull)
        #expect(region.rectangles() == [PixelRect(size: size)])
        region.removeAll()
        #expect(region == DamageRegion(size: size))
        #expect(region.rectangles() == [])
    }
}
