// Microphones and outputs whose channels have numbers instead of places, as in the profile Pro Audio: against real servers.
import AudioTesting
import Testing

@testable import KinePulse

@Suite(.serialized, .tags(.real)) struct NumberedChannelsTests {
    @Test(arguments: [(1, 2), (2, 2), (3, 2), (5, 2), (4, 1)])
    func `even channels are added on the left, odd ones on the right`(received: Int, delivered: Int) {
        let mixer = ChannelMixer(from: received, to: delivered)
        // Channel n of frame f has 10ⁿ⁺¹ + f.
        let value = { (frame: Int, channel: Int) in Float(Array(repeating: 10, count: channel + 1).reduce(1, *) + frame)
        }
        let samples = (0..<3).flatMap { frame in (0..<received).map { value(frame, $0) } }
        var mixed: [Float] = []
        samples.withUnsafeBufferPointer { mixer.mix($0) { mixed += $0 } }
        let expected = (0..<3).flatMap { frame in
            (0..<delivered).map { side -> Float in
                if received == 1 { return value(frame, 0) }
                return (0..<received).filter { $0 % delivered == side }.map { value(frame, $0) }.reduce(0, +)
            }
        }
        #expect(mixed == expected)
    }

    private func judge(_ server: String, _ control: ([String]) throws -> String) throws {
        // The microphone has what plays on the output.
        _ = try control([
            "load-module", "module-remap-source", "source_name=card", "master=kinecast.monitor", "channels=2",
            "master_channel_map=front-left,front-right", "channel_map=aux0,aux1", "remix=no",
        ])
        let inventory = try PulseSources.list(server: server)
        #expect(inventory.numberedChannels == ["card": 2], "\(inventory)")
        let recorder = AudioRecorder()
        let capture = try AudioCapture(
            targets: [.microphone("card")], channels: 2, server: server, receiver: recorder)
        defer { capture.stop() }
        let player = try TonePlayer(server: server, level: 0.9)
        defer { player.stop() }
        _ = try recorder.waitFor("the microphone's audio") { state in
            state.streams.values.contains { $0.onset(after: 0) != nil } ? true : nil
        }
    }

    @Test func `a microphone of numbered channels is heard`() async throws {
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
}
