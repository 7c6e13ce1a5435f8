// The limit of the frame rate, on a simulated clock.
import CoreTesting
import Testing

@testable import KineTake

@Suite struct FramePacerTests {
    /// The instants at which a source that changes at `changes` is captured: as soon as the pacer allows, all changes at once.
    private func taken(_ changes: [Int64], framesPerSecond: Int) -> [Int64] {
        var pacer = FramePacer(framesPerSecond: framesPerSecond)
        var frames: [Int64] = []
        var index = 0
        while index < changes.count {
            let instant = max(changes[index], pacer.earliest)
            frames.append(instant)
            pacer.recordFrame(at: instant)
            while index < changes.count, changes[index] <= instant { index += 1 }
        }
        return frames
    }

    @Test(arguments: [1, 10, 24, 25, 30, 50, 60, 120, 240])
    func `a source as fast as the limit loses no frame to a fifth of jitter`(framesPerSecond: Int) {
        var generator = SeededGenerator(seed: UInt64(framesPerSecond))
        let jitter = 200_000_000 / Int64(framesPerSecond)
        let changes = (0..<5000).map { frame in
            Int64(frame) * 1_000_000_000 / Int64(framesPerSecond)
                + Int64.random(in: -jitter...jitter, using: &generator)
        }
        #expect(taken(changes, framesPerSecond: framesPerSecond).count == changes.count)
    }

    @Test(arguments: [1, 24, 30, 60], [1, 2, 3, 4, 5])
    func `no second has more than two frames above the limit`(framesPerSecond: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var now: Int64 = 0
        var changes: [Int64] = []
        // Bursts of a thousand changes a second, and quiet stretches of up to two.
        for _ in 0..<40 {
            now += Int64.random(in: 0...2_000_000_000, using: &generator)
            for _ in 0..<Int.random(in: 1...3000, using: &generator) {
                now += Int64.random(in: 1...2_000_000, using: &generator)
                changes.append(now)
            }
        }
        let frames = taken(changes, framesPerSecond: framesPerSecond)
        var first = 0
        for (index, instant) in frames.enumerated() {
            while frames[first] < instant - 1_000_000_000 { first += 1 }
            if index - first + 1 > framesPerSecond + 2 {
                Issue.record("\(index - first + 1) frames in the second before \(instant)")
                return
            }
        }
    }

    @Test func `a change after a long rest is taken at once`() {
        let changes: [Int64] = [0, 5_000_000_000, 9_000_000_000]
        #expect(taken(changes, framesPerSecond: 30) == changes)
    }

    @Test func `a source that never rests is taken at the limit, not below`() {
        let changes = (0..<20_000).map { Int64($0) * 500_000 }
        #expect((300...304).contains(taken(changes, framesPerSecond: 30).count))
    }

    /// The waits of the frames of a source that draws `rate` a second. Between them, or between drawing and capture, the machine
    /// does nothing for as long as three intervals now and then.
    private func waits(rate: Int, limit: Int, seconds: Int, hasStalls: Bool = true) -> [Int64] {
        var generator = SeededGenerator(seed: UInt64(rate))
        let interval = 1_000_000_000 / Int64(rate)
        func stall() -> Int64 {
            hasStalls && Int.random(in: 0..<100, using: &generator) == 0
                ? Int64.random(in: 0...3 * interval, using: &generator) : 0
        }
        var drawn: Int64 = 0
        let changes = (0..<Int64(rate * seconds)).map { frame in
            // Late frames are drawn in quick succession.
            drawn = max(drawn + 500_000, frame * interval + frame % 5 * 100_000 + stall())
            return drawn
        }
        var pacer = FramePacer(framesPerSecond: limit)
        var taken: Int64 = -1
        var waits: [Int64] = []
        for change in changes where change > taken {
            let instant = max(change, pacer.earliest)
            waits.append(instant - change)
            taken = instant + stall()
            pacer.recordFrame(at: taken)
        }
        return waits
    }

    @Test(arguments: [24, 30, 60]) func `a source as fast as the limit waits after a stall only`(rate: Int) {
        let waits = waits(rate: rate, limit: rate, seconds: 60)
        // Frames lost in a stall are drawn over before they can be read.
        #expect(waits.count > 57 * rate)
        #expect(waits.count { $0 > 1_000_000 } < waits.count / 20)
        #expect(waits.allSatisfy { $0 <= 1_000_000_000 / Int64(rate) })
    }

    @Test func `a source faster than the limit is held to it`() {
        #expect((600...604).contains(self.waits(rate: 120, limit: 60, seconds: 10, hasStalls: false).count))
        #expect((3600...3610).contains(self.waits(rate: 120, limit: 60, seconds: 60, hasStalls: false).count))
        #expect((3600...3610).contains(self.waits(rate: 61, limit: 60, seconds: 60, hasStalls: false).count))
    }

    @Test func `a look that finds nothing soon after a frame leaves the rate as it is`() {
        var pacer = FramePacer(framesPerSecond: 60)
        let interval = pacer.interval
        for frame in 0..<3600 {
            let instant = Int64(frame) * interval
            #expect(pacer.earliest <= instant)
            pacer.recordFrame(at: instant)
            pacer.foundNothing(at: max(instant + interval / 10, pacer.earliest))
        }
    }

    @Test func `looks that find nothing, one after the other, are held to the rate`() {
        var pacer = FramePacer(framesPerSecond: 60)
        var instant: Int64 = 0
        var looks = 0
        while instant < 10_000_000_000 {
            pacer.foundNothing(at: instant)
            looks += 1
            instant = pacer.earliest
        }
        #expect((600...604).contains(looks))
    }

    @Test(arguments: 1...10) func `frames out of turn make the next one wait an interval at most`(count: Int) {
        var pacer = FramePacer(framesPerSecond: 10)
        for _ in 0..<count { pacer.recordFrame(at: 0) }
        #expect(pacer.earliest <= pacer.interval)
    }
}
