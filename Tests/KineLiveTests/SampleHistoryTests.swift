// Which samples are kept, and where a new viewer begins.
import KineLive
import KineMedia
import Testing

@Suite struct SampleHistoryTests {
    private static func sample(_ codec: SampleCodec = .video(.h264), key: Bool = true) -> LiveSample {
        var type = SampleType.audioApp
        if case .video = codec { type = .video }
        return LiveSample(type: type, codec: codec, presentationTime: .zero, isKeyframe: key)
    }

    /// Ten frames a second; `keys` are keyframes. Each content is its number.
    private func history(
        _ count: Int, keys: Set<Int>, byteLimit: Int = 1 << 20, bytes: Int = 100
    ) -> SampleHistory<Int> {
        var history = SampleHistory<Int>(codec: .video(.h264), byteLimit: byteLimit)
        for number in 0..<count {
            history.append(
                number, of: Self.sample(key: keys.contains(number)), bytes: bytes, at: Int64(number) * 100_000_000)
        }
        return history
    }

    @Test func `everything since the newest keyframe is kept`() {
        let history = history(100, keys: [0, 20])
        #expect(history.newestKeyframe == 20)
        #expect(history.first == 20)
        #expect(history.end == 100)
        #expect((20..<100).allSatisfy { history[$0].content == $0 })
        #expect(history.bytes == 80 * 100)
    }

    @Test func `a second before the newest keyframe is kept for viewers who are behind`() {
        let history = history(31, keys: [0, 30])
        #expect(history.newestKeyframe == 30)
        #expect(history.first == 21)
    }

    @Test func `too many bytes drop the keyframe too`() {
        let history = history(50, keys: [0], byteLimit: 4096, bytes: 400)
        #expect(history.newestKeyframe == nil)
        #expect(history.bytes == 4000 && history.first == 40)
        #expect(history.end == 50)
    }

    @Test func `the newest sample is kept, however large it is`() {
        let history = history(3, keys: [0, 1, 2], byteLimit: 4096, bytes: 5000)
        #expect(history.first == 2 && history.newestKeyframe == 2)
    }

    @Test func `after that a viewer can begin with the next keyframe`() {
        var history = history(50, keys: [0], byteLimit: 4096, bytes: 400)
        history.append(50, of: Self.sample(), bytes: 400, at: 5_000_000_000)
        #expect(history.newestKeyframe == 50)
    }

    @Test func `audio alone can begin anywhere`() {
        var history = SampleHistory<Void>(codec: .audio(.aac))
        for number in 0..<5 {
            // Whatever its source says of it.
            let sample = Self.sample(.audio(.aac), key: number == 0)
            history.append((), of: sample, bytes: 100, at: Int64(number) * 100_000_000)
        }
        #expect(history.newestKeyframe == 4 && !history.hasVideo)
    }

    @Test func `keyframes are told apart by codec, and viewers begin at the video's`() {
        var history = SampleHistory<Void>(codec: .video(.av1))
        func append(_ sample: LiveSample?, at milliseconds: Int64) {
            history.append((), of: sample, bytes: 100, at: milliseconds * 1_000_000)
        }
        append(Self.sample(.video(.av1)), at: 0)
        append(Self.sample(.audio(.aac)), at: 10)
        append(Self.sample(.video(.av1), key: false), at: 20)
        append(nil, at: 30)
        let both: [SampleCodec: Int] = [.video(.av1): 0, .audio(.aac): 1]
        #expect(history.newestKeyframes == both)
        #expect(history.newestKeyframe == 0 && history.hasVideo)
        // A codec whose keyframe is dropped has none.
        append(Self.sample(.video(.av1)), at: 2000)
        #expect(history.newestKeyframes[.video(.av1)] == 4 && history.newestKeyframes[.audio(.aac)] == nil)
        #expect(history.first == 4)
    }

    @Test func `what is no sample has a number, but is no frame`() {
        var history = history(5, keys: [0])
        history.append(5, of: nil, bytes: 100, at: 500_000_000)
        #expect(history.end == 6 && history[5].sample == nil && history.newestKeyframe == 0)
        #expect(history.frames(from: 0, to: 6) == 5)
        #expect(history.frames(from: -3, to: 2) == 2 && history.frames(from: 4, to: 4) == 0)
    }
}
