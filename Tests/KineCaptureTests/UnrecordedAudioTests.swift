// Sound on an output that is not recorded, against real servers: when it is told, and how that output is recorded from then on.
import AudioTesting
import KineMedia
import KinePlatform
import Testing

@testable import KinePulse

@Suite(.serialized, .tags(.real)) struct UnrecordedAudioTests {
    /// Lets a capture of the default output hear silence, while an application plays on another output.
    private func judge(
        _ server: String, _ control: ([String]) throws -> String
    ) throws {
        _ = try control([
            "load-module", "module-null-sink", "sink_name=other", "sink_properties=device.description=Headset",
        ])
        let recorder = AudioRecorder()
        let capture = try AudioCapture(targets: [.defaultOutput], channels: 2, server: server, receiver: recorder)
        defer { capture.stop() }
        let player = try TonePlayer(server: server, application: "Chess", output: "other", level: 0.6)
        defer { player.stop() }
        let warning = try recorder.waitFor("the warning") { $0.warnings.first }
        let audio = UnrecordedAudio(application: "Chess", output: "other", description: "Headset")
        #expect(warning == .unrecorded(audio))
        #expect(capture.outputs.contains("other"))
        let changed = MonotonicClock.now()
        capture.change(target: 0, to: .output("other"))
        _ = try recorder.waitFor("the other output's audio") { state in
            state.streams.values.contains { $0.onset(after: changed) != nil } ? true : nil
        }
        // Nothing listens to an output beside the recorded one that is heard.
        let streams = try control(["list", "short", "source-outputs"]).split(separator: "\n")
        #expect(streams.count == 1, "\(streams)")
        #expect(recorder.state.withLock { $0.warnings } == [warning])
    }

    @Test func `what plays on another output is told once, and is recorded from then on if asked for`() async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            try judge(server.address) { try server.control($0) }
        }
    }

    @Test func `over PipeWire too`() async throws {
        try await onThread {
            let server = try TestPipeWireAudio()
            defer { server.end() }
            try judge(server.address) { try server.control($0) }
        }
    }

    @Test func `of all outputs, one that is passed on to another is heard once, also over PipeWire`() async throws {
        try await onThread {
            let pulseAudio = try TestAudioServer()
            defer { pulseAudio.end() }
            try judgeLoop(pulseAudio.address) { try pulseAudio.control($0) }
            let pipeWire = try TestPipeWireAudio()
            defer { pipeWire.end() }
            try judgeLoop(pipeWire.address) { try pipeWire.control($0) }
        }
    }

    /// Plays a click to an output that is heard on the default one too, and looks for the second copy that a mix of both would have.
    private func judgeLoop(_ server: String, _ control: ([String]) throws -> String) throws {
        _ = try control(["load-module", "module-null-sink", "sink_name=other"])
        _ = try control(["load-module", "module-null-sink", "sink_name=third"])
        _ = try control(["load-module", "module-loopback", "source=other.monitor", "sink=kinecast", "latency_msec=60"])
        let recorder = AudioRecorder()
        let capture = try AudioCapture(targets: [.everything], channels: 2, server: server, receiver: recorder)
        defer { capture.stop() }
        let player = try TonePlayer(server: server, application: "Chess", output: "other")
        defer { player.stop() }
        let heard = try player.click()
        let onset = try recorder.waitFor("the click") { state in
            state.streams.values.compactMap { $0.onset(after: heard - 400_000_000) }.min()
        }
        // A second copy would be apart by what the loopback delays.
        _ = try recorder.waitFor("the time after it") { state -> Bool? in
            let rests = state.streams.values.filter { !$0.isClosed && !$0.readings.isEmpty }
            let areOver = rests.allSatisfy { $0.instant(of: Int64($0.frames.count)) > onset + 600_000_000 }
            return areOver && !rests.isEmpty ? true : nil
        }
        let (open, clicks) = recorder.state.withLock { state in
            let open = state.streams.values.filter { !$0.isClosed }
            return (open.count, open.count { $0.onset(after: onset - 300_000_000) != nil })
        }
        let inventory = try PulseSources.list(server: server)
        #expect(open == 2, "the outputs kinecast and third: \(inventory)")
        #expect(clicks == 1)
    }
}
