// The buffer that time fills, number by number.
import Testing

@testable import KineX264

@Suite struct PeakBufferTests {
    /// Half a second at 30 frames a second, full.
    private static func full() -> PeakBuffer {
        var buffer = PeakBuffer(capacity: 15000, interval: 1000)
        buffer.remove(0, adding: 15)
        return buffer
    }

    @Test func `it begins as x264's, nine tenths full`() {
        #expect(PeakBuffer(capacity: 15000, interval: 1000).level == 13500)
    }

    @Test func `frames at the nominal rate are worth an interval each, however unsteady`() {
        var buffer = Self.full()
        buffer.remove(15000, adding: 1)
        for elapsed in [1, 1.4, 0.7, 0.9, 1.3, 0.5, 1.2, 1, 0.8, 1.2] {
            #expect(buffer.intervals(elapsed: elapsed) == 1)
            buffer.remove(1000, adding: 1)
            #expect(buffer.level == 1000)
        }
    }

    @Test func `the time between two frames counts, and the fractions of intervals add up`() {
        var buffer = Self.full()
        buffer.remove(15000, adding: 1)
        var sum = 0
        for _ in 0..<4 {
            let intervals = buffer.intervals(elapsed: 2.5)
            sum += intervals
            buffer.remove(1000, adding: intervals)
        }
        #expect(sum == 10)
        #expect(buffer.level == 1000 - 4000 + 10000)
    }

    @Test func `time in which it was full is lost`() {
        var buffer = Self.full()
        #expect(buffer.intervals(elapsed: 6) == 1)
        buffer.remove(4500, adding: 1)
        #expect(buffer.level == 11500)
        #expect(buffer.intervals(elapsed: 600) == 3)
        buffer.remove(12000, adding: 3)
        #expect(buffer.level == 3000)
        #expect(buffer.intervals(elapsed: 0.5) == 1, "what was lost does not come later")
    }

    @Test func `what frames that came early were given is taken back`() {
        var buffer = Self.full()
        buffer.remove(15000, adding: 1)
        for _ in 0..<2 {
            #expect(buffer.intervals(elapsed: 0.5) == 1)
            buffer.remove(1000, adding: 1)
        }
        #expect(buffer.intervals(elapsed: 5) == 4)
    }

    @Test func `x264 never takes it for a buffer of one frame`() {
        var buffer = Self.full()
        buffer.remove(20000, adding: 1)
        buffer.remove(1000, adding: 1)
        #expect(buffer.level == 1000)
        #expect(buffer.intervals(elapsed: 600) == 13)
        var small = PeakBuffer(capacity: 1000, interval: 1000)
        small.remove(1000, adding: 1)
        #expect(small.intervals(elapsed: 600) == 1)
    }

    @Test func `another peak keeps what is in it`() {
        var buffer = Self.full()
        buffer.remove(5000, adding: 1)
        buffer.resize(capacity: 7500, interval: 500)
        #expect(buffer.level == 11000)
        #expect(buffer.intervals(elapsed: 6) == 1)
        buffer.remove(6000, adding: 1)
        #expect(buffer.level == 5500)
    }
}
