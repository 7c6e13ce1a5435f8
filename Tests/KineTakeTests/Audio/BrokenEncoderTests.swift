// An encoder that fails in the middle of a take.
import KineMedia
import KinePulse
import Testing

@testable import KineTake

@Suite struct BrokenEncoderTests {
    private final class Silence: AudioSink {
        func receive(_ unit: EncodedSample, of output: AudioPlan.Output, isRecorded: Bool) {}
        func receive(
            pcm: Span<Float>, of output: AudioPlan.Output, type: SampleType, at time: MediaTime, duration: MediaTime
        ) {}
    }

    @Test func `audio does not pile up behind an encoder that failed, and the end does not wait for it`() throws {
        var configuration = TakeConfiguration.Audio()
        configuration.channels = 1
        let clock = TakeClock()
        let events = TakeEvents()
        let worker = try AudioWorker(
            plan: AudioPlan(configuration), configuration: configuration, clock: clock, isLive: false, observer: events)
        worker.start(into: Silence())
        clock.begin(at: 0)
        let stream = AudioStreamID(rawValue: 0)
        worker.audioOpened(stream, target: 0, sampleRate: 48000)
        worker.audioTimed(stream, reading: AudioClockReading(frame: 0, instant: 0))
        let second = [Float](repeating: 0.25, count: 48000)
        func hear(_ seconds: Range<Int64>) {
            for end in seconds {
                worker.audio(stream, samples: second.span)
                worker.audioSettled(now: (end + 1) * 1_000_000_000)
            }
        }
        hear(0..<3)
        #expect(waitingSeconds(worker) < 3)
        // libavcodec takes nothing more once it was drained: from here on the encoder fails.
        worker.finish(at: 2_000_000_000)
        hear(3..<100)
        #expect(events.drain().count == 1)
        #expect(waitingSeconds(worker) == 0)
        #expect(worker.prepareToFinish(at: 99_000_000_000))
        hear(100..<101)
        worker.waitForAudio(until: .max)
    }

    /// Seconds of audio that wait to be encoded.
    private func waitingSeconds(_ worker: AudioWorker) -> Double {
        worker.state.withLock { state in
            state.assembler.tracks.flatMap(\.lanes).reduce(0) { $0 + Double($1.store.end - $1.store.start) } / 48000
        }
    }
}
