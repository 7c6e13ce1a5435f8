// The levels of a take's audio: what a client that asks is told, by samples that are made here.
import AudioTesting
import KineMedia
import KinePulse
import Testing

@testable import KineTake

@Suite struct AudioMeterTests {
    private static let app = AudioStreamID(rawValue: 0)
    private static let microphone = AudioStreamID(rawValue: 1)
    /// The peak of the tone.
    private static let full = 0.55...0.65

    /// A take of app audio and a microphone, on a clock of the test's.
    private struct Recording {
        let worker: AudioWorker
        let clock = TakeClock()
        private let events = TakeEvents()
        private let sink = DeliveredAudio()
        private let channels: Int
        /// Frames of each source that were heard.
        private var frames = 0

        init(_ change: (inout TakeConfiguration.Audio) -> Void = { _ in }, isLive: Bool = false) throws {
            var configuration = TakeConfiguration.Audio()
            (configuration.channels, configuration.microphone) = (1, .defaultDevice)
            change(&configuration)
            channels = configuration.channels
            let plan = AudioPlan(configuration)
            worker = try AudioWorker(
                plan: plan, configuration: configuration, clock: clock, isLive: isLive, observer: events)
            worker.start(into: sink)
            clock.begin(at: 0)
            for target in plan.targets.indices { open(AudioStreamID(rawValue: target), target: target) }
        }

        func open(_ stream: AudioStreamID, target: Int) {
            worker.audioOpened(stream, target: target, sampleRate: 48000)
            worker.audioTimed(stream, reading: AudioClockReading(frame: 0, instant: now))
        }

        /// Nanoseconds of the clock.
        var now: Int64 { Int64(frames) * 1_000_000_000 / 48000 }

        /// Both sources play the tone at these volumes, in one piece; nil: nothing is delivered. Returns the levels that were reported.
        mutating func hear(_ milliseconds: Int, app: Float? = 0, microphone: Float? = 0) -> [AudioLevels] {
            let wave = tone(from: frames, frames: milliseconds * 48, channels: channels)
            for (stream, volume) in [(AudioMeterTests.app, app), (AudioMeterTests.microphone, microphone)] {
                guard let volume else { continue }
                let samples = wave.map { $0 * volume }
                worker.audio(stream, samples: samples.span)
            }
            return settle(after: milliseconds)
        }

        mutating func settle(after milliseconds: Int) -> [AudioLevels] {
            frames += milliseconds * 48
            worker.audioSettled(now: now)
            return events.drain().compactMap { if case .audioLevels(let levels) = $0 { levels } else { nil } }
        }
    }

    @Test func `unasked, no peak is computed and no level is reported`() throws {
        var recording = try Recording()
        for _ in 0..<5 { #expect(recording.hear(400, app: 1, microphone: 1) == []) }
        #expect(recording.worker.computedPeaks == 0)
        recording.worker.measureLevels(true)
        #expect(recording.hear(400, app: 1, microphone: 1).count == 1)
        let computed = recording.worker.computedPeaks
        #expect(computed > 0)
        recording.worker.measureLevels(false)
        for _ in 0..<5 { #expect(recording.hear(400, app: 1, microphone: 1) == []) }
        #expect(recording.worker.computedPeaks == computed)
    }

    @Test func `each source has its own level, though both share a track`() throws {
        var recording = try Recording()
        recording.worker.measureLevels(true)
        let reported = recording.hear(400, app: 1, microphone: 0.5)
        #expect(reported.count == 1)
        let (app, microphone) = (reported.first?.app ?? 0, reported.first?.microphone ?? 0)
        #expect(Self.full.contains(app) && Self.full.contains(microphone * 2), "\(reported)")
    }

    @Test func `a large piece has one report, with the peak of all of it`() throws {
        var recording = try Recording()
        recording.worker.measureLevels(true)
        #expect(recording.hear(1000) == [AudioLevels(app: 0, microphone: 0)])
        // A clap, and nothing for half a second.
        let piece = tone(from: 0, frames: 48 * 50, channels: 1) + [Float](repeating: 0, count: 48 * 550)
        recording.worker.audio(Self.app, samples: piece.span)
        let silence = [Float](repeating: 0, count: piece.count)
        recording.worker.audio(Self.microphone, samples: silence.span)
        let reported = recording.settle(after: 600)
        #expect(reported.count == 1 && Self.full.contains(reported.first?.app ?? 0), "\(reported)")
        #expect(recording.hear(400) == [AudioLevels(app: 0, microphone: 0)])
    }

    @Test func `small pieces have ten reports a second at most, and each peak is in one of them`() throws {
        var recording = try Recording(isLive: true)
        recording.worker.measureLevels(true)
        var reported: [AudioLevels] = []
        // Louder each tenth of a second, so that levels change.
        for piece in 0..<200 { reported += recording.hear(10, app: Float(piece / 10 + 1) / 20) }
        #expect((15...21).contains(reported.count), "\(reported.count)")
        #expect(reported.compactMap(\.app) == reported.compactMap(\.app).sorted())
        #expect(Self.full.contains(reported.last?.app ?? 0), "\(reported)")
        // One piece is loud.
        var levels: [AudioLevels] = []
        for piece in 0..<100 { levels += recording.hear(10, app: piece == 50 ? 1 : 0) }
        #expect(levels.contains { $0.app ?? 0 > 0.2 } && levels.last?.app == 0, "\(levels)")
    }

    @Test func `a source that is turned off is 0, which is reported once`() throws {
        var recording = try Recording()
        recording.worker.measureLevels(true)
        _ = recording.hear(800, microphone: 1)
        recording.worker.audioClosed(Self.microphone)
        // What was heard before is still reported.
        _ = recording.hear(400, microphone: nil)
        #expect(recording.hear(400, microphone: nil) == [AudioLevels(app: 0, microphone: 0)])
        for _ in 0..<5 { #expect(recording.hear(400, microphone: nil) == []) }
    }

    @Test func `a pause is silent, and levels come again after it`() throws {
        var recording = try Recording()
        recording.worker.measureLevels(true)
        _ = recording.hear(800, app: 1, microphone: 1)
        recording.clock.pause(at: recording.now)
        _ = recording.hear(400, app: 1, microphone: 1)
        #expect(recording.hear(400, app: 1, microphone: 1) == [AudioLevels(app: 0, microphone: 0)])
        for _ in 0..<5 { #expect(recording.hear(400, app: 1, microphone: 1) == []) }
        recording.clock.resume(at: recording.now)
        let resumed = recording.hear(400, app: 1, microphone: 1) + recording.hear(400, app: 1, microphone: 1)
        #expect(Self.full.contains(resumed.last?.app ?? 0), "\(resumed)")
    }

    @Test func `a client that asks later gets the levels, though they have not changed`() throws {
        var recording = try Recording()
        let silence = AudioLevels(app: 0, microphone: 0)
        recording.worker.measureLevels(true)
        #expect(recording.hear(400) == [silence])
        #expect(recording.hear(400) == [])
        recording.worker.measureLevels(true)
        #expect(recording.hear(400) == [silence])
        #expect(recording.hear(400) == [])
    }

    @Test func `a microphone's level is that of its mixed channels`() throws {
        var recording = try Recording { ($0.channels, $0.microphoneChannels) = (2, .left) }
        recording.worker.measureLevels(true)
        var right = tone(from: 0, frames: 48 * 400, channels: 2)
        for index in stride(from: 0, to: right.count, by: 2) { right[index] = 0 }
        for stream in [Self.app, Self.microphone] { recording.worker.audio(stream, samples: right.span) }
        let reported = recording.settle(after: 400)
        #expect(reported.first?.microphone == 0 && Self.full.contains(reported.first?.app ?? 0), "\(reported)")
    }

    @Test func `a source that the take does not have has no level`() throws {
        var recording = try Recording { $0.microphone = .none }
        recording.worker.measureLevels(true)
        #expect(recording.hear(400, microphone: nil) == [AudioLevels(app: 0)])
        // The only stream is the microphone's.
        var other = try Recording { $0.app = .none }
        other.worker.measureLevels(true)
        #expect(other.hear(400, microphone: nil) == [AudioLevels(microphone: 0)])
    }

    @Test func `after an encoder's failure there is silence`() throws {
        var recording = try Recording()
        recording.worker.measureLevels(true)
        _ = recording.hear(800, app: 1)
        // libavcodec takes nothing more once it was drained.
        recording.worker.finish(at: recording.now)
        #expect(recording.hear(400, app: 1) == [AudioLevels(app: 0, microphone: 0)])
        for _ in 0..<5 { #expect(recording.hear(400, app: 1) == []) }
    }
}
