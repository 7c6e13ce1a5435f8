// An engine that hangs: every command says so in time, and `stop --now` ends it.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct HungEngineTests {
    @Test(.timeLimit(.minutes(5)))
    func `every command answers within twelve seconds, and Ctrl-C says what helps`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                "broadcast", "--record", "a.mp4", "--clip-buffer", "10", "--pattern", "320x240", "--json")
            try take.event("destination") { $0.kind == "link" }
            try take.recorded(1)
            let record = try place.registry().find(nil)
            let engine = try #require(ProcessHandle(record.pid))
            try StrangerProcess.stop(engine.pid)
            let begun = MonotonicClock.now()
            take.signal(SIGINT)
            let commands = try [
                ["stop"], ["pause"], ["resume"], ["clip", "-o", "clip.mp4"], ["switch", "--monitor", "x"], ["link"],
                ["camera", "--off"], ["annotate", "a=b"], ["destination", "add"], ["destination", "remove", "0"],
            ].map { ($0[0], try place.start($0)) }
            for (name, command) in commands {
                let ended = try command.wait()
                #expect(ended.errors.contains("kinecast stop --now \(record.id) ends it"), "\(name): \(ended)")
                #expect(ended.status == ExitStatus.unavailable, "\(name)")
                Margin.atMost(12, Double(MonotonicClock.now() - begun) / 1e9, "s", "until \(name) says that it hangs")
            }
            try take.words("kinecast stop --now \(record.id) ends it")
            let status = try place.run("status")
            #expect(status.output.contains(" silent ") && status.errors.contains("does not answer"), "\(status)")
            #expect(try place.run("stop", "--now").status == ExitStatus.engineDied)
            #expect(try take.wait().status == ExitStatus.engineDied)
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) >= 1)
        }
    }
}
