// How far the take's timeline is ahead of the server's clock.
import Testing

@testable import KineLive

@Suite struct StreamClockTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `the sample with the least delay counts`() {
        var clock = StreamClock()
        #expect(clock.ahead == nil)
        clock.note(Self.second, at: 5 * Self.second)
        clock.note(2 * Self.second, at: 6 * Self.second - 30_000_000)
        clock.note(3 * Self.second, at: 7 * Self.second + 500_000_000)
        #expect(clock.ahead == -4 * Self.second + 30_000_000)
    }

    @Test func `samples of long ago do not count`() {
        var clock = StreamClock()
        clock.note(100 * Self.second, at: 0)
        for time in 5..<15 { clock.note(Int64(time) * Self.second, at: Int64(time) * Self.second) }
        #expect(clock.ahead == 0)
    }

    @Test func `a pause resets the clock`() {
        var clock = StreamClock()
        clock.note(Self.second, at: Self.second)
        clock.reset()
        #expect(clock.ahead == nil)
        clock.note(Self.second, at: 61 * Self.second)
        #expect(clock.ahead == -60 * Self.second)
    }

    @Test func `small changes are not told`() {
        #expect(!StreamClock.differ(0, 19_000_000) && StreamClock.differ(0, -21_000_000))
        #expect(StreamClock.differ(nil, 0) && !StreamClock.differ(nil, nil))
    }
}
