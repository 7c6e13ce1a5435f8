// What is left out of a film because nothing happens.
import KineMedia
import Testing

@testable import KineInput

@Suite struct TighteningTests {
    private static let size = PixelSize(width: 1920, height: 1080)

    private func tightening(_ lines: [InputLine], seconds: Double = 60, peaks: [UInt8] = []) -> Tightening {
        var history = InputHistory(size: Self.size)
        history.append([.state(InputState(size: Self.size))] + lines, from: .zero)
        return Tightening(history, duration: seconds, peaks: peaks)
    }

    private func press(at: Int) -> InputLine { .press(.left, at: at, PixelPoint(x: 300, y: 300)) }
    private func change(_ x: Int, _ y: Int, _ width: Int, _ height: Int, at: Int) -> InputLine {
        .change([PixelRect(x: x, y: y, width: width, height: height)], at: at)
    }

    @Test func `half a second stays of a wait`() {
        let film = tightening([press(at: 5000), change(0, 0, 600, 400, at: 20_000), press(at: 21_500)], seconds: 22)
        #expect(film.cuts == [FilmEdits.Cut(from: 0, to: 3.5), FilmEdits.Cut(from: 5.5, to: 19.75)])
        #expect(film.speeds == [])
        #expect(film.saved == 3.5 + 14.25)
    }

    @Test func `what is heard stays, and noise does not`() {
        var peaks = [UInt8](repeating: 3, count: 600)
        for part in 300..<320 { peaks[part] = 90 }
        let film = tightening([], peaks: peaks)
        #expect(film.cuts.count == 2)
        #expect(
            film.cuts.first == FilmEdits.Cut(from: 0, to: 29.5) && film.cuts.last == FilmEdits.Cut(from: 32.5, to: 60))
    }

    @Test func `a caret, a clock and a spinner are nothing, and what changes once is something`() {
        var lines: [InputLine] = [press(at: 1500)]
        for tick in 0..<110 {
            lines.append(change(500, 500, 16, 32, at: 3000 + tick * 500))
            if tick % 2 == 0 { lines.append(change(1800, 16, 32, 32, at: 3100 + tick * 500)) }
            lines += (0..<4).map { change(960, 540, 32, 32, at: 3010 + tick * 500 + $0 * 110) }
        }
        func cuts() -> [FilmEdits.Cut] { tightening(lines.sorted { ($0.time ?? 0) < ($1.time ?? 0) }).cuts }
        #expect(cuts() == [FilmEdits.Cut(from: 2.25, to: 60)])
        lines.append(change(100, 900, 120, 16, at: 30_000))
        #expect(cuts() == [FilmEdits.Cut(from: 2, to: 29.75), FilmEdits.Cut(from: 30.75, to: 60)])
    }

    @Test func `a clock that changes once a minute is nothing`() {
        let lines = [press(at: 1500)] + (1...9).map { change(1800, 16, 32, 32, at: $0 * 60_000) }
        #expect(tightening(lines, seconds: 600).cuts == [FilmEdits.Cut(from: 2.25, to: 600)])
    }

    @Test func `a progress bar becomes eight times as fast, if nothing is heard`() {
        let bar = (0..<300).map { change(400 + $0 * 2, 600, 16, 16, at: 10_000 + $0 * 100) }
        let film = tightening([press(at: 9800)] + bar)
        #expect(film.speeds.count == 1 && film.speeds[0].speed == 8)
        #expect(film.speeds[0].from < 10.5 && film.speeds[0].to > 39)
        let loud = tightening([press(at: 9800)] + bar, peaks: [UInt8](repeating: 200, count: 60))
        #expect(loud.speeds == [] && loud.cuts == [])
    }

    @Test func `the pointer's way is nothing, but for the second before a click`() {
        let way = InputLine.way(
            at: 5000, from: PixelPoint(x: 0, y: 0), steps: (0..<1000).map { _ in InputStep(after: 16, x: 1, y: 1) })
        let film = tightening([press(at: 2000), way, press(at: 21_000)], seconds: 21.25)
        #expect(film.cuts == [FilmEdits.Cut(from: 2.5, to: 19.75)])
    }

    @Test func `typing stays whole`() {
        let film = tightening([press(at: 1000), .typing(4000..<9000), press(at: 10_500)], seconds: 10.75)
        #expect(film.cuts == [FilmEdits.Cut(from: 1.5, to: 3.75)])
    }

    @Test func `of ten hours without anything half a second stays, and any session gives valid edits`() {
        #expect(tightening([], seconds: 36_000).cuts == [FilmEdits.Cut(from: 0.5, to: 36_000)])
        for _ in 0..<100 {
            let lines = (0..<200).map { $0 * Int.random(in: 100...600) }.sorted().map { at in
                Bool.random()
                    ? press(at: at)
                    : change(.random(in: 0..<1800), .random(in: 0..<1000), .random(in: 1...99), 64, at: at)
            }
            let film = tightening(lines, seconds: 130, peaks: (0..<400).map { _ in .random(in: 0...8) })
            var edits = FilmEdits()
            (edits.cuts, edits.speeds) = (film.cuts, film.speeds)
            #expect(throws: Never.self) { try edits.validate() }
            let shown = FilmTimeline(edits, duration: .seconds(130)).duration.seconds
            #expect(abs(130 - film.saved - shown) < 1e-6)
        }
    }
}
