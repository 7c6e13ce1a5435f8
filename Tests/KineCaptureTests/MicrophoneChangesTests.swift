// When changes of a microphone are reported, and how they are counted: by themselves, and of a headset on a real server.
import AudioTesting
import CoreTesting
import Testing

@testable import KinePulse

@Suite struct MicrophoneChangesTests {
    private let headset = AudioSource.source("headset")
    private let desk = AudioSource.source("desk")

    @Test func `the first change is reported, each is counted, and a return is none`() {
        var changes = MicrophoneChanges()
        #expect(changes.follow(nil) == nil, "it has not begun")
        #expect(changes.follow(headset) == nil && changes.follow(headset) == nil && changes.count == 0)
        #expect(changes.follow(desk) == .replaced)
        #expect(changes.follow(nil) == nil && changes.follow(headset) == nil && changes.count == 2)
        #expect(changes.follow(desk) == nil && changes.count == 3)
        var gone = MicrophoneChanges()
        #expect(gone.follow(headset) == nil && gone.follow(nil) == .gone && gone.follow(nil) == nil)
        #expect(gone.follow(headset) == nil && gone.count == 1)
    }

    @Test func `a microphone that a person turns off has not changed`() {
        var changes = MicrophoneChanges()
        #expect(changes.follow(headset) == nil)
        changes.turnedOff()
        #expect(changes.follow(desk) == nil && changes.count == 0)
    }

    @Test(.tags(.real))
    func `a headset whose profile changes is recorded in each, and reported at the first change and the end`()
        async throws
    {
        try await onThread { try change(isMeasured: false) }
    }

    @Test(.tags(.real, .margins))
    func `a headset whose profile changes keeps sound and picture together, without a long gap`() async throws {
        try await onThread { try change(isMeasured: true) }
    }

    private func change(isMeasured: Bool) throws {
        let server = try TestAudioServer()
        defer { server.end() }
        for (name, rate, channels) in [("music", 48000, 2), ("call", 16000, 1)] {
            try server.control(
                "load-module", "module-null-sink", "sink_name=\(name)", "rate=\(rate)", "channels=\(channels)",
                "sink_properties=device.description=Headset-\(name)")
        }
        try server.control("set-default-source", "music.monitor")
        let recorder = AudioRecorder()
        let capture = try AudioCapture(
            targets: [.defaultOutput, .defaultMicrophone], channels: 2, server: server.address, receiver: recorder)
        let players = try ["music", "call"].map { try TonePlayer(server: server.address, output: $0) }
        defer { for player in players { player.stop() } }
        for change in 0...5 {
            let profile = change % 2
            if change > 0 {
                try server.control("set-default-source", ["music.monitor", "call.monitor"][profile])
            }
            _ = try recorder.waitFor("the microphone after change \(change)") { state in
                let microphones = state.order.compactMap { state.streams[$0] }.filter { $0.target == 1 }
                let open = microphones.filter { !$0.isClosed }
                return microphones.count == change + 1 && open.count == 1 && !open[0].frames.isEmpty ? true : nil
            }
            // Sound and picture have one clock.
            if isMeasured { try recorder.judge(click: change, heard: players[profile].click(), within: 50) }
        }
        let recordings = recorder.state.withLock { state in
            state.order.compactMap { state.streams[$0] }.filter { $0.target == 1 }
        }
        for (former, next) in zip(recordings, recordings.dropFirst()) where isMeasured {
            let gap = next.instant(of: 0) - former.instant(of: Int64(former.frames.count))
            Margin.atMost(500, Double(gap) / 1e6, "ms", "the gap at a change of the microphone")
        }
        capture.stop()
        #expect(
            recorder.state.withLock { $0.warnings } == [
                .microphoneReplaced(by: "Headset-call"), .microphoneChanges(5),
            ])
    }
}
