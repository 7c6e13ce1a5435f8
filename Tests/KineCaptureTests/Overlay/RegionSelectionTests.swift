// A region that is drawn, event by event.
import KineMedia
import KineText
import Testing

@testable import KineCapture

@Suite struct RegionSelectionTests {
    typealias Point = PixelPoint

    private func selection(_ events: RegionSelection.Event...) -> RegionSelection {
        var selection = RegionSelection(screen: PixelSize(width: 640, height: 480))
        for event in events { selection.handle(event) }
        return selection
    }

    private func drag(from: (Int, Int), to: (Int, Int)) -> RegionSelection {
        let (from, to) = (Point(x: from.0, y: from.1), Point(x: to.0, y: to.1))
        return selection(
            .moved(to: Point(x: 1, y: 1)), .pressed(button: 1, at: from), .moved(to: to),
            .released(button: 1, at: to))
    }

    @Test func `both corners are in it, in whatever direction it is drawn`() {
        let wanted = PixelRect(x: 10, y: 20, width: 30, height: 40)
        for (from, to) in [
            ((10, 20), (39, 59)), ((39, 59), (10, 20)), ((39, 20), (10, 59)), ((10, 59), (39, 20)),
        ] {
            #expect(drag(from: from, to: to).state == .drawn(wanted))
        }
        #expect(drag(from: (0, 0), to: (639, 479)).rect == PixelRect(x: 0, y: 0, width: 640, height: 480))
        #expect(drag(from: (600, 400), to: (900, 900)).rect == PixelRect(x: 600, y: 400, width: 40, height: 80))
    }

    @Test func `it is shown while it is drawn, and not before`() {
        #expect(selection(.moved(to: Point(x: 5, y: 5))).rect == nil)
        let drawing = selection(.pressed(button: 1, at: Point(x: 5, y: 5)), .moved(to: Point(x: 7, y: 9)))
        #expect(drawing.rect == PixelRect(x: 5, y: 5, width: 3, height: 5) && !drawing.isOver)
    }

    @Test func `a click, or a drag too small to be recorded, waits for another`() {
        for to in [(100, 100), (114, 300), (300, 114)] { #expect(drag(from: (100, 100), to: to).state == .waiting) }
        #expect(drag(from: (100, 100), to: (115, 115)).isOver)
    }

    @Test func `Escape and the right button cancel at any time, and nothing follows`() {
        let start = Point(x: 9, y: 9)
        let cancels: [RegionSelection.Event] = [.escaped, .pressed(button: 3, at: start)]
        for cancel in cancels {
            #expect(selection(cancel).state == .cancelled)
            let later = selection(
                .pressed(button: 1, at: start), .moved(to: Point(x: 200, y: 200)), cancel,
                .released(button: 1, at: Point(x: 300, y: 300)))
            #expect(later.state == .cancelled && later.isOver && later.rect == nil)
        }
        let drawn = drag(from: (0, 0), to: (99, 99))
        var after = drawn
        after.handle(.escaped)
        #expect(after == drawn)
    }

    @Test func `other buttons and the wheel do nothing`() {
        let (from, to) = (Point(x: 0, y: 0), Point(x: 99, y: 99))
        #expect(selection(.pressed(button: 2, at: from), .released(button: 2, at: to)).state == .waiting)
        let drawing = selection(
            .pressed(button: 1, at: from), .pressed(button: 4, at: to), .released(button: 4, at: to),
            .released(button: 2, at: to))
        #expect(!drawing.isOver && drawing.rect != nil)
    }
}
