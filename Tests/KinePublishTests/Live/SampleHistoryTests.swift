// Which records are kept, and where a new viewer begins.
import KineMedia
import Testing

@testable import KinePublish

@Suite struct SampleHistoryTests {
    /// Ten frames a second; `keys` are keyframes.
    private func history(_ count: Int, keys: Set<Int>, byteLimit: Int = 1 << 20, bytes: Int = 100) -> SampleHistory {
        var history = SampleHistory(hasVideo: true, byteLimit: byteLimit)
        for number in 0..<count {
            history.append(Samples.record(key: keys.contains(number), bytes: bytes, at: Double(number) / 10))
        }
        return history
    }

    @Test func `everything since the newest keyframe is kept`() {
        let history = history(100, keys: [0, 20])
        #expect(history.newestKeyframe == 20)
        #expect(history.first == 20)
        #expect(history.end == 100)
    }

    @Test func `a second before the newest keyframe is kept for viewers who are behind`() {
        let history = history(31, keys: [0, 30])
        #expect(history.newestKeyframe == 30)
        #expect(history.first == 21)
    }

    @Test func `too many bytes drop the keyframe too`() {
        let history = history(50, keys: [0], byteLimit: 4096, bytes: 400)
        #expect(history.newestKeyframe == nil)
        #expect(history.bytes <= 4096)
        #expect(history.end == 50)
    }

    @Test func `after that a viewer can begin with the next keyframe`() {
        var history = history(50, keys: [0], byteLimit: 4096, bytes: 400)
        history.append(Samples.record(key: true, at: 5))
        #expect(history.newestKeyframe == 50)
    }

    @Test func `audio alone can begin anywhere`() {
        var history = SampleHistory(hasVideo: false)
        for number in 0..<5 { history.append(Samples.record(.audioApp, key: true, at: Double(number) / 10)) }
        #expect(history.newestKeyframe == 4)
    }
}
