// Which zooms an editor offers, and why.
import KineMedia
import Testing

@testable import KineInput

@Suite struct AutomaticZoomsTests {
    private static let size = PixelSize(width: 1920, height: 1080)

    /// - Parameter isX11: the focused window is known, and so are clicks.
    private func zooms(_ lines: [InputLine], isX11: Bool = true, seconds: Double = 60) -> [FilmEdits.Zoom] {
        var state = InputState(size: Self.size)
        if isX11 { state.focus = PixelRect(size: Self.size) }
        var history = InputHistory(size: Self.size)
        history.append([.state(state)] + lines, from: .zero)
        return AutomaticZooms.make(of: history, duration: seconds)
    }

    private func press(_ x: Int, _ y: Int, at: Int) -> InputLine { .press(.left, at: at, PixelPoint(x: x, y: y)) }
    private let newPicture = [PixelRect(x: 0, y: 100, width: 1920, height: 900)]

    /// Whether it has arrived at its first click, and shows all of them, by the curve that films follow.
    private func expectShows(_ zoom: FilmEdits.Zoom, _ clicks: [(time: Double, x: Double, y: Double)]) {
        let stage = FilmStage(of: Self.size, FilmEdits())
        let curve = ZoomCurve(
            [zoom], pointer: clicks.map { FilmPointer(time: $0.time - 0.5, x: $0.x, y: $0.y) }, on: stage, rate: 60)
        let width = Double(Self.size.width) / zoom.scale
        for click in clicks {
            let part = curve.part(at: click.time)
            if zoom.centre != nil { #expect(part.width == width, "arrived") }
            #expect((part.x...part.x + part.width).contains(click.x))
            #expect((part.y...part.y + part.height).contains(click.y))
        }
    }

    @Test func `clicks near each other are one zoom, which has arrived before the first`() throws {
        let zooms = zooms([press(400, 300, at: 10_000), press(600, 340, at: 12_000), press(500, 360, at: 14_500)])
        let zoom = try #require(zooms.first)
        #expect(zooms.count == 1 && zoom.reason == .clicks && zoom.scale == 2)
        #expect(zoom.from < 8.5 && zoom.to > 15)
        expectShows(zoom, [(10, 400, 300), (12, 600, 340), (14.5, 500, 360)])
    }

    @Test func `clicks that are far apart in time are two zooms, with a rest between`() {
        let zooms = zooms([press(400, 300, at: 10_000), press(1500, 800, at: 20_000)])
        #expect(zooms.count == 2)
        #expect(zooms[1].from - zooms[0].to >= 1.5)
    }

    @Test func `clicks soon after each other at two ends of the picture are one zoom that follows`() throws {
        let zooms = zooms([press(100, 100, at: 10_000), press(1800, 1000, at: 12_500)])
        let zoom = try #require(zooms.first)
        #expect(zooms.count == 1 && zoom.centre == nil && zoom.scale <= 2.5)
        expectShows(zoom, [(10, 100, 100), (12.5, 1800, 1000)])
    }

    @Test func `typing is shown where the picture changed by it`() throws {
        let letters = (0..<20).map {
            InputLine.change([PixelRect(x: 608 + 16 * $0, y: 400, width: 16, height: 32)], at: 10_000 + 100 * $0)
        }
        let zooms = zooms([.typing(10_000..<12_000)] + letters + [.typing(12_000..<13_000)])
        let zoom = try #require(zooms.first)
        #expect(zooms.count == 1 && zoom.reason == .typing)
        expectShows(zoom, [(10, 610, 410), (13, 900, 410)])
    }

    @Test func `a click that brings another picture is shown, and then the new picture is`() throws {
        let zooms = zooms([press(400, 300, at: 10_000), .change(newPicture, at: 10_300)])
        let zoom = try #require(zooms.first)
        #expect(zooms.count == 1 && zoom.to == 10.3)
    }

    @Test func `there is no zoom while most of the picture changes`() {
        let film = stride(from: 5000, to: 30_000, by: 100).map { InputLine.change(newPicture, at: $0) }
        #expect(zooms(film.flatMap { $0.time == 20_000 ? [$0, press(300, 300, at: 20_010)] : [$0] }) == [])
    }

    @Test func `a click for which a zoom would come too late is shown without one`() {
        #expect(zooms([press(300, 300, at: 500)]) == [])
        let soon = zooms([.change(newPicture, at: 9500), press(400, 300, at: 10_000), press(420, 300, at: 12_000)])
        #expect(soon.count == 1 && soon[0].from >= 9.5)
    }

    @Test func `where clicks are unknown, the pointer that stays before something changes stands in`() throws {
        let way: [InputLine] = [
            .way(
                at: 1000, from: PixelPoint(x: 1000, y: 900),
                steps: (0..<40).map { _ in InputStep(after: 16, x: -15, y: -15) }),
            .change([PixelRect(x: 380, y: 280, width: 200, height: 60)], at: 8000),
            .way(
                at: 12_000, from: PixelPoint(x: 400, y: 300),
                steps: (0..<40).map { _ in InputStep(after: 16, x: 15, y: 15) }),
        ]
        let zooms = zooms(way, isX11: false)
        #expect(zooms.allSatisfy { $0.reason == .dwelling })
        expectShows(try #require(zooms.first), [(8, 400, 300)])
    }

    @Test func `where neither clicks nor the pointer are known, small changes stand in`() throws {
        let changes = [
            InputLine.change([PixelRect(x: 400, y: 300, width: 200, height: 60)], at: 10_000),
            .change([PixelRect(x: 400, y: 400, width: 300, height: 100)], at: 12_000),
        ]
        // A caret is nothing.
        let caret = stride(from: 20_000, to: 40_000, by: 500).map {
            InputLine.change([PixelRect(x: 1600, y: 800, width: 16, height: 32)], at: $0)
        }
        let zooms = zooms(changes + caret, isX11: false)
        #expect(zooms.count == 1 && zooms.first?.reason == .changes)
        expectShows(try #require(zooms.first), [(10, 500, 330), (12, 500, 450)])
    }

    @Test func `zooms of any session keep the rules`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var lines: [InputLine] = []
            var at = 0
            while at < 110_000 {
                at += Int.random(in: 10...6000, using: &random)
                let (x, y) = (Int.random(in: 0..<1920, using: &random), Int.random(in: 0..<1080, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: lines.append(.change(newPicture, at: at))
                case 1: lines.append(.typing(at / 500 * 500..<at / 500 * 500 + 1500))
                default: lines.append(press(x, y, at: at))
                }
            }
            let zooms = zooms(lines, seconds: 120)
            for (zoom, next) in zip(zooms, zooms.dropFirst()) { #expect(next.from - zoom.to >= 1.5) }
            for zoom in zooms {
                #expect(
                    zoom.to - zoom.from >= 1.5 && zoom.scale > 1 && zoom.scale <= 2.5 && zoom.from >= 0
                        && zoom.to <= 120)
                let inside = lines.filter { line in
                    guard case .change = line, let time = line.time else { return false }
                    return Double(time) / 1000 > zoom.from && Double(time) / 1000 < zoom.to
                }
                #expect(inside.isEmpty)
            }
            var edits = FilmEdits()
            edits.zooms = zooms
            #expect(throws: Never.self) { try edits.validate() }
        }
    }
}
