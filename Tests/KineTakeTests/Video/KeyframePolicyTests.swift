// The frames at which decoding can begin.
import KineMedia
import Testing

@testable import KineTake

@Suite struct KeyframePolicyTests {
    private func keyframes(_ times: [MediaTime], interval: MediaTime, frames: Int? = nil) -> [Int] {
        var policy = KeyframePolicy(interval: interval, frames: frames)
        return times.indices.filter { policy.needsKeyframe(at: times[$0]) }
    }

    @Test func `the first frame is a keyframe, then one as often as the interval says`() {
        let times = (0..<100).map { MediaTime.milliseconds(Int64($0) * 100) }
        #expect(keyframes(times, interval: .seconds(2)) == [0, 20, 40, 60, 80])
    }

    @Test func `a frame after a long rest is a keyframe, and the interval counts from it`() {
        let times = [0.0, 0.5, 30, 30.5, 39.9, 40, 40.1].map { MediaTime.seconds($0) }
        #expect(keyframes(times, interval: .seconds(10)) == [0, 2, 5])
    }

    @Test func `a number of frames wins where it comes first`() {
        let fast = (0..<90).map { MediaTime(ticks: Int64($0), timescale: 30) }
        #expect(keyframes(fast, interval: .seconds(10), frames: 30) == [0, 30, 60])
        let slow = (0..<9).map { MediaTime.seconds(Double($0)) }
        #expect(keyframes(slow, interval: .seconds(4), frames: 30) == [0, 4, 8])
    }
}
