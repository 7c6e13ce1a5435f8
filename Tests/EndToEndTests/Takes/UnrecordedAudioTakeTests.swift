// Audio on an output that a take does not record: what is said, and how a client has it recorded from then on.
import AudioTesting
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.tags(.real, .programs)) struct UnrecordedAudioTakeTests {
    @Test func `a take says what plays elsewhere, and records it once a client asks`() throws {
        let screen = try PrivateScreen(size: PixelSize(width: 160, height: 120))
        let server = try TestAudioServer()
        defer { server.end() }
        try server.control(
            "load-module", "module-null-sink", "sink_name=other", "sink_properties=device.description=Headset")
        let player = try TonePlayer(server: server.address, application: "Chess", output: "other", level: 0.6)
        defer { player.stop() }
        try TestPlace.with { place in
            let own = try #require(ExecutableSearch.own)
            #expect(try place.run("permissions", "grant", own, "--screen").status == 0)
            var configuration = TakeConfiguration(source: .screen(monitor: nil), output: place.path("a.mp4"))
            configuration.wantsProgress = true
            let engine = try EngineUnderTest(
                configuration, in: place,
                environment: ["DISPLAY=\(screen.name)", "PULSE_SERVER=\(server.address)"])
            let audio = UnrecordedAudio(application: "Chess", output: "other", description: "Headset")
            try engine.wait("the audio") { $0 == .audioUnrecorded(audio) ? true : nil }
            #expect(engine.heard.contains { $0.event == .warning(audio.sentence) })
            #expect(try engine.status().unrecordedAudio == audio)
            let refusal = Refusal(.unavailable, "There is no output called nowhere; there is: kinecast, other.")
            #expect(try engine.ask(.setAppAudioOutput("nowhere")) == .failure(refusal))
            #expect(try engine.ask(.setAppAudioOutput("other")) == .success(.done))
            #expect(try engine.status().unrecordedAudio == nil)
            let changed = try engine.status().progress.duration
            try engine.wait("a second") {
                if case .progress(let progress) = $0, progress.duration >= changed + .seconds(1) { true } else { nil }
            }
            #expect(try engine.stop().exitStatus == 0)
            #expect(engine.heard.count { $0.event == .audioUnrecorded(audio) } == 1)
            let judged = try Players.complaints([
                "ffmpeg", "-hide_banner", "-nostdin", "-i", place.path("a.mp4"), "-map", "0:a", "-af", "volumedetect",
                "-f", "null", "-",
            ])
            let loudest = judged.firstMatch(of: /max_volume: (-?[0-9.]+) dB/).flatMap { Double($0.1) }
            #expect(try #require(loudest, "\(judged)") > -10)
        }
    }
}
