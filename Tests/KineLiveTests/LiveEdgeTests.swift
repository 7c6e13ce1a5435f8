// How the live edge moves, and when viewers are told.
import KineLive
import KineMedia
import Testing

@Suite struct LiveEdgeTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `the edge never moves back`() {
        var edge = LiveEdge(at: 0)
        #expect(edge.time == .zero && edge.phase == .live)
        edge.advance(to: .seconds(2), at: 1)
        // Audio arrives later than the frames of the same instant.
        edge.advance(to: .seconds(1), at: 2)
        #expect(edge.time == .seconds(2))
    }

    @Test func `the status compares the timeline with the time since the beginning`() {
        var edge = LiveEdge(at: 100 * Self.second)
        #expect(edge.status(viewers: 3, at: 101 * Self.second).ahead == nil)
        edge.advance(to: .seconds(0.5), at: 102 * Self.second)
        let status = edge.status(viewers: 3, at: 104 * Self.second)
        #expect(status.phase == .live && status.viewers == 3)
        #expect(status.clock == 4_000_000 && status.ahead == -1_500_000)
    }

    @Test func `a phase is entered once, and an end is final`() {
        var edge = LiveEdge(at: 0)
        let phases: [LiveEdge.Phase] = [.live, .paused, .paused, .live, .ended, .live, .ended]
        let entered = phases.map { edge.enter($0, at: 1) }
        #expect(entered == [false, true, false, true, true, false, false])
        #expect(edge.phase == .ended)
    }

    @Test func `a pause leaves the edge and forgets how the clocks compare`() {
        var edge = LiveEdge(at: 0)
        edge.advance(to: .seconds(1), at: Self.second)
        #expect(edge.enter(.paused, at: 2 * Self.second) == true)
        #expect(edge.time == .seconds(1) && edge.status(viewers: 0, at: 3 * Self.second).ahead == nil)
    }

    @Test func `a tick is due after a second in which nothing was sent`() {
        var edge = LiveEdge(at: 0)
        #expect(edge.tick(viewers: 0, at: 0)?.clock == 0)
        #expect(edge.tick(viewers: 0, at: Self.second - 1) == nil)
        #expect(edge.tick(viewers: 0, at: Self.second) != nil)
        // Whatever is sent delays it.
        #expect(edge.enter(.paused, at: Self.second + 5) == true)
        #expect(edge.tick(viewers: 0, at: 2 * Self.second + 4) == nil)
        #expect(edge.tick(viewers: 0, at: 2 * Self.second + 5)?.phase == .paused)
    }

    @Test func `a tick is due at once when the viewers or the clock have changed`() {
        var edge = LiveEdge(at: 0)
        #expect(edge.tick(viewers: 0, at: 0) != nil)
        #expect(edge.tick(viewers: 1, at: 1)?.viewers == 1)
        #expect(edge.tick(viewers: 1, at: 2) == nil)
        edge.advance(to: .zero, at: 3)
        #expect(edge.tick(viewers: 1, at: 4)?.ahead == 0)
        // 10 ms less delay are too little to tell, 30 ms are not.
        edge.advance(to: .milliseconds(10), at: 5)
        #expect(edge.tick(viewers: 1, at: 6) == nil)
        edge.advance(to: .milliseconds(30), at: 7)
        #expect(edge.tick(viewers: 1, at: 8) != nil)
    }

    @Test func `a tick corrects what a viewer was told at their beginning`() {
        var edge = LiveEdge(at: 0)
        #expect(edge.tick(viewers: 1, at: 0) != nil)
        // The only viewer connects again, and is counted twice until their first connection is gone.
        #expect(edge.greeting(viewers: 2, at: 1).viewers == 2)
        #expect(edge.tick(viewers: 1, at: 2)?.viewers == 1)
        #expect(edge.tick(viewers: 1, at: 3) == nil)
    }
}
