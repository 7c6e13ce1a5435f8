// A take whose processes are all stopped, as in a virtual machine that is paused, beside one that a busy machine starves.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct StoppedSessionTests {
    private func wait(_ seconds: Double) {
        _ = WakeSignal.poll([], until: MonotonicClock.now() + Int64(seconds * 1e9))
    }

    /// A process and its descendants.
    private func session(of process: Int32) -> [Int32] {
        var all = [process]
        var next = 0
        while next < all.count {
            all += ProcFiles.children(of: all[next])
            next += 1
        }
        return all
    }

    @Test func `a session that is stopped for ten seconds is a pause, and then video and audio are together`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                "record", "a.mp4", "--virtual", "640x480", "--json", "--", RunningKinecast.scene, "flash")
            try take.recorded(4)
            let processes = session(of: take.process.pid)
            #expect(processes.count > 3, "engine, servers and scene")
            for process in processes { kill(process, SIGSTOP) }
            wait(10)
            for process in processes { kill(process, SIGCONT) }
            wait(6)
            #expect(try place.run("stop").status == 0)
            #expect(try take.wait().status == 0)
            let path = place.path("a.mp4")
            Margin.atMost(12, try RecordedVideo(path: path).duration, "s", "of a take of ten seconds and a stop")
            let after = try FlashAndBeep(path: path).pairs.suffix(4).map { abs($0.offset) * 1000 }
            Margin.atMost(40, after.max() ?? .infinity, "ms", "between a flash and its beep after a stop")
        }
    }

    @Test func `a take that gets no processor for ten seconds goes on all the same`() throws {
        try TestPlace.with { place in
            let take = try RunningKinecast(
                arguments: [
                    "--idle", "0", RunningKinecast.executables.appending("kinecast").string, "record", "a.mp4",
                    "--pattern", "640x480", "--json",
                ], environment: place.environment, directory: place.directory, executable: "/usr/bin/chrt")
            try take.recorded(1)
            let busy = try (0..<6).map { _ in
                try ChildProcess(
                    executable: "/bin/sh", arguments: ["-c", "while :; do :; done"], environment: place.environment)
            }
            wait(10)
            for process in busy { _ = process.end(deadline: MonotonicClock.now() + 5_000_000_000) }
            wait(3)
            #expect(try place.run("stop").status == 0)
            #expect(try take.wait().status == 0)
            let duration = try RecordedVideo(path: place.path("a.mp4")).duration
            Margin.atLeast(13, duration, "s", "of fourteen on a machine that is busy for ten")
        }
    }
}
