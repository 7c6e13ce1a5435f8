// The requests to the X server for a region.
import CoreTesting
import KineMedia
import Testing

@testable import KineX11

@Suite struct X11ReadPlanTests {
    /// Checks the invariants of every plan.
    private func plan(_ region: DamageRegion) -> X11ReadPlan {
        let plan = X11ReadPlan(region)
        var covered = DamageRegion(size: region.size)
        for part in plan.parts {
            #expect(part.x % 16 == 0 && part.y % 16 == 0)
            #expect(part.maxX % 16 == 0 || part.maxX == region.size.width)
            #expect(part.maxY % 16 == 0 || part.maxY == region.size.height)
            var own = DamageRegion(size: region.size)
            own.insert(part)
            let before = covered.tileCount
            covered.formUnion(own)
            #expect(covered.tileCount == before + own.tileCount, "parts overlap")
        }
        var missing = region
        missing.subtract(covered)
        #expect(missing.isEmpty)
        return plan
    }

    @Test func `nothing is asked for where nothing changed`() {
        #expect(plan(DamageRegion(size: PixelSize(width: 640, height: 480))).parts.isEmpty)
    }

    @Test func `a small region's rectangles are asked for as they are, the lowest first`() {
        var region = DamageRegion(size: PixelSize(width: 641, height: 481))
        region.insert(PixelRect(x: 17, y: 20, width: 3, height: 3))
        region.insert(PixelRect(x: 600, y: 470, width: 41, height: 11))
        let plan = plan(region)
        #expect(
            plan.parts == [
                PixelRect(x: 592, y: 464, width: 49, height: 17), PixelRect(x: 16, y: 16, width: 16, height: 16),
            ])
        #expect(!plan.isDivided)
    }

    @Test func `the rectangle around too many is asked for instead`() {
        var region = DamageRegion(size: PixelSize(width: 640, height: 480))
        for index in 0..<49 { region.insert(column: 2 + index % 7 * 2, row: 3 + index / 7 * 2) }
        #expect(plan(region).parts == [PixelRect(x: 32, y: 48, width: 208, height: 208)])
    }

    @Test(arguments: [
        (PixelSize(width: 1920, height: 1080), 7), (PixelSize(width: 3840, height: 2160), 8),
        (PixelSize(width: 7680, height: 4320), 8), (PixelSize(width: 1279, height: 1023), 4),
        (PixelSize(width: 1024, height: 512), 2), (PixelSize(width: 1024, height: 511), 1),
        (PixelSize(width: 32_000, height: 17), 2), (PixelSize(width: 32_000, height: 16), 1),
    ])
    func `a large rectangle is cut into whole rows of tiles, from the lowest to the highest`(
        size: PixelSize, count: Int
    ) {
        let plan = plan(.full(size: size))
        #expect(plan.parts.count == count)
        #expect(plan.isDivided == (count > 1))
        #expect(plan.parts.allSatisfy { $0.x == 0 && $0.width == size.width })
        #expect(zip(plan.parts, plan.parts.dropFirst()).allSatisfy { $0.y == $1.maxY })
    }

    @Test func `any region is covered, by parts that do not overlap`() {
        var generator = SeededGenerator()
        for _ in 0..<200 {
            let size = PixelSize(
                width: .random(in: 1...2200, using: &generator), height: .random(in: 1...2200, using: &generator))
            var region = DamageRegion(size: size)
            for _ in 0..<Int.random(in: 1...30, using: &generator) {
                let x = Int.random(in: 0..<size.width, using: &generator)
                let y = Int.random(in: 0..<size.height, using: &generator)
                region.insert(
                    PixelRect(
                        x: x, y: y, width: .random(in: 1...size.width, using: &generator),
                        height: .random(in: 1...size.height, using: &generator)))
            }
            _ = plan(region)
        }
    }
}
