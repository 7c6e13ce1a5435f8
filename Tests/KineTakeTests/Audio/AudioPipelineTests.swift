// The whole way of audio against a real PulseAudio: what a player of the file would hear, and when.
import AudioTesting
import CoreTesting
import KineMedia
import KinePlatform
import Testing

@testable import KineTake

/// Collects a pipeline's samples.
final class DeliveredAudio: AudioSink {
    struct State {
        var samples: [EncodedSample] = []
        var isOver = false
        var lateCalls = 0
    }

    let state = Monitor(State())
    let events = TakeEvents()

    func receive(_ unit: EncodedSample, of output: AudioPlan.Output, isRecorded: Bool) {
        state.signal {
            $0.samples.append(unit)
            if $0.isOver { $0.lateCalls += 1 }
        }
    }

    func receive(
        pcm: Span<Float>, of output: AudioPlan.Output, type: SampleType, at time: MediaTime, duration: MediaTime
    ) {}

    /// Those that have come since the last call.
    var warnings: [String] {
        events.drain().compactMap { if case .warning(let text) = $0 { text } else { nil } }
    }

    func samples(of type: SampleType) -> [EncodedSample] {
        state.withLock { $0.samples.filter { $0.type == type } }
    }

    /// Waits until the track has reached a media time.
    func wait(for type: SampleType, until time: MediaTime, seconds: Int64 = 300) throws {
        let found = state.wait(until: MonotonicClock.now() + seconds * 1_000_000_000) { state in
            state.samples.last { $0.type == type }.map { $0.presentationTime >= time } == true ? true : nil
        }
        guard found == true else {
            throw TestAudioServer.Failure(
                description: "no sound came up to \(time.seconds) s: \(warnings)")
        }
    }

    /// The media times, in seconds, at which clicks are heard when the track is played. Checks that access units follow
    /// each other without a gap.
    func clicks(in track: AudioFormat) throws -> [Double] {
        let samples = samples(of: track.type)
        for (index, sample) in samples.enumerated() {
            let start = Int64(index * track.samplesPerAccessUnit - track.primingSamples)
            #expect(sample.presentationTime == MediaTime(ticks: start, timescale: Int32(track.sampleRate)))
        }
        let heard = try decode(
            samples.map(\.data), config: track.configuration, channels: track.channels)
        var places: [Double] = []
        var quiet = Int.max
        for index in 0..<heard.count / track.channels {
            if abs(heard[index * track.channels]) > 0.45 {
                if quiet > 4000 { places.append(Double(index - track.primingSamples) / Double(track.sampleRate)) }
                quiet = 0
            } else if quiet < Int.max {
                quiet += 1
            }
        }
        return places
    }
}

private func pipeline(
    _ configuration: TakeConfiguration.Audio, clock: TakeClock, server: String, into audio: DeliveredAudio
) throws -> AudioPipeline {
    try AudioPipeline(
        configuration: configuration, clock: clock, server: server, observer: audio.events)
}

private func configuration(_ change: (inout TakeConfiguration.Audio) -> Void = { _ in }) -> TakeConfiguration.Audio {
    var configuration = TakeConfiguration.Audio()
    change(&configuration)
    return configuration
}

/// Compares the clicks in a recording with those that should be in it; both are times in seconds. `played`: how many clicks were played,
/// also those of a pause.
///
/// On a busy machine an audio server loses audio and guesses its clock. It may break a click in two, or play a click of a pause after the
/// pause. So only a quiet machine has to have the right number of clicks at the right places. A busy one has at most two for each click.
private func judge(_ found: [Double], _ meant: [Double], played: Int, within tolerance: Double) {
    #expect(found.count <= 2 * played)
    Margin.atMost(Double(meant.count), Double(found.count), "clicks", "of \(meant.count) clicks found")
    Margin.atLeast(Double(meant.count), Double(found.count), "clicks", "of \(meant.count) clicks found")
    for (a, b) in zip(found, meant) where found.count == meant.count {
        Margin.atMost(tolerance * 1000, abs(a - b) * 1000, "ms", "a click's place")
    }
}

@Suite(.serialized, .tags(.real, .margins)) struct AudioPipelineTests {
    @Test func `clicks lie where they were heard, also after pauses`() async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let player = try TonePlayer(server: server.address)
            defer { player.stop() }
            let clock = TakeClock()
            let audio = DeliveredAudio()
            let pipeline = try pipeline(configuration(), clock: clock, server: server.address, into: audio)
            #expect(pipeline.tracks.map(\.type) == [.audioApp])
            let track = try #require(pipeline.tracks.first)
            // The first click is before the take's first frame.
            _ = try player.click()
            pipeline.start(into: audio)
            let origin = MonotonicClock.now()
            clock.begin(at: origin)
            var meant: [Double] = []
            for round in 0..<6 {
                // Every other click falls into a pause.
                if round % 2 == 1 { clock.pause(at: MonotonicClock.now()) }
                let heard = try player.click()
                if round % 2 == 0 {
                    meant.append(clock.mediaTime(at: heard).seconds)
                } else {
                    try wait("the pause's end") { MonotonicClock.now() > heard + 100_000_000 }
                    clock.resume(at: MonotonicClock.now())
                }
            }
            let end = MonotonicClock.now()
            pipeline.finish(at: end)
            audio.state.withLock { $0.isOver = true }

            let found = try audio.clicks(in: track)
            judge(found, meant, played: 7, within: 0.01)
            let last = try #require(audio.samples(of: .audioApp).last)
            let length = (last.presentationTime + last.duration).seconds
            #expect(abs(length - clock.mediaTime(at: end).seconds) < 2.5 * 1024 / 48000)
            #expect(audio.state.withLock { $0.lateCalls } == 0)
        }
    }

    @Test func `audio that is turned off is silent, until it is turned on again`() async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let player = try TonePlayer(server: server.address)
            defer { player.stop() }
            let clock = TakeClock()
            let audio = DeliveredAudio()
            let pipeline = try pipeline(configuration(), clock: clock, server: server.address, into: audio)
            let track = try #require(pipeline.tracks.first)
            #expect(pipeline.has(.app) && !pipeline.has(.microphone) && !pipeline.set(.microphone, isOn: true))
            #expect(pipeline.isOn(.app) == true && pipeline.isOn(.microphone) == nil)
            pipeline.start(into: audio)
            clock.begin(at: MonotonicClock.now())
            var ends: [Double] = []
            for isOn in [true, false, true] {
                var end = 0.0
                #expect(pipeline.set(.app, isOn: isOn) && pipeline.isOn(.app) == isOn)
                // The server's streams follow a moment later, and the first sound of a stream a moment after that.
                try wait("the stream") { try server.control("list", "short", "source-outputs").isEmpty == !isOn }
                let start = ends.last ?? 0
                try wait("a click, unless audio is off") {
                    let click = clock.mediaTime(at: try player.click())
                    try audio.wait(for: .audioApp, until: click + .milliseconds(200))
                    end = click.seconds + 0.1
                    return try !isOn || audio.clicks(in: track).contains { $0 > start && $0 < end }
                }
                ends.append(end)
            }
            pipeline.finish(at: MonotonicClock.now())
            let found = try audio.clicks(in: track)
            #expect(!found.contains { $0 > ends[0] && $0 < ends[1] }, "\(found)")
        }
    }

    @Test func `audio has arrived once output and microphone have delivered; an application is not waited for`()
        async throws
    {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-source source_name=desk"])
            defer { server.end() }
            try server.control("suspend-source", "desk", "1")
            try server.control("suspend-sink", "kinecast", "1")
            let audio = DeliveredAudio()
            let arrivals = { audio.events.drain().count { if case .audioArrived = $0 { true } else { false } } }
            let clock = TakeClock()
            clock.begin(at: MonotonicClock.now())
            /// Has `body` see a take's audio, whose streams the server knows.
            func begin(
                _ audioConfiguration: TakeConfiguration.Audio, streams: Int, _ body: (AudioPipeline) throws -> Void
            ) throws {
                let pipeline = try pipeline(audioConfiguration, clock: clock, server: server.address, into: audio)
                pipeline.start(into: audio)
                try wait("the streams") {
                    try server.control("list", "short", "source-outputs").split(separator: "\n").count == streams
                }
                try body(pipeline)
                pipeline.cancel()
            }
            try begin(configuration { $0.microphone = .named("desk") }, streams: 2) { pipeline in
                #expect(pipeline.awaited == [.defaultOutput, .microphone("desk")])
                try server.control("suspend-sink", "kinecast", "0")
                try wait("the output") { pipeline.awaited == [.microphone("desk")] }
                #expect(arrivals() == 0)
                try server.control("suspend-source", "desk", "0")
                try wait("the microphone") { pipeline.awaited == [] }
                try wait("its arrival") { arrivals() == 1 }
            }
            try server.control("suspend-source", "desk", "1")
            try begin(
                configuration {
                    $0.microphone = .named("desk")
                    $0.isMicrophoneOff = true
                }, streams: 1
            ) { pipeline in
                #expect(pipeline.isOn(.app) == true && pipeline.isOn(.microphone) == false)
                try wait("the output alone") { arrivals() == 1 }
            }
            try begin(configuration { $0.app = .application("Chess") }, streams: 0) { _ in #expect(arrivals() == 1) }
        }
    }

    @Test func `application and microphone share a track`() async throws {
        try await onThread {
            // The microphone hears what a second output plays.
            let server = try TestAudioServer(modules: [
                "module-null-sink sink_name=room",
                "module-remap-source source_name=desk master=room.monitor",
            ])
            defer { server.end() }
            let chess = try TonePlayer(server: server.address, application: "Chess", output: "kinecast")
            defer { chess.stop() }
            let voice = try TonePlayer(server: server.address, application: "Voice", output: "room")
            defer { voice.stop() }
            let clock = TakeClock()
            let audio = DeliveredAudio()
            let pipeline = try pipeline(
                configuration {
                    $0.app = .application("chess")
                    $0.microphone = .named("desk")
                }, clock: clock, server: server.address, into: audio)
            let track = try #require(pipeline.tracks.first)
            #expect(pipeline.tracks.map(\.type) == [.audioApp])
            clock.begin(at: MonotonicClock.now())
            pipeline.start(into: audio)
            try audio.wait(for: .audioApp, until: .seconds(0.5))
            var meant: [Double] = []
            for player in [chess, voice, chess, voice] {
                meant.append(clock.mediaTime(at: try player.click()).seconds)
                let wanted = MonotonicClock.now() + 300_000_000
                try wait("the next click's turn") { MonotonicClock.now() > wanted }
            }
            pipeline.finish(at: MonotonicClock.now())
            let found = try audio.clicks(in: track)
            // The microphone of this test is the monitor of an output in disguise, so the server does not say how far its
            // audio is ahead of what is heard: that output's own latency, up to 50 ms.
            judge(found, meant, played: 4, within: 0.05)
        }
    }

    @Test func `separate tracks keep application and microphone apart, in mono at 44100 Hz too`() async throws {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-source source_name=desk"])
            defer { server.end() }
            let player = try TonePlayer(server: server.address)
            defer { player.stop() }
            let clock = TakeClock()
            let audio = DeliveredAudio()
            let pipeline = try pipeline(
                configuration {
                    $0.microphone = .defaultDevice
                    $0.separateTracks = true
                    $0.sampleRate = 44100
                    $0.channels = 1
                    $0.bitrate = 64000
                }, clock: clock, server: server.address, into: audio)
            #expect(pipeline.tracks.map(\.type) == [.audioApp, .audioMic])
            #expect(pipeline.tracks.allSatisfy { $0.sampleRate == 44100 && $0.channels == 1 })
            clock.begin(at: MonotonicClock.now())
            pipeline.start(into: audio)
            let meant = clock.mediaTime(at: try player.click()).seconds
            pipeline.finish(at: MonotonicClock.now())
            let app = try audio.clicks(in: pipeline.tracks[0])
            judge(app, [meant], played: 1, within: 0.01)
            #expect(try audio.clicks(in: pipeline.tracks[1]).isEmpty)
            #expect(audio.samples(of: .audioApp).count == audio.samples(of: .audioMic).count)
        }
    }

    @Test func `a take goes on in silence while the audio server is away, and hears again after`() async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let clock = TakeClock()
            let audio = DeliveredAudio()
            let pipeline = try pipeline(configuration(), clock: clock, server: server.address, into: audio)
            let origin = MonotonicClock.now()
            clock.begin(at: origin)
            pipeline.start(into: audio)
            try audio.wait(for: .audioApp, until: .seconds(0.5))
            server.kill()
            try audio.wait(for: .audioApp, until: .seconds(3))
            // Silence keeps pace: what a crash would lose stays below a second.
            Margin.atMost(4, Double(MonotonicClock.now() - origin) / 1e9, "s", "three seconds of silence")
            try server.start()
            let player = try TonePlayer(server: server.address)
            defer { player.stop() }
            try wait("the stream to be back") {
                try server.control("list", "short", "source-outputs").contains("protocol-native")
            }
            let meant = clock.mediaTime(at: try player.click()).seconds
            pipeline.finish(at: MonotonicClock.now())
            let found = try audio.clicks(in: pipeline.tracks[0])
            judge(found, [meant], played: 1, within: 0.01)
            #expect(audio.warnings.count == 1)
        }
    }

    @Test func `audio comes at least every half second, and silence is encoded once`() async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let clock = TakeClock()
            let audio = DeliveredAudio()
            let pipeline = try pipeline(configuration(), clock: clock, server: server.address, into: audio)
            let origin = MonotonicClock.now()
            clock.begin(at: origin)
            pipeline.start(into: audio)
            var worst = 0.0
            for step in 1...10 {
                try audio.wait(for: .audioApp, until: .seconds(Double(step) * 0.5))
                worst = max(worst, Double(MonotonicClock.now() - origin) / 1e9 - Double(step) * 0.5)
            }
            Margin.atMost(0.9, worst, "s", "sound behind the take")
            pipeline.finish(at: MonotonicClock.now())
            #expect(audio.samples(of: .audioApp).count > 230)
            #expect(pipeline.encodedFrames <= 8)
        }
    }

    @Test func `finishing without a frame delivers nothing, and twice is once`() async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let audio = DeliveredAudio()
            let pipeline = try pipeline(configuration(), clock: TakeClock(), server: server.address, into: audio)
            pipeline.start(into: audio)
            pipeline.finish(at: MonotonicClock.now())
            pipeline.finish(at: MonotonicClock.now())
            #expect(audio.samples(of: .audioApp).isEmpty)
        }
    }

    @Test func `without an audio server the default has no audio and says so once`() async throws {
        try await onThread {
            let audio = DeliveredAudio()
            let pipeline = try pipeline(
                configuration(), clock: TakeClock(), server: "unix:/nonexistent/socket", into: audio)
            #expect(pipeline.tracks.isEmpty)
            pipeline.start(into: audio)
            pipeline.finish(at: MonotonicClock.now())
            #expect(
                audio.warnings == [
                    "No audio server answers (Connection refused), so this take has no audio."
                ])
        }
    }

    @Test(arguments: [
        configuration { $0.app = .system(required: true) },
        configuration { $0.app = .application("Chess") },
        configuration { $0.microphone = .defaultDevice },
        configuration { $0.microphone = .named("desk") },
    ])
    func `without an audio server, audio asked for by name is an error`(
        configuration: TakeConfiguration.Audio
    ) async throws {
        try await onThread {
            _ = #expect {
                _ = try pipeline(
                    configuration, clock: TakeClock(), server: "unix:/nonexistent/socket", into: DeliveredAudio())
            } throws: { error in
                (error as? TakeError)?.message.contains("start PulseAudio or PipeWire") == true
            }
        }
    }

    @Test func `no audio at all needs no server`() throws {
        let audio = DeliveredAudio()
        let pipeline = try pipeline(
            configuration { $0.app = .none }, clock: TakeClock(), server: "unix:/nonexistent/socket", into: audio)
        #expect(pipeline.tracks.isEmpty)
        #expect(audio.warnings.isEmpty)
    }
}
