// The end of a server that is not used, on a clock of the test's.
import Testing

@testable import KineStudio

@Suite struct IdleTimeoutTests {
    private static let minute: Int64 = 60_000_000_000

    @Test func `a server that is never used ends after ten minutes`() {
        var idle = IdleTimeout(at: 5)
        #expect(idle.nextDeadline == 10 * Self.minute + 5)
        idle.update(isUsed: false, at: 9 * Self.minute)
        #expect(!idle.isOver(at: 10 * Self.minute + 4) && idle.isOver(at: 10 * Self.minute + 5))
    }

    @Test func `it never ends while something is used, and ten minutes after the last use`() {
        var idle = IdleTimeout(at: 0)
        idle.update(isUsed: true, at: Self.minute)
        #expect(idle.nextDeadline == nil && !idle.isOver(at: .max))
        // The loop sleeps for an hour until the last one goes.
        idle.update(isUsed: false, at: 61 * Self.minute)
        #expect(idle.nextDeadline == 71 * Self.minute)
        #expect(!idle.isOver(at: 71 * Self.minute - 1) && idle.isOver(at: 71 * Self.minute))
    }

    @Test func `the ten minutes begin again after each use, and only then`() {
        var idle = IdleTimeout(at: 0)
        idle.update(isUsed: true, at: 1)
        idle.update(isUsed: true, at: 3)
        #expect(idle.nextDeadline == nil)
        idle.update(isUsed: false, at: 4)
        idle.update(isUsed: false, at: 5)
        #expect(idle.nextDeadline == 10 * Self.minute + 4, "waking without a change moves nothing")
        idle.update(isUsed: true, at: 9 * Self.minute)
        idle.update(isUsed: false, at: 9 * Self.minute + 1)
        #expect(idle.nextDeadline == 19 * Self.minute + 1)
    }
}
