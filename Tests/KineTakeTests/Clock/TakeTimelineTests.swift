// The take's timeline against one that counts instant by instant.
import CoreTesting
import KineMedia
import Testing

@testable import KineTake

@Suite struct TakeTimelineTests {
    /// The same questions answered by counting: for each instant whether it is recorded.
    private struct Counted {
        var origin: Int64?
        var paused: [Bool]
        /// From here on everything is paused.
        var pausedSince: Int64?

        init(length: Int64) { paused = [Bool](repeating: false, count: Int(length)) }

        func isRecorded(_ instant: Int64) -> Bool {
            guard let origin, instant >= origin else { return false }
            return !paused[Int(instant)] && instant < pausedSince ?? .max
        }

        func mediaTime(at instant: Int64) -> Int64 {
            guard let origin else { return 0 }
            if instant < origin { return instant - origin }
            return Int64((origin..<instant).count { isRecorded($0) })
        }
    }

    @Test(arguments: 0..<60)
    func `any series of pauses gives the times that counting gives`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let length: Int64 = 300
        var timeline = TakeTimeline()
        var counted = Counted(length: length)
        var now: Int64 = 0
        var earliestPause: Int64 = 0
        while true {
            now += Int64.random(in: 0...25, using: &generator)
            guard now < length else { break }
            // Requests may be older than what was done last: they come from several threads.
            let instant = max(
                0, now - (Bool.random(using: &generator) ? 0 : Int64.random(in: 0...8, using: &generator)))
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                timeline.begin(at: instant)
                if counted.origin == nil { counted.origin = instant }
            case 1, 2:
                let since = counted.pausedSince
                let wasRunning = timeline.pause(at: instant)
                #expect(wasRunning == (since == nil))
                if since == nil { counted.pausedSince = max(instant, earliestPause) }
            default:
                let since = counted.pausedSince
                let wasPaused = timeline.resume(at: instant)
                #expect(wasPaused == (since != nil))
                if let since {
                    earliestPause = max(since, instant)
                    for index in since..<earliestPause { counted.paused[Int(index)] = true }
                    counted.pausedSince = nil
                }
            }
            #expect(timeline.isPaused == (counted.pausedSince != nil))
            let probe = Int64.random(in: 0..<length, using: &generator)
            #expect(timeline.mediaTime(at: probe).nanoseconds == counted.mediaTime(at: probe))
        }
        for instant in 0..<length {
            #expect(timeline.mediaTime(at: instant).nanoseconds == counted.mediaTime(at: instant))
        }
        for _ in 0..<50 {
            let start = Int64.random(in: 0..<length, using: &generator)
            let range = start..<Int64.random(in: start...length, using: &generator)
            let parts = timeline.recordedParts(of: range)
            #expect(parts.flatMap { Array($0) } == range.filter { counted.isRecorded($0) })
            #expect(parts.allSatisfy { !$0.isEmpty })
        }
    }

    @Test func `a stop is cut out, unless the take is paused anyway`() {
        var timeline = TakeTimeline()
        timeline.begin(at: 100)
        timeline.cut(150..<400)
        timeline.cut(400..<400)
        #expect(timeline.mediaTime(at: 420).nanoseconds == 70)
        _ = timeline.pause(at: 450)
        timeline.cut(460..<700)
        _ = timeline.resume(at: 800)
        #expect(timeline.mediaTime(at: 810).nanoseconds == 110 && timeline.pauses == [150..<400, 450..<800])
    }

    @Test(arguments: [
        (60.0, 0.0, true), (5, 0, true), (4.9, 0, false), (10, 9.5, false), (60, 50, true), (-0.1, 0, false),
    ])
    func `a late beat is a stop, unless its thread waited for a processor`(late: Double, waiting: Double, isStop: Bool)
    {
        #expect(StopDetector.wasStopped(lateness: Int64(late * 1e9), waiting: Int64(waiting * 1e9)) == isStop)
    }

    @Test func `an hour of pauses does not move later times by a nanosecond`() {
        var timeline = TakeTimeline()
        timeline.begin(at: 7)
        var paused: Int64 = 0
        for index in 0..<1000 {
            let start = 7 + Int64(index) * 3_600_000_000
            _ = timeline.pause(at: start + 1_234_567)
            _ = timeline.resume(at: start + 1_234_567 + Int64(index))
            paused += Int64(index)
        }
        #expect(timeline.mediaTime(at: 3_600_000_000_007).nanoseconds == 3_600_000_000_000 - paused)
    }

    @Test func `an instant before the first frame or in a pause was not recorded`() {
        var timeline = TakeTimeline()
        #expect(timeline.recordedTime(at: 5) == nil)
        timeline.begin(at: 10)
        _ = timeline.pause(at: 40)
        #expect(timeline.recordedTime(at: 9) == nil && timeline.recordedTime(at: 40) == nil)
        #expect(timeline.recordedTime(at: 39) == MediaTime(nanoseconds: 29))
        _ = timeline.resume(at: 60)
        #expect(timeline.recordedTime(at: 59) == nil)
        #expect(timeline.recordedTime(at: 60) == MediaTime(nanoseconds: 30))
    }
}
