// Audio for somebody who listens: from a real PulseAudio to the sink, how soon, and of which sources.
import AudioTesting
import CoreTesting
import KineMedia
import KinePlatform
import Testing

@testable import KineTake

/// What a pipeline's sink hears, with the instant of each piece.
private final class Heard: AudioSink {
    struct Piece: Sendable {
        var track: Int
        var isPCM: Bool
        /// On the take's clock.
        var time: MediaTime
        var end: MediaTime
        /// CLOCK_MONOTONIC.
        var instant: Int64
        /// The first sample that is loud, in samples of one channel from the beginning of the piece.
        var click: Int?
    }

    let pieces = Monitor<[Piece]>([])
    let events = Mailbox<TakeEvent>()
    var warnings: [String] { events.drain().compactMap { if case .warning(let text) = $0 { text } else { nil } } }
    private let isRecorded: Bool

    /// `isRecorded`: there is a file.
    init(isRecorded: Bool) { self.isRecorded = isRecorded }

    func receive(_ unit: EncodedSample, of output: AudioPlan.Output, isRecorded: Bool) {
        #expect(isRecorded == self.isRecorded)
        let piece = Piece(
            track: output.track, isPCM: false, time: unit.presentationTime, end: unit.presentationTime + unit.duration,
            instant: MonotonicClock.now())
        pieces.signal { $0.append(piece) }
    }

    func receive(
        pcm: Span<Float>, of output: AudioPlan.Output, type: SampleType, at time: MediaTime, duration: MediaTime
    ) {
        let click = pcm.indices.first { abs(pcm[$0]) > 0.45 }
        let piece = Piece(
            track: output.track, isPCM: true, time: time, end: time + duration, instant: MonotonicClock.now(),
            click: click.map { $0 / 2 })
        pieces.signal { $0.append(piece) }
    }

    func wait(for track: Int, isPCM: Bool, until time: MediaTime) throws {
        let found = pieces.wait(until: WaitLimit.deadline()) { pieces in
            pieces.contains { $0.track == track && $0.isPCM == isPCM && $0.end >= time } ? true : nil
        }
        try #require(found == true)
    }
}

@Suite(.serialized, .tags(.real, .endurance)) struct LiveAudioTests {
    @Test func `app and microphone are heard apart and soon, although the file mixes them`() async throws {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-source source_name=desk"])
            defer { server.end() }
            let player = try TonePlayer(server: server.address)
            defer { player.stop() }
            var configuration = TakeConfiguration.Audio()
            configuration.microphone = .defaultDevice
            let clock = TakeClock()
            let heard = Heard(isRecorded: false)
            let pipeline = try AudioPipeline(
                configuration: configuration, clock: clock, server: server.address, isRecorded: false,
                requirements: [
                    AudioRequirements(app: .aac, microphone: .aac), AudioRequirements(app: .pcm, microphone: .pcm),
                ], observer: heard.events)
            #expect(pipeline.tracks.isEmpty)
            pipeline.start(into: heard)
            let origin = MonotonicClock.now()
            clock.begin(at: origin)
            // What the server tells of its clock is exact after a while only.
            try heard.wait(for: 0, isPCM: false, until: .seconds(3))
            let meant = clock.mediaTime(at: try player.click())
            let after = clock.mediaTime(at: MonotonicClock.now()) + .seconds(0.5)
            for (track, isPCM) in [(0, false), (1, true), (2, true)] {
                try heard.wait(for: track, isPCM: isPCM, until: after)
            }
            pipeline.finish(at: MonotonicClock.now())
            #expect(heard.warnings.isEmpty)
            let pieces = heard.pieces.withLock { $0 }
            let clicks = pieces.filter { $0.click != nil }
            #expect(clicks.allSatisfy { $0.track == 1 })
            let click = try #require(clicks.first)
            let place = click.time.seconds + Double(click.click ?? 0) / 48000
            Margin.atMost(10, abs(place - meant.seconds) * 1000, "ms", "a click's place")
            for (track, isPCM) in [(0, false), (1, true), (2, true)] {
                // From the last sample of each to the listener.
                let delays = pieces.filter {
                    $0.track == track && $0.isPCM == isPCM && $0.time > .seconds(2) && $0.end < after
                }.map { Double($0.instant - origin) / 1e9 - $0.end.seconds }.sorted()
                let median = try #require(delays.isEmpty ? nil : delays[delays.count / 2])
                // The AAC encoder keeps two of its frames, 43 ms.
                Margin.atMost(isPCM ? 60 : 100, median * 1000, "ms", "from track \(track) to its listener")
            }
        }
    }

    @Test func `audio comes in large pieces again when nobody listens any more`() async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let clock = TakeClock()
            let heard = Heard(isRecorded: true)
            let pipeline = try AudioPipeline(
                configuration: TakeConfiguration.Audio(), clock: clock, server: server.address,
                requirements: [AudioRequirements(app: .pcm)], observer: heard.events)
            pipeline.start(into: heard)
            clock.begin(at: MonotonicClock.now())
            /// How often pieces came, of those from `start` to `end`: bursts with nothing for 5 ms between them.
            func bursts(from start: MediaTime, to end: MediaTime) throws -> Int {
                try heard.wait(for: 0, isPCM: true, until: end)
                let instants = heard.pieces.withLock { $0 }.filter { $0.time >= start && $0.end < end }.map(\.instant)
                return 1 + zip(instants, instants.dropFirst()).count { $1 - $0 > 5_000_000 }
            }
            Margin.atLeast(16, Double(try bursts(from: .seconds(1), to: .seconds(2))), "1/s", "pieces while heard")
            pipeline.listen(false)
            Margin.atMost(7, Double(try bursts(from: .seconds(3), to: .seconds(5))) / 2, "1/s", "pieces while unheard")
            pipeline.listen(true)
            Margin.atLeast(
                16, Double(try bursts(from: .seconds(6), to: .seconds(7))), "1/s", "pieces while heard again")
            pipeline.finish(at: MonotonicClock.now())
            #expect(heard.warnings.isEmpty)
        }
    }
}

extension Mailbox: TakeObserver where Element == TakeEvent {
    public func observe(_ event: TakeEvent) { post(event) }
}
