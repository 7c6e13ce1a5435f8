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

    private static func split(_ limit: TakeConfiguration.SplitLimit?) -> SplitStateMachine {
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: "/a.mp4")
        configuration.split = limit
        return SplitStateMachine(configuration, leastContinued: 1000)
    }

    @Test func `a keyframe is requested once for each part, and once more after one that came too early`() {
        var split = Self.split(.duration(.seconds(20)))
        let first = [split.consumeDue(), split.consumeDue()]
        split.passKeyframe()
        let second = [split.consumeDue(), split.consumeDue()]
        #expect(first == [.seconds(20), nil] && second == first)
        split.beginPart(at: .seconds(21))
        let third = [split.consumeDue(), split.consumeDue()]
        #expect(third == [.seconds(41), nil])
    }

    @Test func `a file that cannot grow awaits the next part, unless it is too small`() {
        var split = Self.split(nil)
        let isSmallContinued = split.continues(afterRefusalAt: 999)
        #expect(!isSmallContinued && !split.isAwaitingPart && split.fileLimit(stated: .max) == nil)
        let isContinued = split.continues(afterRefusalAt: 5000)
        #expect(isContinued && split.isAwaitingPart && split.fileLimit(stated: .max) == 5000)
        split.note(size: 5000, limit: .max, at: .seconds(9))
        let due = split.consumeDue()
        #expect(due == .zero && split.ends(atKeyframe: .seconds(10)))
        split.beginPart(at: .seconds(10))
        #expect(!split.isAwaitingPart && split.fileLimit(stated: 4000) == 4000)
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

    @Test func `an access unit that comes after the end of its part still belongs to it`() throws {
        var audio = PartAudio([SyntheticScreen.audioFormat])
        let unit = EncodedSample(
            type: .audioApp, presentationTime: .zero, duration: .zero, isKeyframe: true, data: [])
        for _ in 0..<3 { _ = audio.append(unit, track: 0) }
        // Four access units: 3072 samples, and 1024 of priming.
        let cuts = try #require(audio.cuts(at: .milliseconds(64)))
        let early = audio.beginPart(cuts)
        #expect(early.isEmpty && !audio.isPreviousComplete)
        let isOfCurrent = [audio.append(unit, track: 0), audio.append(unit, track: 0)]
        #expect(isOfCurrent == [false, true] && audio.isPreviousComplete)
    }
}
