// How long places stay covered that windows have left, on a clock of the test's.
import CoreTesting
import KineMedia
import Testing

@testable import KineX11

@Suite struct VacatedPlacesTests {
    private static let place = PixelRect(x: 10, y: 20, width: 40, height: 30)
    private static let (least, quiet, most) = (
        VacatedPlaces.leastTime, VacatedPlaces.quietTime, VacatedPlaces.mostTime
    )

    private func left(awaitsPainting: Bool) -> VacatedPlaces {
        var places = VacatedPlaces()
        places.leave(Self.place, at: 0, awaitsPainting: awaitsPainting)
        return places
    }

    @Test func `without a compositing manager a place is covered for a fixed time`() {
        var places = left(awaitsPainting: false)
        places.paint(Self.place, at: Self.least - 1)
        #expect(places.deadline == Self.least)
        #expect(places.expire(at: Self.least - 1) == [] && places.rects == [Self.place])
        #expect(places.expire(at: Self.least) == [Self.place] && places.rects == [])
        #expect(places.deadline == nil)
    }

    @Test func `a place that is painted soon is covered for the least time`() {
        var places = left(awaitsPainting: true)
        places.paint(Self.place, at: 16_000_000)
        #expect(places.deadline == Self.least)
    }

    @Test func `a place that is painted again is covered until that is over`() {
        var places = left(awaitsPainting: true)
        for step: Int64 in 1...40 { places.paint(Self.place, at: step * 16_000_000) }
        #expect(places.deadline == 640_000_000 + Self.quiet)
    }

    @Test func `a manager that paints seldom has longer`() {
        var places = left(awaitsPainting: true)
        #expect(places.expire(at: Self.least) == [])
        places.paint(Self.place, at: Self.least)
        #expect(places.deadline == Self.least + VacatedPlaces.quietGaps * Self.least)
        places.paint(Self.place, at: 2 * Self.least + 1)
        #expect(places.deadline == 2 * Self.least + 1 + VacatedPlaces.quietGaps * (Self.least + 1))
        places.paint(Self.place, at: Self.most)
        #expect(places.deadline == Self.least + Self.most, "a video may play there")
    }

    @Test func `a place that is never painted, or always, is covered for the longest time`() {
        var places = left(awaitsPainting: true)
        #expect(places.deadline == Self.most)
        for instant in stride(from: 0, to: Self.most, by: Int(Self.quiet / 2)) {
            #expect(places.expire(at: instant) == [])
            places.paint(Self.place, at: instant)
        }
        #expect(places.expire(at: Self.most) == [Self.place])
    }

    @Test func `a place that need not be covered waits for its painting however long, while there is a manager`() {
        var places = VacatedPlaces(waitsForPainting: true)
        places.leave(Self.place, at: 0, awaitsPainting: true)
        #expect(places.deadline == nil)
        #expect(places.expire(at: 100 * Self.most) == [] && places.rects == [Self.place])
        places.paint(Self.place, at: 100 * Self.most)
        #expect(places.deadline == 101 * Self.most, "it may fade from now on")
        #expect(places.expire(at: 101 * Self.most) == [Self.place])
        places.leave(Self.place, at: 0, awaitsPainting: true)
        places.managerEnded(at: 7)
        #expect(places.deadline == 7 + Self.least)
    }

    @Test func `only what is painted is uncovered`() {
        var places = left(awaitsPainting: true)
        let corner = PixelRect(x: 10, y: 20, width: 15, height: 10)
        places.paint(PixelRect(x: 0, y: 0, width: 25, height: 30), at: 0)
        #expect(places.expire(at: Self.least) == [corner])
        #expect(places.rects.reduce(0) { $0 + $1.size.area } == Self.place.size.area - corner.size.area)
        #expect(places.rects.allSatisfy { $0.intersection(corner).isEmpty })
        #expect(places.deadline == Self.most)
    }

    @Test func `where a window has been again the later time counts`() {
        var places = left(awaitsPainting: true)
        places.paint(Self.place, at: 1)
        let again = PixelRect(x: 30, y: 20, width: 40, height: 30)
        places.leave(again, at: 100, awaitsPainting: true)
        #expect(places.expire(at: Self.least) == [PixelRect(x: 10, y: 20, width: 20, height: 30)])
        #expect(places.rects == [again] && places.deadline == 100 + Self.most)
    }

    /// Every pixel by itself, as slow as it is plain.
    private struct Pixel {
        var since: Int64
        var first: Int64?
        var last: Int64?

        mutating func paint(at now: Int64) { (first, last) = (first ?? now, now) }

        /// The longest that it may be covered.
        var end: Int64 { (first ?? since) + VacatedPlaces.mostTime }

        func isCovered(at now: Int64) -> Bool {
            guard now < end else { return false }
            guard let last else { return true }
            return now - since < VacatedPlaces.leastTime || now - last < VacatedPlaces.quietTime
        }
    }

    @Test(.tags(.slow), arguments: 0..<20)
    func `places do not overlap, and cover every pixel as long as it needs and none longer than may be`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let side = 24
        var places = VacatedPlaces()
        var pixels: [Pixel?] = Array(repeating: nil, count: side * side)
        var now: Int64 = 0
        func each(_ rect: PixelRect, _ body: (Int) -> Void) {
            for y in rect.y..<rect.maxY { for x in rect.x..<rect.maxX { body(y * side + x) } }
        }
        for _ in 0..<400 {
            now += .random(in: 0...60_000_000, using: &generator)
            let (x, y) = (Int.random(in: 0..<16, using: &generator), Int.random(in: 0..<16, using: &generator))
            let rect = PixelRect(
                x: x, y: y, width: .random(in: 1...8, using: &generator), height: .random(in: 1...8, using: &generator))
            if Bool.random(using: &generator) {
                places.leave(rect, at: now, awaitsPainting: true)
                each(rect) { pixels[$0] = Pixel(since: now) }
            } else {
                places.paint(rect, at: now)
                each(rect) { pixels[$0]?.paint(at: now) }
            }
            _ = places.expire(at: now)
            var covers = Array(repeating: 0, count: side * side)
            for rect in places.rects { each(rect) { covers[$0] += 1 } }
            for (index, count) in covers.enumerated() {
                let pixel = pixels[index]
                if pixel?.isCovered(at: now) == true { #expect(count == 1) }
                if count == 0 {
                    pixels[index] = nil
                } else {
                    #expect(count == 1 && pixel.map { now < $0.end } == true)
                }
            }
        }
    }
}
