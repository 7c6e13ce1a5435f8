// The time since a receiver last moved, with given instants.
import Testing

@testable import KineRings

@Suite struct StallTimerTests {
    @Test func `time counts since the last move while something waits`() {
        var timer = StallTimer()
        timer.update(isWaiting: false, progress: 0, now: 1)
        #expect(timer.since == nil)
        timer.update(isWaiting: true, progress: 0, now: 2)
        timer.update(isWaiting: true, progress: 0, now: 3)
        #expect(timer.since == 2)
        timer.update(isWaiting: true, progress: 1, now: 4)
        #expect(timer.since == 4)
        timer.update(isWaiting: false, progress: 2, now: 5)
        #expect(timer.since == nil)
        timer.update(isWaiting: true, progress: 2, now: 6)
        #expect(timer.since == 6)
    }
}
