// What a film shows at each instant.
import KineMedia
import Testing

@Suite struct ZoomCurveTests {
    private static let size = PixelSize(width: 1920, height: 1080)
    private static let whole = FilmRect(x: 0, y: 0, width: 1920, height: 1080)
    private static let rate = 30.0

    private func curve(
        _ zooms: [FilmEdits.Zoom], pointer: [FilmPointer] = [], _ change: (inout FilmEdits) -> Void = { _ in }
    ) -> (ZoomCurve, FilmStage) {
        var edits = FilmEdits()
        change(&edits)
        let stage = FilmStage(of: Self.size, edits)
        return (ZoomCurve(zooms, pointer: pointer, on: stage, rate: Self.rate), stage)
    }

    /// The pixels of the output by which a point of the picture moves at most between two views of it.
    private func motion(_ a: FilmRect, _ b: FilmRect, width: Double = 1920) -> Double {
        [(0.0, 0.0), (1, 0), (0, 1), (1, 1)].map { corner in
            let (x, y) = (a.x + corner.0 * a.width, a.y + corner.1 * a.height)
            let (after, above) = ((x - b.x) / b.width - corner.0, (y - b.y) / b.height - corner.1)
            return max(abs(after) * width, abs(above) * width * a.height / a.width)
        }.max() ?? 0
    }

    @Test func `a zoom arrives exactly, stays, and leaves exactly the whole picture`() throws {
        let (curve, _) = curve([.init(from: 2, to: 6, scale: 2, centre: [0.25, 0.75])])
        #expect(curve.part(at: 0) == Self.whole)
        #expect(curve.part(at: 2) == Self.whole)
        let zoomed = FilmRect(x: 0, y: 540, width: 960, height: 540)
        #expect(curve.part(at: 3.75) == zoomed)
        #expect(curve.part(at: 6) == zoomed)
        let range = try #require(curve.ranges.first)
        #expect(curve.ranges.count == 1 && range.lowerBound == 2)
        #expect((7.2...7.75).contains(range.upperBound))
        #expect(curve.part(at: range.upperBound) == Self.whole)
        let before = curve.part(at: range.upperBound - 0.001)
        #expect(before != Self.whole && motion(before, Self.whole) <= 0.25)
    }

    @Test func `a zoom moves one way, and never more than it should at once`() {
        let (curve, _) = curve([.init(from: 1, to: 4, scale: 2.5, centre: [0.7, 0.4])])
        let parts = (0..<240).map { curve.part(at: Double($0) / 30) }
        // An edge of the picture that moves to the right.
        let edges = parts.map { (1700 - $0.x) / $0.width * 1920 }
        let (into, out) = (edges[30..<120], edges[120...])
        #expect(zip(into, into.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(zip(out, out.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(zip(parts, parts.dropFirst()).map { motion($0, $1) }.max() ?? 0 < 200)
    }

    @Test func `a target that changes on the way goes on from place and velocity`() {
        let (curve, _) = curve([
            .init(from: 1, to: 1.4, scale: 2, centre: [0.2, 0.2]),
            .init(from: 1.4, to: 1.6, scale: 2.5, centre: [0.9, 0.9]),
            .init(from: 1.9, to: 4, scale: 1.5, centre: [0.5, 0.5]),
        ])
        for change in [1, 1.4, 1.6, 1.9] {
            let step = 1e-5
            let parts = [-2, -1, 1, 2].map { curve.part(at: change + $0 * step) }
            let (before, after) = ((parts[1].x - parts[0].x) / step, (parts[3].x - parts[2].x) / step)
            #expect(motion(parts[1], parts[2]) < 0.3)
            #expect(abs(before - after) < 10, "pixels a second")
        }
        #expect(curve.part(at: 1.6).x > 10, "it is on its way")
    }

    @Test func `a following zoom goes where the pointer will be, and moves only with it`() {
        var pointer = [FilmPointer(time: 0, x: 100, y: 100)]
        pointer.append(FilmPointer(time: 2.5, x: 960, y: 540))
        for step in 0..<60 {
            pointer.append(FilmPointer(time: 5 + Double(step) / 60, x: 960 + Double(step) * 15, y: 540))
        }
        let (curve, _) = curve([.init(from: 2, to: 10, scale: 2)], pointer: pointer)
        let around = FilmRect(x: 480, y: 270, width: 960, height: 540)
        #expect(curve.part(at: 4) == around)
        #expect(curve.part(at: 5.2) == around, "the pointer is still in the middle")
        #expect(curve.part(at: 9) == FilmRect(x: 960, y: 270, width: 960, height: 540))
        #expect(curve.part(at: 20) == Self.whole)
    }

    @Test func `a film of another shape follows the pointer, also without a zoom`() {
        let pointer = [FilmPointer(time: 0, x: 300, y: 500), FilmPointer(time: 5, x: 1800, y: 500)]
        let (curve, stage) = curve([], pointer: pointer) { $0.shape = .tall }
        #expect(stage.size == PixelSize(width: 608, height: 1080))
        #expect(curve.part(at: 0).width == 607.5 && curve.part(at: 0).height == 1080)
        #expect(curve.part(at: 1) == FilmRect(x: 0, y: 0, width: 607.5, height: 1080))
        #expect(curve.part(at: 9) == FilmRect(x: 1312.5, y: 0, width: 607.5, height: 1080))
    }

    @Test func `a background is around the picture, and a film with one is as large as asked for`() {
        let (curve, stage) = curve([.init(from: 1, to: 4, scale: 2, centre: [0, 0])]) { edits in
            edits.background = FilmEdits.Background()
            edits.background?.colours = ["#000000"]
            edits.background?.padding = 0.1
            edits.shape = .square
            edits.size = PixelSize(width: 1080, height: 1080)
        }
        #expect(stage.size == PixelSize(width: 1080, height: 1080))
        #expect(abs(stage.bounds.width - 2400) < 1e-9 && abs(stage.bounds.height - 2400) < 1e-9)
        #expect(abs(stage.bounds.x + 240) < 1e-9 && abs(stage.bounds.y + 660) < 1e-9)
        #expect(abs(curve.part(at: 0).width - 2400) < 1e-9)
        let zoomed = curve.part(at: 3.5)
        #expect(abs(zoomed.x + 240) < 1e-9 && abs(zoomed.width - 1200) < 1e-9)
    }
}
