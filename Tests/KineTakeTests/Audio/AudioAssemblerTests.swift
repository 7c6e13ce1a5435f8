// The take's timeline: pauses cut at the sample, nothing added up, mixing.
import CoreTesting
import KineMedia
import KinePlatform
import Testing

@testable import KineTake

/// Keeps the samples of a track.
private final class Heard: AudioSink {
    private let state = Monitor<[Float]>([])

    var samples: [Float] { state.withLock { $0 } }

    func receive(_ unit: EncodedSample, of output: AudioPlan.Output, isRecorded: Bool) {}

    func receive(
        pcm: Span<Float>, of output: AudioPlan.Output, type: SampleType, at time: MediaTime, duration: MediaTime
    ) {
        state.withLock { samples in
            for index in pcm.indices { samples.append(pcm[index]) }
        }
    }
}

@Suite struct AudioAssemblerTests {
    private let grid = SampleGrid(rate: 8000)

    private func track(_ heard: Heard, channels: Int = 1, softClips: Bool = false) -> AudioTrack {
        var format = AudioFormat.pcm(.audioApp, sampleRate: grid.rate, channels: channels)
        format.samplesPerAccessUnit = 64
        let output = AudioTrackOutput(track: 0, pcm: format)
        output.sink = heard
        return AudioTrack(channels: channels, softClips: softClips, outputs: [output])
    }

    /// A sample that tells its place on the grid, exactly for a Float: 16 bits of it.
    private func mark(_ place: Int64) -> Float { Float(place & 0xffff) / 65536 * 0.5 + 0.25 }

    /// A lane whose samples tell their place, from second 0 to `seconds`. It bypasses the resampler by being read back
    /// from where it put them.
    private func markedLane(seconds: Int) throws -> (AudioLane, [Float]) {
        let lane = try AudioLane(deviceRate: 8000, grid: grid, channels: 1)
        lane.timed(instant: 0)
        var input: [Float] = []
        for place in 0..<Int64(seconds * 8000) { input.append(mark(place)) }
        lane.append(input.span)
        var held = [Float](repeating: 0, count: seconds * 8000)
        held.withUnsafeMutableBufferPointer { lane.store.add(to: $0, from: 0) }
        return (lane, held)
    }

    @Test func `after a thousand pauses audio is as long as the timeline says, and each part is in its place`() throws {
        let heard = Heard()
        let track = track(heard)
        let (lane, held) = try markedLane(seconds: 130)
        track.lanes = [lane]
        let assembler = AudioAssembler(grid: grid, tracks: [track])
        var random = SeededGenerator(seed: 11)
        var timeline = TakeTimeline()
        timeline.begin(at: 1_234_567_891)
        var now: Int64 = 1_234_567_891
        // The place in the machine's time from which each sample of the take ought to come.
        for _ in 0..<1000 {
            now += Int64.random(in: 1...120_000_000, using: &random)
            let hasPaused = timeline.pause(at: now)
            // The tracks move on at moments that have nothing to do with the pauses.
            if Bool.random(using: &random) { try assembler.advance(to: now, timeline: timeline) }
            now += Int64.random(in: 1...120_000_000, using: &random)
            let hasResumed = timeline.resume(at: now)
            #expect(hasPaused && hasResumed)
            if Bool.random(using: &random) { try assembler.advance(to: now - 1, timeline: timeline) }
        }
        now += 500_000_000
        try assembler.advance(to: now, timeline: timeline)
        #expect(assembler.written == grid.count(before: timeline.mediaTime(at: now).nanoseconds))
        try assembler.finish()

        let samples = heard.samples
        var worst = 0
        for part in timeline.recordedParts(of: 0..<now) {
            let start = timeline.mediaTime(at: part.lowerBound).nanoseconds
            let first = grid.count(before: start)
            let last = grid.count(before: timeline.mediaTime(at: part.upperBound).nanoseconds)
            for sample in first..<last {
                let place = grid.nearest(to: part.lowerBound + grid.instant(of: sample) - start)
                // Neighbours too: rounding, and a pause shorter than a sample that is not worth a click.
                let near = (-2...2).first { held[Int(place) + $0] == samples[Int(sample)] }
                if near == nil { worst += 1 }
            }
        }
        #expect(worst == 0, "\(worst) samples are not where they belong")
    }

    @Test func `advancing in small steps gives the same samples as in one`() throws {
        var results: [[Float]] = []
        for step in [Int64(10_000_000_000), 7_777_777, 250_001] {
            let heard = Heard()
            let track = track(heard)
            track.lanes = [try markedLane(seconds: 6).0]
            let assembler = AudioAssembler(grid: grid, tracks: [track])
            var timeline = TakeTimeline()
            timeline.begin(at: 333_333_333)
            var now: Int64 = 333_333_333
            while now < 5_000_000_000 {
                now = min(now + step, 5_000_000_000)
                try assembler.advance(to: now, timeline: timeline)
            }
            try assembler.finish()
            results.append(heard.samples)
        }
        #expect(results[0] == results[1])
        #expect(results[0] == results[2])
    }

    @Test func `a device that comes late leaves silence from time zero`() throws {
        let heard = Heard()
        let track = track(heard)
        let lane = try AudioLane(deviceRate: 8000, grid: grid, channels: 1)
        track.lanes = [lane]
        let assembler = AudioAssembler(grid: grid, tracks: [track])
        var timeline = TakeTimeline()
        timeline.begin(at: 1_000_000_000)
        try assembler.advance(to: 2_000_000_000, timeline: timeline)
        lane.timed(instant: 2_500_000_000)
        lane.append([Float](repeating: 0.5, count: 8000).span)
        try assembler.advance(to: 3_400_000_000, timeline: timeline)
        #expect(heard.samples[0..<11990].allSatisfy { $0 == 0 })
        #expect(heard.samples[12100] > 0.4)
    }

    @Test func `audio waits for a device that plays, and not for one that is stuck or gone`() throws {
        let heard = Heard()
        let track = track(heard)
        let lane = try AudioLane(deviceRate: 8000, grid: grid, channels: 1)
        let assembler = AudioAssembler(grid: grid, tracks: [track])
        let now: Int64 = 10_000_000_000
        #expect(assembler.horizon(now: now) == now - AudioAssembler.margin)
        track.lanes = [lane]
        #expect(assembler.horizon(now: now) == now - AudioAssembler.margin)
        lane.timed(instant: 8_000_000_000)
        lane.append([Float](repeating: 0, count: 8000).span)
        #expect(abs(assembler.horizon(now: now) - 9_000_000_000) < 5_000_000)
        #expect(assembler.horizon(now: now + 5_000_000_000) == now + 5_000_000_000 - AudioAssembler.margin)
        lane.isClosed = true
        #expect(assembler.horizon(now: now) == now - AudioAssembler.margin)
    }

    @Test func `streams that share a track add up, bend softly towards full scale, and never pass it`() {
        func limit(_ value: Float, softly: Bool) -> Float {
            var samples = [value]
            samples.withUnsafeMutableBufferPointer { AudioTrack.limit($0, softly: softly) }
            return samples[0]
        }
        #expect(limit(0.79, softly: true) == 0.79)
        #expect(limit(-0.8, softly: true) == -0.8)
        #expect(limit(0.95, softly: false) == 0.95)
        #expect(limit(1.7, softly: false) == 1)
        #expect(limit(-1.7, softly: false) == -1)
        #expect(limit(2, softly: true) < 1)
        #expect(limit(-2, softly: true) > -1)
        var previous: Float = 0
        for step in 1...400 {
            let value = limit(Float(step) / 200, softly: true)
            #expect(value > previous)
            previous = value
        }
        #expect(limit(.nan, softly: true) == 0)
        #expect(limit(.infinity, softly: false) == 0)
    }
}
