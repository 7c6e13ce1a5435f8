// A broadcast through a network that takes less than what was chosen: the real executables, and a server that reads slowly.
import CoreTesting
import FoundationEssentials
import KinePlatform
import ProcessTesting
import RTMPTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct AdaptingTests {
    /// A line of `status --json`.
    private struct Status: Decodable {
        var destinations: [RunningKinecast.Event.Destination]
    }

    private func destination(_ place: TestPlace) throws -> RunningKinecast.Event.Destination {
        let line = try place.run("status", "--json").output
        let status = try JSONDecoder().decode(Status.self, from: Data(line.utf8))
        return try #require(status.destinations.first)
    }

    @Test(.timeLimit(.minutes(15)))
    func `the bitrate follows a slow server down and up, audio and the recording are complete`() throws {
        let chosen = 3_000_000
        let server = try SlowRTMPServer(speed: 1_000_000)
        defer { #expect(server.state.withLock { $0.violation } == nil) }
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--virtual", "480x272", "--bitrate", "3M", "--max-bitrate", "3M", "--record", "a.mp4",
                "--json", "--to",
                "rtmp://127.0.0.1:\(server.port)/live/key", "--set", "rtmp.min-bitrate=200k", "--",
                RunningKinecast.scene, "video", "--seconds", "150")
            let reduced = try take.event("progress") { event in
                event.destinations?.first?.requestedBitrate.map { $0 < chosen / 2 } ?? false
            }
            let asked = try #require(reduced.destinations?.first?.requestedBitrate)
            #expect(asked >= 200_000)
            // What waits has gone: the frame is as late as before.
            let settled = try take.event("progress") { event in
                guard let time = event.time, time > reduced.time ?? 0 else { return false }
                return event.destinations?.first?.queueMilliseconds.map { $0 < 500 } ?? false
            }
            #expect(settled.destinations?.first?.reconnects == 0)

            let shown = try destination(place)
            #expect(shown.phase == "live" && shown.state == "live")
            let bitrate = try #require(shown.bitrate)
            #expect((1...2_000_000).contains(bitrate))
            #expect(try #require(shown.requestedBitrate) < chosen)
            #expect(
                try #require(shown.uptime) > 0 && shown.roundTripMilliseconds != nil && shown.framesDropped != nil)
            let text = try place.run("status").output
            #expect(text.contains("asks for ") && text.contains("bit/s") && text.contains("round trip "), "\(text)")

            // The network is as it was, and what is asked for grows again, or is what was chosen.
            let low = try #require(shown.requestedBitrate)
            server.state.withLock { $0.speed = nil }
            let change = try #require(try take.event("progress") { ($0.time ?? 0) > (settled.time ?? 0) }.time)
            try take.event("progress") { event in
                guard let time = event.time, time > change, let destination = event.destinations?.first else {
                    return false
                }
                return destination.requestedBitrate.map { $0 > low } ?? true
            }
            #expect(try place.run("stop").status == 0)
            let ended = try take.wait()
            let summary = try #require(ended.events.last)
            // The process's own status is that of the scene, whose screen was taken away.
            #expect(summary.exitStatus == 0, "\(ended)")
            let last = try #require(summary.destinations?.first)
            #expect(summary.event == "summary" && last.ending == "finished" && last.reconnects == 0)

            // The recording has the quality that was asked for, and every frame.
            let duration = try TakeFile.finishedDuration(place.path("a.mp4"))
            #expect(abs(duration - (summary.duration ?? 0)) < 0.2)
            #expect(Double(summary.bytes ?? 0) * 8 / duration > Double(chosen) * 0.6)
            #expect((last.frames ?? 0) <= (summary.framesDrawn ?? 0))
        }
        let state = try #require(
            server.state.wait(until: MonotonicClock.now() + RunningKinecast.timeout) { $0.isOver ? $0 : nil })
        // No access unit of audio is missing: each lasts 1024 samples.
        let audio = state.media.filter { $0.type == 8 }.dropFirst().map(\.timestamp)
        #expect(audio.count > 100)
        #expect(zip(audio, audio.dropFirst()).allSatisfy { $1 - $0 <= 23 })
    }
}
