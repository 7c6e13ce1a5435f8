// Whatever is killed, the recording is kept, and nothing is left running.
import CLinux
import Glibc
import KineContainers
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import ScreenTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct DeathTests {
    /// Waits until the engine behind a connection is done; returns its last message.
    func lastMessage(_ connection: ClientConnection) throws -> EngineMessage? {
        let deadline = MonotonicClock.now() + RunningKinecast.timeout
        var last: EngineMessage?
        do throws(ControlError) {
            while true {
                let messages = try connection.receive(until: deadline)
                if messages.isEmpty { return nil }
                last = messages.last
            }
        } catch {
            return error == .closed ? last : nil
        }
    }

    @Test func `the command line is killed: the engine finishes the file`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            let record = try place.registry().find(nil)
            let connection = try place.registry().connect(to: record)
            take.signal(SIGKILL)
            #expect(try take.wait().status == 128 + SIGKILL)
            guard case .event(.finished) = try lastMessage(connection) else {
                Issue.record("the engine did not say that it finished")
                return
            }
            #expect(StrangerProcess.waitForEnd(of: record.pid))
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) >= 1)
        }
    }

    @Test func `the command line and its COMMAND are killed together, and the private screen goes`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--virtual", "320x240", "--json", "--", "sleep", "1000")
            try take.recorded(1)
            let record = try place.registry().find(nil)
            take.signal(SIGKILL)
            _ = try take.wait()
            #expect(StrangerProcess.waitForEnd(of: record.pid))
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) >= 1)
        }
    }

    @Test func `the engine is killed: the command line saves the file, says so, and exits 70`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            let engine = try place.registry().find(nil).pid
            kill(engine, SIGKILL)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied)
            #expect(ended.events.last?.result == "recovered")
            #expect(ended.errors.contains("saved in \(place.path("a.mp4"))"))
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
            #expect(try place.run("status").errors.contains("No take is running"))
        }
    }

    @Test func `another process is recovering the file: the command line waits for it`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            try StrangerProcess.stop(take.process.pid)
            kill(try place.registry().find(nil).pid, SIGKILL)
            // As `kinecast stop --now` has it while it writes the index.
            var other: DiskFile?
            try wait("the engine's end") {
                other = try? DiskFile.open(place.path("a.mp4"))
                return other != nil
            }
            take.signal(SIGCONT)
            let descriptors = FilePath("/proc/\(take.process.pid)/fd")
            try wait("the command line to open the file") {
                PrivateDirectory.entries(descriptors).contains { descriptor in
                    (try? other?.isFile(at: descriptors.appending(descriptor).string)) == true
                }
            }
            // An attempt waits for 0.2 s, so the first one fails meanwhile. On a slow machine it may succeed, which is right too.
            usleep(500_000)
            other?.close()
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied && ended.events.last?.result == "recovered", "\(ended)")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
        }
    }

    @Test func `an engine that hangs is ended by stop --now, with its broadcast, and its file is saved`() throws {
        try TestPlace.with { place in
            let take = try place.start("broadcast", "--record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("destination") { $0.kind == "link" }
            try take.recorded(1)
            let engine = try #require(try ProcessHandle(place.registry().find(nil).pid))
            try StrangerProcess.stop(engine.pid)
            let stopped = try place.run("stop", "--now")
            #expect(stopped.status == ExitStatus.engineDied)
            #expect(
                stopped.errors.contains(
                    "ended immediately, as asked; what was recorded is saved in "
                        + place.path("a.mp4")), "\(stopped)")
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied && ended.events.last?.result == "recovered", "\(ended)")
            // A stopped engine has not written its newest fragments.
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
            #expect(try place.run("status").errors.contains("No take is running"))
        }
    }

    @Test func `the engine is killed with a COMMAND on its private screen: nothing is left of either`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--virtual", "320x240", "--json", "--", "sleep", "1000")
            try take.recorded(1)
            kill(try place.registry().find(nil).pid, SIGKILL)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied)
            #expect(ended.events.last?.result == "recovered")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
            for process in place.processes() {
                // Helpers of a killed engine get their own signal from the kernel; they may be on their way still.
                #expect(StrangerProcess.waitForEnd(of: Int32(process.prefix { $0 != " " }) ?? 0))
            }
        }
    }

    @Test func `a second signal ends at once, and what was recorded is saved`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            // Stopped, the engine cannot finish, however fast the machine: the second signal finds it still there.
            try StrangerProcess.stop(place.registry().find(nil).pid)
            take.signal(SIGINT)
            try take.event("finishing")
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied)
            #expect(ended.events.last?.result == "recovered")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
        }
    }

    @Test func `both are killed: recover makes the file an ordinary one`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            let engine = try place.registry().find(nil).pid
            try StrangerProcess.stop(engine)
            take.signal(SIGKILL)
            _ = try take.wait()
            kill(engine, SIGKILL)
            #expect(StrangerProcess.waitForEnd(of: engine))
            // Nothing that looks at the list takes the take off it.
            #expect(try place.run("stop").status == ExitStatus.unavailable)
            _ = try place.run("doctor")
            for _ in 0..<2 {
                let status = try place.run("status")
                #expect(status.errors.contains("kinecast recover \(place.path("a.mp4"))"))
            }
            let recovered = try place.run("recover", "a.mp4")
            #expect(recovered.status == 0)
            #expect(recovered.errors.hasPrefix("Recovered a.mp4: "))
            #expect(try place.run("status").errors == "No take is running.\n")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
        }
    }

    @Test func `a take that died can be dismissed, and its file stays as it is`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            let record = try place.registry().find(nil)
            let engine = record.pid
            try StrangerProcess.stop(engine)
            take.signal(SIGKILL)
            _ = try take.wait()
            kill(engine, SIGKILL)
            #expect(StrangerProcess.waitForEnd(of: engine))
            #expect(try place.run("status", "--json").output.contains("\"phase\":\"died\""))
            let dismissed = try place.run("dismiss", record.id)
            #expect(dismissed.status == 0 && dismissed.errors.contains("stays as it is"))
            #expect(try place.run("dismiss").status == ExitStatus.unavailable)
            #expect(try MP4Recovery.recover(place.path("a.mp4")).frames > 0)
        }
    }

    @Test func `the directory of the file is removed: it is made again with the file in it`() throws {
        try TestPlace.with { place in
            #expect(mkdir(place.path("out"), 0o755) == 0)
            let take = try place.start("record", "out/a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            #expect(unlink(place.path("out/a.mp4")) == 0 && rmdir(place.path("out")) == 0)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.storageFailed)
            #expect(ended.errors.contains("Saved \(place.path("out/a.mp4"))"), "\(ended)")
            #expect(try TakeFile.finishedDuration(place.path("out/a.mp4")) >= 1)
        }
    }

    @Test func `the directory cannot be made again: the file goes home, and the message says so`() throws {
        try TestPlace.with { place in
            #expect(mkdir(place.path("out"), 0o755) == 0)
            let take = try place.start("record", "out/a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            // The engine sees all of it at once.
            let engine = try #require(try ProcessHandle(place.registry().find(nil).pid))
            try StrangerProcess.stop(engine.pid)
            #expect(unlink(place.path("out/a.mp4")) == 0 && rmdir(place.path("out")) == 0)
            #expect(symlink("nowhere/at/all", place.path("out")) == 0)
            engine.signal(SIGCONT)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.storageFailed)
            #expect(ended.errors.contains("what was recorded is in \(place.path("a.mp4"))"), "\(ended)")
            #expect(ended.events.last?.output == place.path("a.mp4"))
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) >= 1)
        }
    }

    @Test func `a display server that hangs keeps no take from ending`() throws {
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
            let hanging = try place.record(screen.name, "b.mp4")
            try hanging.recorded(1)
            try StrangerProcess.stop(screen.process.pid)
            hanging.signal(SIGINT)
            let ended = try hanging.wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(try TakeFile.finishedDuration(place.path("b.mp4")) >= 1)
        }
    }

    @Test func `a display server that lets nobody in keeps no take from ending`() throws {
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
            try StrangerProcess.stop(screen.process.pid)
            let take = try place.record(screen.name, "a.mp4")
            try place.waitForTake()
            #expect(try place.run("status").output.contains("starting"))
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.unavailable, "\(ended)")
            #expect(ended.errors.contains("ended before its first frame"))
            #expect(access(place.path("a.mp4"), F_OK) != 0)
        }
    }

    @Test func `a file that is still being written is not recovered`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            let refused = try place.run("recover", "a.mp4")
            #expect(refused.status == ExitStatus.usage)
            #expect(refused.errors.contains("still being written"))
            #expect(try place.run("stop").status == 0)
            #expect(try take.wait().status == 0)
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `a foreign file is refused and left alone`() throws {
        try TestPlace.with { place in
            try place.write("not a recording at all", to: "a.mp4")
            #expect(try place.run("recover", "a.mp4").status == ExitStatus.usage)
            var status = stat()
            #expect(stat(place.path("a.mp4"), &status) == 0 && status.st_size == 22)
        }
    }
}
