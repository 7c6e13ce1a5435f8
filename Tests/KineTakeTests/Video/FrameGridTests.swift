// The times that frames get in the file.
import CoreTesting
import KineMedia
import Testing

@testable import KineTake

@Suite struct FrameGridTests {
    /// Instants as `FramePacer` lets them through: random, and never too dense.
    private func captures(_ count: Int, framesPerSecond: Int, seed: UInt64) -> [MediaTime] {
        var generator = SeededGenerator(seed: seed)
        var pacer = FramePacer(framesPerSecond: framesPerSecond)
        var now: Int64 = 0
        return (0..<count).map { index in
            // Mostly a source that never rests, seen a little late; now and then one that rests.
            let rest = Int.random(in: 0..<20, using: &generator) == 0
            now =
                max(now + 1, pacer.earliest) + Int64.random(in: 0...(rest ? 300_000_000 : 3_000_000), using: &generator)
            if index == 0 { now = 0 }
            pacer.recordFrame(at: now)
            return MediaTime(nanoseconds: now)
        }
    }

    @Test(arguments: [10, 24, 30, 60, 144], 1...6)
    func `at a variable rate a frame has a place of its own and nearly its own time`(rate: Int, seed: Int) {
        var grid = FrameGrid(framesPerSecond: rate, isConstant: false)
        var frame: Double?
        var moved = 0.0
        var isInOrder = true
        var shared = 0
        var earlier: MediaTime?
        for time in captures(3000, framesPerSecond: rate, seed: UInt64(seed)) {
            let (placed, _) = grid.place(time)
            moved = max(moved, (placed - time).seconds)
            isInOrder = isInOrder && placed >= time && grid.end(ofFrameAt: placed) == nil
            if let earlier, (placed - earlier).seconds < 0.2499 / Double(rate) { isInOrder = false }
            earlier = placed
            // As the file has it, and as a program that conforms it rounds.
            let ticks = Double(placed.ticks(timescale: 90000))
            let nearest = (ticks * Double(rate) / 90000).rounded(.toNearestOrEven)
            if let frame {
                isInOrder = isInOrder && nearest >= frame
                shared += nearest == frame ? 1 : 0
            }
            frame = nearest
        }
        #expect(isInOrder)
        #expect(shared <= 3000 / 10, "\(shared) of 3000 share a frame")
        #expect(moved <= 0.5501 / Double(rate) + 0.000_03)
    }

    @Test(arguments: [10, 24, 30, 60, 144], [0.3, 0.55, 0.6, 0.75, 0.9])
    func `an early frame does not move all that follow`(rate: Int, early: Double) {
        var grid = FrameGrid(framesPerSecond: rate, isConstant: false)
        let interval = 1_000_000_000 / Int64(rate)
        let times = (0..<100).map { Int64($0) * interval - ($0 >= 10 ? Int64(early * Double(interval)) : 0) }
            .map { MediaTime(nanoseconds: $0) }
        let moved = times.map { (grid.place($0).time - $0).nanoseconds }
        #expect(moved[..<10].allSatisfy { $0 == 0 })
        #expect(moved[10...].count { $0 > interval / 16 } <= 4)
        #expect(moved[15...].allSatisfy { $0 <= interval / 16 })
    }

    @Test(arguments: [10, 24, 30, 60, 144], 1...6)
    func `at a constant rate every place has one frame, at most an interval off`(rate: Int, seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var grid = FrameGrid(framesPerSecond: rate, isConstant: true)
        var times: [MediaTime] = []
        var now = MediaTime.zero
        var worst = 0.0
        for _ in 0..<1000 {
            let (placed, repeats) = grid.place(now)
            times.append(placed)
            times += repeats
            worst = max(worst, abs((times[times.count - 1] - now).seconds))
            // Woken on time, or late, and now and then very late.
            let late = Int.random(in: 0..<10, using: &generator) == 0 ? 200_000_000 : 1_000_000
            let lateness = MediaTime(nanoseconds: Int64.random(in: 0...Int64(late), using: &generator))
            now = try #require(grid.next) + lateness
        }
        #expect(worst <= 1 / Double(rate))
        let isEven = times.indices.allSatisfy {
            abs(times[$0].nanoseconds - MediaTime.seconds(Double($0) / Double(rate)).nanoseconds) <= 1
        }
        #expect(isEven)
        #expect(grid.end(ofFrameAt: times[times.count - 1]) == grid.next)
        // A take may end at any time: then the frames that begin before it are there, and no other.
        let end = grid.start(at: now + MediaTime(nanoseconds: Int64.random(in: 0...200_000_000, using: &generator)))
        let rest = grid.fill(until: end).map { [$0.time] + $0.repeats } ?? []
        #expect((times + rest).count == Int((end.seconds * Double(rate)).rounded()))
        #expect(grid.end(ofFrameAt: (times + rest).last ?? .zero) == end)
        #expect(grid.fill(until: end) == nil)
    }

    @Test func `at NTSC's constant rate frames are 3003 ticks of the file's clock apart`() {
        var grid = FrameGrid(framesPerSecond: 30, period: 1_001_000_000, isConstant: true)
        var times: [MediaTime] = []
        // Ten minutes of frames, captured at that rate.
        for frame: Int64 in 0..<18000 {
            let (time, repeats) = grid.place(MediaTime(nanoseconds: frame * 1_001_000_000 / 30))
            times += [time] + repeats
        }
        #expect(times.indices.allSatisfy { times[$0].ticks(timescale: 90000) == Int64($0) * 3003 })
    }

    @Test func `a late frame is repeated for those that were never captured`() {
        var grid = FrameGrid(framesPerSecond: 10, isConstant: true)
        var times: [[MediaTime]] = []
        for milliseconds: Int64 in [0, 105, 450, 500] {
            let (time, repeats) = grid.place(.milliseconds(milliseconds))
            times.append([time] + repeats)
        }
        #expect(times == [[0], [100], [200, 300, 400], [500]].map { $0.map { MediaTime.milliseconds($0) } })
        let rest = grid.fill(until: .milliseconds(730))
        #expect(rest?.time == .milliseconds(600) && rest?.repeats == [.milliseconds(700)])
    }
}
