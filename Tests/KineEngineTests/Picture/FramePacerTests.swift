// The frame rate's limit, on a simulated clock.
import Testing

@testable import KineEngine

@Suite struct FramePacerTests {
    /// When pictures are taken of a source that changes at `changes`: as soon as the pacer allows, all changes so far in one.
    private func taken(_ changes: [Int64], framesPerSecond: Int) -> [Int64] {
        var pacer = FramePacer(framesPerSecond: framesPerSecond)
        var pictures: [Int64] = []
        var index = 0
        while index < changes.count {
            pacer.sawChange(at: changes[index])
            let instant = max(changes[index], pacer.earliest)
            pictures.append(instant)
            pacer.took(at: instant)
            while index < changes.count, changes[index] <= instant { index += 1 }
        }
        return pictures
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
    func `no second holds more than one picture above the limit`(framesPerSecond: Int, seed: UInt64) {
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
        let pictures = taken(changes, framesPerSecond: framesPerSecond)
        var first = 0
        for (index, instant) in pictures.enumerated() {
            while pictures[first] < instant - 1_000_000_000 { first += 1 }
            if index - first + 1 > framesPerSecond + 1 {
                Issue.record("\(index - first + 1) pictures in the second before \(instant)")
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
        #expect((300...302).contains(taken(changes, framesPerSecond: 30).count))
    }

    /// How long each change of a source waits that changes `framesPerSecond` times a second, but for a stall of nearly two
    /// intervals after a second.
    private func waits(framesPerSecond: Int, limit: Int, seconds: Int) -> [Int64] {
        let interval = 1_000_000_000 / Int64(framesPerSecond)
        var pacer = FramePacer(framesPerSecond: limit)
        var waits: [Int64] = []
        var next: Int64 = 0
        for frame in 0..<Int64(framesPerSecond * seconds) {
            var change = frame * interval + frame % 5 * 100_000
            guard change >= next else { continue }
            if frame == Int64(framesPerSecond) { change += 19 * interval / 10 }
            pacer.sawChange(at: change)
            let instant = max(change, pacer.earliest)
            waits.append(instant - change)
            pacer.took(at: instant)
            next = instant
        }
        return waits
    }

    @Test(arguments: [24, 30, 60]) func `a source as fast as the limit does not wait for ever after one stall`(
        rate: Int
    ) {
        let waits = waits(framesPerSecond: rate, limit: rate, seconds: 4)
        #expect(waits.contains { $0 > 300_000_000 / Int64(rate) })
        #expect(waits.suffix(rate).allSatisfy { $0 < 2_000_000 })
    }

    @Test func `a source twice as fast is held to the limit, but for some pictures at the beginning`() {
        #expect((600...608).contains(waits(framesPerSecond: 120, limit: 60, seconds: 10).count))
        #expect((3600...3614).contains(waits(framesPerSecond: 120, limit: 60, seconds: 60).count))
    }
}
