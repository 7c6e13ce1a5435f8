// Audio against a real PulseAudio: samples, their instants, and devices and applications that come and go.
import AudioTesting
import CoreTesting
import Glibc
import KinePlatform
import Testing

@testable import KinePulse

@Suite(.serialized, .tags(.real, .long, .margins)) struct AudioCaptureTests {
    /// Runs `body` with a server and a capture of `target`.
    private func capture(
        _ target: AudioTarget, _ body: @Sendable (TestAudioServer, AudioRecorder, AudioCapture) throws -> Void
    ) async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let recorder = AudioRecorder()
            let capture = try AudioCapture(
                targets: [target], channels: 2, server: server.address, receiver: recorder)
            defer { capture.stop() }
            try body(server, recorder, capture)
        }
    }

    @Test func `a click is found at the instant it was heard, through the default output's monitor`() async throws {
        try await capture(.defaultOutput) { server, recorder, _ in
            let player = try TonePlayer(server: server.address)
            defer { player.stop() }
            for round in 0..<4 {
                let heard = try player.click()
                try recorder.judge(click: round, heard: heard)
            }
        }
    }

    @Test func `a click is found at the instant it was heard, through one application's monitor`() async throws {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let recorder = AudioRecorder()
            let player = try TonePlayer(server: server.address, application: "Chess")
            defer { player.stop() }
            let other = try TonePlayer(server: server.address, application: "Draughts", level: 0.9)
            defer { other.stop() }
            let capture = try AudioCapture(
                targets: [.application("chess")], channels: 2, server: server.address, receiver: recorder)
            defer { capture.stop() }
            for round in 0..<4 {
                let heard = try player.click()
                try recorder.judge(click: round, heard: heard)
            }
        }
    }

    @Test func `an application that begins later is waited for, and its streams come and go`() async throws {
        try await capture(.application("Chess")) { server, recorder, _ in
            let warning = try recorder.waitFor("the warning") { $0.warnings.first }
            #expect(warning == .missing(MissingAudio(target: .application("Chess"))))
            let player = try TonePlayer(server: server.address, application: "chess", level: 0.6)
            let second = try TonePlayer(server: server.address, application: "CHESS", level: 0.6)
            _ = try recorder.waitFor("two streams") { state in
                state.streams.values.filter { $0.onset(after: 0) != nil }.count == 2 ? true : nil
            }
            player.stop()
            _ = try recorder.waitFor("the first stream's end") {
                $0.streams[$0.order[0]]?.isClosed == true ? true : nil
            }
            second.stop()
            _ = try recorder.waitFor("the second stream's end") {
                $0.streams.values.allSatisfy(\.isClosed) ? true : nil
            }
            #expect(recorder.state.withLock { Array($0.warnings.dropFirst()) } == [])
        }
    }

    @Test func `over PipeWire too, one application alone is heard while it plays on, and its streams come and go`()
        async throws
    {
        try await onThread {
            let server = try TestPipeWireAudio()
            defer { server.end() }
            try server.control("load-module", "module-null-sink", "sink_name=other")
            let recorder = AudioRecorder()
            let noise = try TonePlayer(server: server.address, application: "Draughts", level: 0.9)
            defer { noise.stop() }
            let capture = try AudioCapture(
                targets: [.application("Chess")], channels: 2, server: server.address, receiver: recorder)
            defer { capture.stop() }
            _ = try recorder.waitFor("the warning") { $0.warnings.first }
            let player = try TonePlayer(server: server.address, application: "chess", output: "kinecast", level: 0.6)
            _ = try recorder.waitFor("audio") { $0.streams.values.first { $0.onset(after: 0) != nil } }
            // Of another application nothing: its tone would be the louder one.
            #expect(
                recorder.state.withLock { $0.streams.values.allSatisfy { $0.frames.allSatisfy { abs($0) < 0.65 } } })
            // It goes on playing to where it played.
            #expect(try server.control("list", "sink-inputs").contains("application.name = \"chess\""))
            // PipeWire records the application's own node, which a move leaves alone.
            try server.control("move-sink-input", "\(player.index)", "other")
            let moved = MonotonicClock.now()
            _ = try recorder.waitFor("audio on the other output") {
                $0.streams.values.first { $0.onset(after: moved) != nil }
            }
            player.stop()
            _ = try recorder.waitFor("the end of all streams") { $0.streams.values.allSatisfy(\.isClosed) ? true : nil }
            let second = recorder.state.withLock { $0.order.count }
            let again = try TonePlayer(server: server.address, application: "Chess", level: 0.6)
            defer { again.stop() }
            _ = try recorder.waitFor("audio again") { state in
                state.order.dropFirst(second).contains { state.streams[$0]?.onset(after: 0) != nil } ? true : nil
            }
            #expect(recorder.state.withLock { Array($0.warnings.dropFirst()) } == [])
        }
    }

    @Test func `an application's stream is followed to another output`() async throws {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-sink sink_name=other"])
            defer { server.end() }
            let recorder = AudioRecorder()
            let player = try TonePlayer(server: server.address, application: "Chess", output: "kinecast", level: 0.6)
            defer { player.stop() }
            let capture = try AudioCapture(
                targets: [.application("Chess")], channels: 2, server: server.address, receiver: recorder)
            defer { capture.stop() }
            _ = try recorder.waitFor("audio") { $0.streams.values.first { $0.onset(after: 0) != nil } }
            try server.control("move-sink-input", "\(player.index)", "other")
            _ = try recorder.waitFor("audio on the other output") { state in
                state.order.count >= 2 && state.streams[state.order[state.order.count - 1]]?.onset(after: 0) != nil
                    ? true : nil
            }
        }
    }

    @Test func `the default output is followed when it changes, goes and comes back`() async throws {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-sink sink_name=other rate=96000"])
            defer { server.end() }
            try server.control("set-default-sink", "kinecast")
            let player = try TonePlayer(server: server.address, output: "other", level: 0.6)
            defer { player.stop() }
            let recorder = AudioRecorder()
            let capture = try AudioCapture(
                targets: [.defaultOutput], channels: 2, server: server.address, receiver: recorder)
            defer { capture.stop() }
            _ = try recorder.waitFor("the first output") { $0.streams.values.first { $0.frames.count > 0 } }
            #expect(recorder.state.withLock { $0.streams.values.allSatisfy { $0.onset(after: 0) == nil } })
            try server.control("set-default-sink", "other")
            _ = try recorder.waitFor("the second output") { state in
                state.streams.values.first { $0.onset(after: 0) != nil }
            }
            #expect(recorder.state.withLock { $0.streams[$0.order[0]]?.isClosed } == true)
            try server.control("unload-module", "module-null-sink")
            _ = try recorder.waitFor("the end of all streams") { $0.streams.values.allSatisfy(\.isClosed) ? true : nil }
            _ = try recorder.waitFor("the warning") { $0.warnings.first }
            try server.control("load-module", "module-null-sink", "sink_name=third")
            _ = try recorder.waitFor("the third output") { state in
                state.streams.values.first { !$0.isClosed && $0.frames.count > 0 }
            }
        }
    }

    @Test func `an audio server that is killed and started again is found again`() async throws {
        try await capture(.defaultOutput) { server, recorder, _ in
            _ = try recorder.waitFor("audio") { $0.streams.values.first { $0.frames.count > 0 } }
            server.kill()
            _ = try recorder.waitFor("the warning") { $0.warnings.first }
            let settled = recorder.state.withLock { $0.settled }
            _ = try recorder.waitFor("time to go on meanwhile") { $0.settled > settled + 1 ? true : nil }
            try server.start()
            _ = try recorder.waitFor("audio after the restart") { state in
                state.streams.values.first { !$0.isClosed && $0.frames.count > 0 }
            }
            let warnings = recorder.state.withLock { $0.warnings }
            #expect(warnings == [.serverLost(.pulse(PulseError(rawValue: 11)))])  // PA_ERR_CONNECTIONTERMINATED
        }
    }

    @Test func `a microphone and an output are recorded by name, and the default microphone may be a monitor`()
        async throws
    {
        try await onThread {
            let server = try TestAudioServer(modules: [
                "module-null-source source_name=desk rate=44100", "module-null-sink sink_name=room rate=32000",
                "module-null-sink sink_name=virtual rate=96000",
            ])
            defer { server.end() }
            try server.control("set-default-source", "virtual.monitor")
            let recorder = AudioRecorder()
            let capture = try AudioCapture(
                targets: [.microphone("desk"), .output("room"), .defaultMicrophone], channels: 2,
                server: server.address, receiver: recorder)
            defer { capture.stop() }
            let rates = try recorder.waitFor("all streams") { state -> [Int: Int]? in
                let heard = state.streams.values.filter { $0.frames.count > 0 }
                return heard.count == 3 ? Dictionary(uniqueKeysWithValues: heard.map { ($0.target, $0.rate) }) : nil
            }
            #expect(rates == [0: 44100, 1: 32000, 2: 96000])
        }
    }

    @Test(arguments: [AudioTarget.microphone("desk"), .defaultMicrophone])
    func `a microphone that is unplugged is told as that, and recorded again when it is back`(target: AudioTarget)
        async throws
    {
        try await onThread {
            let server = try TestAudioServer()
            defer { server.end() }
            let desk = ["load-module", "module-null-source", "source_name=desk", "rate=44100"]
            let module = try server.control(desk).split(separator: "\n").first.map(String.init) ?? ""
            let recorder = AudioRecorder()
            let capture = try AudioCapture(
                targets: [target], channels: 2, server: server.address, receiver: recorder)
            defer { capture.stop() }
            _ = try recorder.waitFor("the microphone") { $0.streams.values.first { $0.frames.count > 0 } }
            // The server's default is a monitor now.
            try server.control("unload-module", module)
            _ = try recorder.waitFor("the warning") { $0.warnings.first }
            try server.control(desk)
            _ = try recorder.waitFor("the microphone again") {
                $0.streams.values.first { !$0.isClosed && $0.frames.count > 0 }
            }
            let state = recorder.state.withLock { $0 }
            #expect(state.warnings == [.gone(target)])
            #expect(state.streams.values.allSatisfy { $0.rate == 44100 })
        }
    }

    @Test func `an output that is muted or turned down is told once for each change, a private one is not`()
        async throws
    {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-sink sink_name=other"])
            defer { server.end() }
            try server.control("set-default-sink", "kinecast")
            try server.control("set-sink-mute", "other", "1")
            let player = try TonePlayer(server: server.address, application: "Chess", output: "other", level: 0.6)
            defer { player.stop() }
            let (recorder, hidden) = (AudioRecorder(), AudioRecorder())
            let targets = [AudioTarget.defaultOutput, .output("other"), .application("Chess")]
            let capture = try AudioCapture(
                targets: targets, channels: 2, server: server.address, receiver: recorder)
            defer { capture.stop() }
            let `private` = try AudioCapture(
                targets: targets, channels: 2, server: server.address, isPrivate: true, receiver: hidden)
            defer { `private`.stop() }
            var expected: [(AudioTarget, AudioLevel)] = [(.output("other"), .muted)]
            func wait() throws {
                let found = try recorder.waitFor("warning \(expected.count)") {
                    $0.warnings.count >= expected.count ? $0.warnings : nil
                }
                for (warning, (target, level)) in zip(found, expected) {
                    guard case .inaudible(let audio) = warning else {
                        Issue.record("\(warning)")
                        continue
                    }
                    #expect(audio.target == target && audio.level == level)
                }
                #expect(found.count == expected.count)
            }
            try wait()
            // 5 % is -78 dB.
            for (change, target, level) in [
                (["set-sink-volume", "kinecast", "5%"], .defaultOutput, .faint),
                (["set-sink-mute", "kinecast", "1"], .defaultOutput, .muted),
            ] as [([String], AudioTarget, AudioLevel)] {
                try server.control(change)
                expected.append((target, level))
                try wait()
            }
            // The same again is no change; a monitor has a switch of its own.
            try server.control("set-sink-volume", "kinecast", "4%")
            for change in [["set-sink-mute", "other", "0"], ["set-source-mute", "other.monitor", "1"]] {
                try server.control(change)
                if change[2] == "0" {
                    _ = try recorder.waitFor("the other output's audio") { state in
                        state.streams.values.first { $0.target == 1 && $0.onset(after: 0) != nil }
                    }
                }
            }
            expected.append((.output("other"), .muted))
            try wait()
            try server.control("set-sink-input-mute", "\(player.index)", "1")
            expected.append((.application("Chess"), .muted))
            try wait()
            #expect(hidden.state.withLock { $0.warnings } == [])
        }
    }

    @Test func `over PipeWire, an output that is muted is told where its monitor is silent then`() async throws {
        try await onThread {
            let server = try TestPipeWireAudio()
            defer { server.end() }
            // As a sound card's output is.
            try server.control(
                "load-module", "module-null-sink", "sink_name=card", "sink_properties=monitor.channel-volumes=false")
            let player = try TonePlayer(server: server.address, output: "card", level: 0.6)
            defer { player.stop() }
            for output in ["card", "kinecast"] { try server.control("set-sink-mute", output, "1") }
            let recorder = AudioRecorder()
            let capture = try AudioCapture(
                targets: [.output("card"), .output("kinecast")], channels: 2, server: server.address,
                receiver: recorder)
            defer { capture.stop() }
            _ = try recorder.waitFor("audio of the card") { state in
                state.streams.values.first { $0.target == 0 && $0.onset(after: 0) != nil }
            }
            let warnings = recorder.state.withLock { $0.warnings }
            guard case .inaudible(let audio)? = warnings.first, warnings.count == 1 else {
                Issue.record("\(warnings)")
                return
            }
            #expect(audio.target == .output("kinecast") && audio.level == .muted)
        }
    }

    @Test func `a microphone that is off is closed, may be missing, and is recorded again once it is on`() async throws
    {
        try await onThread {
            let server = try TestAudioServer(modules: [])
            defer { server.end() }
            try server.control("set-default-source", "kinecast.monitor")
            let recorder = AudioRecorder()
            let capture = try AudioCapture(
                targets: [.defaultOutput, .microphone("desk")], off: [1], channels: 2, server: server.address,
                receiver: recorder)
            defer { capture.stop() }
            _ = try recorder.waitFor("the output") { $0.order.isEmpty ? nil : true }
            capture.set(target: 1, isOn: true)
            let missing = AudioWarning.missing(MissingAudio(target: .microphone("desk"), existing: []))
            _ = try recorder.waitFor("a warning") { $0.warnings == [missing] ? true : nil }
            try server.control("load-module", "module-null-source", "source_name=desk")
            for round in 0..<2 {
                let stream = try recorder.waitFor("the microphone, round \(round)") { state in
                    state.streams.first { $0.value.target == 1 && !$0.value.isClosed && !$0.value.frames.isEmpty }?.key
                }
                capture.set(target: 1, isOn: false)
                _ = try recorder.waitFor("its end") { $0.streams[stream]?.isClosed == true ? true : nil }
                // The server has no recorder of it any more.
                while try server.control("list", "short", "source-outputs").split(separator: "\n").count > 1 {}
                capture.set(target: 1, isOn: true)
            }
            #expect(recorder.state.withLock { $0.warnings } == [missing])
        }
    }

    @Test func `a stream may be closed while the server is asked for its clock`() async throws {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-source source_name=desk"])
            defer { server.end() }
            let recorder = AudioRecorder()
            let capture = try AudioCapture(
                targets: [.microphone("desk")], channels: 2, server: server.address, receiver: recorder)
            defer { capture.stop() }
            var numbers = SeededGenerator()
            for round in 1...50 {
                let stream = try recorder.waitFor("the microphone") { $0.order.count == round ? $0.order.last : nil }
                // The first question comes with the first audio, some 10 ms after the stream has opened.
                _ = WakeSignal.poll([], until: MonotonicClock.now() + Int64.random(in: 0...15_000_000, using: &numbers))
                capture.set(target: 0, isOn: false)
                _ = try recorder.waitFor("its end") { $0.streams[stream]?.isClosed == true ? true : nil }
                capture.set(target: 0, isOn: true)
            }
        }
    }

    @Test func `a microphone or output that is not there is an error that lists those that are`() async throws {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-source source_name=desk"])
            defer { server.end() }
            #expect(
                throws: AudioCapture.Error.missing(
                    MissingAudio(target: .microphone("table"), existing: ["desk"]))
            ) {
                _ = try AudioCapture(
                    targets: [.microphone("table")], channels: 2, server: server.address, receiver: AudioRecorder())
            }
            #expect(
                throws: AudioCapture.Error.missing(MissingAudio(target: .output("hdmi"), existing: ["kinecast"]))
            ) {
                _ = try AudioCapture(
                    targets: [.output("hdmi")], channels: 2, server: server.address, receiver: AudioRecorder())
            }
        }
    }

    @Test func `a machine without an audio server says so at once`() async throws {
        try await onThread {
            let began = MonotonicClock.now()
            let refused = AudioCapture.Error.noServer(.pulse(PulseError(rawValue: 6)))  // PA_ERR_CONNECTIONREFUSED
            #expect(throws: refused) {
                _ = try AudioCapture(
                    targets: [.defaultOutput], channels: 2, server: "unix:/nonexistent/socket",
                    receiver: AudioRecorder())
            }
            Margin.atMost(3, Double(MonotonicClock.now() - began) / 1e9, "s", "until a missing audio server is noticed")
            #expect(throws: refused) { try PulseSources.list(server: "unix:/nonexistent/socket") }
        }
    }

    @Test func `outputs, microphones and playing applications are listed`() async throws {
        try await onThread {
            let server = try TestAudioServer(modules: ["module-null-source source_name=desk"])
            defer { server.end() }
            let player = try TonePlayer(server: server.address, application: "Chess")
            defer { player.stop() }
            let inventory = try PulseSources.list(server: server.address)
            #expect(inventory.outputs.map(\.name) == ["kinecast"])
            #expect(inventory.outputs.map(\.monitor) == ["kinecast.monitor"])
            #expect(inventory.microphones.map(\.name) == ["desk"])
            #expect(inventory.playbacks.map(\.application) == ["Chess"])
            #expect(inventory.defaultOutput == "kinecast")
        }
    }

    @Test func `silence wakes the recorder at most four times a second`() async throws {
        try await capture(.defaultOutput) { _, recorder, capture in
            // Past the first seconds, in which the clock is asked more often.
            let ready = MonotonicClock.now() + 6_000_000_000
            _ = try recorder.waitFor("the stream to settle") { _ in MonotonicClock.now() > ready ? true : nil }
            let before = (wakeups: capture.wakeups, instant: MonotonicClock.now())
            let start = recorder.state.withLock { $0.settled }
            _ = try recorder.waitFor("twelve more batches") { $0.settled >= start + 12 ? true : nil }
            let wakeups =
                Double(capture.wakeups - before.wakeups) / (Double(MonotonicClock.now() - before.instant) / 1e9)
            Margin.atMost(4, wakeups, "1/s", "wake-ups in silence")
        }
    }
}
