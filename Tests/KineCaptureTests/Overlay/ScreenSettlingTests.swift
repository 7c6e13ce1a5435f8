// When a screen is taken for what it was before a window covered it.
import Testing

@testable import KineCapture

@Suite struct ScreenSettlingTests {
    private static let limits = ScreenSettling.Limits(quiet: 10, changing: 100, still: 1000)

    /// The instant at which it is over, with frames at these ones.
    private func end(_ frames: Int64...) -> Int64 {
        var settling = ScreenSettling(Self.limits, since: 0)
        for frame in frames where !settling.isOver(at: frame) { settling.noteFrame(at: frame) }
        #expect(!settling.isOver(at: settling.deadline - 1) && settling.isOver(at: settling.deadline))
        return settling.deadline
    }

    @Test func `a frame is waited for, and then that no other follows soon`() {
        #expect(end() == 1000)
        #expect(end(0) == 10)
        #expect(end(7, 15, 24) == 34)
        #expect(end(7, 17) == 17, "it was over when that came")
    }

    @Test func `after a frame of before the window's end, the next one is waited for`() {
        var settling = ScreenSettling(Self.limits, since: 0)
        settling.noteEarlierFrame(at: 20)
        #expect(settling.deadline == 120)
        settling.noteEarlierFrame(at: 40)
        #expect(settling.deadline == 120)
        settling.noteFrame(at: 60)
        #expect(settling.deadline == 70)
        settling.noteEarlierFrame(at: 65)
        #expect(settling.deadline == 70)
    }

    @Test func `a screen that goes on changing is waited for only so long, from its first frame on`() {
        var settling = ScreenSettling(Self.limits, since: 0)
        for now: Int64 in stride(from: 500, to: 2000, by: 5) where !settling.isOver(at: now) {
            settling.noteFrame(at: now)
        }
        #expect(settling.deadline == 600)
    }
}
