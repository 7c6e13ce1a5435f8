// The end of each part of a recording, and the audio of the next.
import KineMedia
import Testing

@testable import KineTake

@Suite struct SplitPolicyTests {
    @Test func `a part ends with the first keyframe at its length, or just before`() {
        let policy = SplitPolicy(limit: .duration(.seconds(20)), start: .seconds(100))
        #expect(policy.due == .seconds(120))
        #expect(!policy.ends(atKeyframe: .seconds(100)))
        #expect(!policy.ends(atKeyframe: .milliseconds(119_499)))
        #expect(policy.ends(atKeyframe: .milliseconds(119_500)))
        #expect(policy.ends(atKeyframe: .seconds(200)))
    }

    @Test(arguments: [100_000, 1_000_000, 3_000_000] as [Int64])
    func `a keyframe that comes two seconds after its request keeps a file within its size`(rate: Int64) {
        let limit: Int64 = 40_000_000
        var policy = SplitPolicy(limit: .bytes(limit), start: .zero)
        var (bytes, time) = (Int64(0), MediaTime.zero)
        while policy.due == nil, bytes < limit {
            #expect(!policy.ends(atKeyframe: time))
            time += .milliseconds(500)
            bytes += rate / 2
            policy.note(bytes: bytes, at: time)
        }
        #expect(policy.ends(atKeyframe: time + .seconds(2)))
        #expect(bytes + 2 * rate <= limit && bytes >= limit / 2)
    }

    @Test(arguments: [8000, 44100, 48000]) func `a part's audio begins with the access unit of its start`(rate: Int) {
        var format = SyntheticScreen.audioFormat
        format.sampleRate = rate
        for time in stride(from: Int64(1000), to: 20_000, by: 37) {
            let cut = AudioCut(at: .milliseconds(time), format)
            let position = Int(MediaTime.milliseconds(time).ticks(timescale: Int32(rate))) + 1024
            #expect(cut.first * 1024 + cut.mediaStart == position && (0..<1024).contains(cut.mediaStart))
        }
        // 235 whole access units, and a part of the next.
        let example = AudioCut(at: .seconds(5), SyntheticScreen.audioFormat)
        #expect(example.first == 235 && example.mediaStart == 384)
    }
}
