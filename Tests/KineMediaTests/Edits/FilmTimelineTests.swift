// The times of a recording that a film shows.
import KineMedia
import Testing

@Suite struct FilmTimelineTests {
    private func timeline(_ change: (inout FilmEdits) -> Void, seconds: Double = 100) -> FilmTimeline {
        var edits = FilmEdits()
        change(&edits)
        return FilmTimeline(edits, duration: .seconds(seconds))
    }

    @Test func `without edits a film is its recording`() {
        let whole = timeline { _ in }
        #expect(whole.parts.count == 1)
        #expect(whole.duration == .seconds(100))
        #expect(whole.source(at: .seconds(31.25)) == .seconds(31.25))
        #expect(whole.film(at: .seconds(31.25)) == .seconds(31.25))
    }

    @Test func `cuts that overlap or touch are one, and those beyond the end are none`() {
        let film = timeline { edits in
            edits.cuts = [
                .init(from: 20, to: 30), .init(from: 10, to: 22), .init(from: 30, to: 31), .init(from: 120, to: 130),
                .init(from: 90, to: 110),
            ]
        }
        #expect(film.duration == .seconds(69))
        #expect(film.parts.map(\.source) == [.zero..<(.seconds(10)), .seconds(31)..<(.seconds(90))])
        #expect(film.source(at: .seconds(9.5)) == .seconds(9.5))
        #expect(film.source(at: .seconds(10)) == .seconds(31))
        #expect(film.film(at: .seconds(25)) == .seconds(10))
        #expect(film.film(at: .seconds(32)) == .seconds(11))
        #expect(film.film(at: .seconds(99)) == .seconds(69))
    }

    @Test func `a range that is faster takes less of the film, and a cut in it takes its part`() {
        let film = timeline { edits in
            edits.speeds = [.init(from: 40, to: 60, speed: 4), .init(from: 10, to: 20, speed: 0.5)]
            edits.cuts = [.init(from: 44, to: 48)]
        }
        #expect(film.duration == .seconds(10 + 20 + 20 + 1 + 3 + 40))
        #expect(film.source(at: .seconds(20)) == .seconds(15))
        #expect(film.source(at: .seconds(50.5)) == .seconds(42))
        #expect(film.source(at: .seconds(51)) == .seconds(48))
        #expect(film.film(at: .seconds(60)) == .seconds(54))
        for tenth in 0..<940 {
            let time = MediaTime.milliseconds(Int64(tenth) * 100)
            #expect(abs((film.film(at: film.source(at: time)) - time).nanoseconds) <= 4)
        }
    }

    @Test func `a film of which everything is cut is empty`() {
        let film = timeline { $0.cuts = [.init(from: 0, to: 200)] }
        #expect(film.duration == .zero)
        #expect(film.source(at: .seconds(3)) == .zero)
    }
}
