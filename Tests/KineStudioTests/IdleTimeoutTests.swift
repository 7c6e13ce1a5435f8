// The end of a server that is not used, on a clock of the test's.
import Testing

@testable import KineStudio

@Suite struct IdleTimeoutTests {
    private static let minute: Int64 = 60_000_000_000
    /// Each thing that keeps the server running, alone.
    static let uses = [IdleTimeout.Use(pages: 1), IdleTimeout.Use(takes: 1), IdleTimeout.Use(recorders: 1)]

    @Test func `a server that is never used ends after ten minutes`() {
        var idle = IdleTimeout(at: 5)
        #expect(idle.nextDeadline == 10 * Self.minute + 5)
        idle.update(.init(), at: 9 * Self.minute)
        #expect(!idle.isOver(at: 10 * Self.minute + 4) && idle.isOver(at: 10 * Self.minute + 5))
    }

    @Test(arguments: uses)
    func `a page, a take and a recorder each keep it, and the ten minutes begin with the end of the last`(
        _ use: IdleTimeout.Use
    ) {
        var idle = IdleTimeout(at: 0)
        idle.update(use, at: Self.minute)
        #expect(idle.nextDeadline == nil && !idle.isOver(at: .max))
        // The loop sleeps for an hour until the last one goes.
        idle.update(.init(), at: 61 * Self.minute)
        #expect(idle.nextDeadline == 71 * Self.minute)
        #expect(!idle.isOver(at: 71 * Self.minute - 1) && idle.isOver(at: 71 * Self.minute))
    }

    @Test func `the ten minutes do not begin before all have gone, and begin again after each use`() {
        var idle = IdleTimeout(at: 0)
        idle.update(.init(pages: 1, takes: 1, recorders: 1), at: 1)
        idle.update(.init(takes: 1, recorders: 1), at: 2)
        idle.update(.init(takes: 1), at: 3)
        #expect(idle.nextDeadline == nil)
        idle.update(.init(), at: 4)
        idle.update(.init(), at: 5)
        #expect(idle.nextDeadline == 10 * Self.minute + 4, "waking without a change moves nothing")
        idle.update(.init(pages: 2), at: 9 * Self.minute)
        idle.update(.init(), at: 9 * Self.minute + 1)
        #expect(idle.nextDeadline == 19 * Self.minute + 1)
    }
}
