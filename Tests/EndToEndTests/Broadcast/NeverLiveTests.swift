// A broadcast that nobody ever took is said to be one: in words, in JSON, in `status` and in the exit status.
import FoundationEssentials
import Glibc
import KineMeasure
import Testing

/// A port of this machine that is this test's for as long as the object is there: closed, or open and silent.
private final class HeldPort {
    let number: Int
    private let socket: CInt

    /// `answersConnections`: the kernel completes connections, and nobody ever reads what comes over them.
    init(answersConnections: Bool) throws {
        (socket, number) = try Loopback.bind(listening: answersConnections)
    }

    deinit { close(socket) }
}

@Suite(.serialized, .tags(.real, .programs)) struct NeverLiveTests {
    /// A line of `status --json`.
    private struct Status: Decodable {
        var destinations: [RunningKinecast.Event.Destination]
    }

    /// Nothing that was printed says that it was live.
    private func expectNeverLive(_ ended: RunningKinecast.Ended) {
        #expect(ended.status == 75, "\(ended)")
        #expect(ended.errors.contains("It was never live"), "\(ended)")
        #expect(!ended.errors.contains("Broadcasting to"), "\(ended)")
        #expect(!(ended.output + ended.errors).contains("hush"))
        let phases = ended.events.filter { $0.kind == "phase" }.compactMap(\.phase)
        #expect(!phases.contains("live") && !phases.contains("reconnecting"), "\(phases)")
    }

    private func expectFailure(in summary: RunningKinecast.Event?) throws {
        let summary = try #require(summary)
        #expect(summary.event == "summary" && summary.exitStatus == 75 && summary.result == "finished")
        let destination = try #require(summary.destinations?.first)
        #expect(destination.ending == "failed" && destination.phase == "ended")
        #expect(destination.message?.hasPrefix("It was never live") == true, "\(destination)")
    }

    @Test func `a closed port is no destination: failed, with the reason, and the recording is there`() throws {
        let port = try HeldPort(answersConnections: false)
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--pattern", "320x180", "--json", "--record", "a.mp4", "--to",
                "rtmp://127.0.0.1:\(port.number)/live/hush-key")
            try take.event("progress") { $0.destinations?.first?.problem?.contains("refused") == true }
            let line = try place.run("status", "--json").output
            let status = try JSONDecoder().decode(Status.self, from: Data(line.utf8))
            #expect(status.destinations.map(\.phase) == ["starting"])
            #expect(status.destinations.first?.problem?.contains("refused") == true)
            let text = try place.run("status").output
            #expect(text.contains(" starting ") && text.contains("refused"), "\(text)")
            #expect(try place.run("stop").status == 75)
            let ended = try take.wait()
            expectNeverLive(ended)
            try expectFailure(in: ended.events.last)
            #expect(ended.events.last?.destinations?.first?.message?.contains("refused") == true)
            let code = #"code":"connectFailed""#
            #expect(line.contains(code) && ended.output.split(separator: "\n").last?.contains(code) == true, "\(ended)")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
        }
    }

    @Test func `in words, too`() throws {
        let port = try HeldPort(answersConnections: false)
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--pattern", "320x180", "--to", "rtmp://127.0.0.1:\(port.number)/live/hush-key")
            try take.words("refused")
            take.signal(SIGINT)
            expectNeverLive(try take.wait())
        }
    }

    @Test func `a server that says yes and hangs up has taken nothing, and the third time it has refused`() throws {
        // nginx says yes before it looks at who may publish.
        let server = try MediaServer(module: "ngx_rtmp_module") { _, port in
            """
            events {}
            rtmp { server { listen 127.0.0.1:\(port); application live { live on; deny publish all; } } }
            """
        }
        try TestPlace.with { place in
            let ended = try place.start(
                "broadcast", "--pattern", "320x180", "--json", "--to", server.address("hush-key")
            ).wait()
            #expect(ended.status == 75, "\(ended)")
            #expect(!(ended.output + ended.errors).contains("hush"))
            let phases = ended.events.filter { $0.kind == "phase" }.compactMap(\.phase)
            #expect(!phases.contains("live") && !phases.contains("reconnecting"), "\(phases)")
            let destination = try #require(ended.events.last?.destinations?.first)
            #expect(destination.ending == "failed")
            #expect(destination.message?.contains("check the stream key") == true, "\(destination)")
        }
    }

    @Test func `a server that takes the connection and never answers has taken nothing`() throws {
        let port = try HeldPort(answersConnections: true)
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--pattern", "320x180", "--json", "--to", "rtmp://127.0.0.1:\(port.number)/live/hush-key")
            // It is fed, and has its connection, and that is not enough.
            try take.event("progress") { ($0.destinations?.first?.frames ?? 0) >= 30 }
            #expect(try place.run("stop").status == 75)
            let ended = try take.wait()
            expectNeverLive(ended)
            try expectFailure(in: ended.events.last)
        }
    }
}
