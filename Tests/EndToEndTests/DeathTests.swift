// Whatever is killed, the recording is kept, and nothing is left running.
import CLinux
import Glibc
import KineContainers
import KinePlatform
import KineRelay
import SystemPackage
import Testing

@Suite(.serialized) struct DeathTests {
    /// Waits until the engine behind a connection is done; returns its last message.
    func lastMessage(_ connection: ClientConnection) throws -> EngineMessage? {
        let deadline = MonotonicClock.now() + RunningKinecast.patience
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

    /// Waits until a process that is not this one's child has ended.
    func waitForEnd(of pid: Int32) -> Bool {
        let descriptor = kine_open_process(pid)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        return WakeSignal.poll([descriptor], until: MonotonicClock.now() + RunningKinecast.patience) == [true]
    }

    @Test func `the command line is killed: the engine finishes the file`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("progress")
            let record = try place.registry().find(nil)
            let connection = try place.registry().connect(to: record)
            take.signal(SIGKILL)
            #expect(try take.wait().status == 128 + SIGKILL)
            guard case .finished = try lastMessage(connection) else {
                Issue.record("the engine did not say that it finished")
                return
            }
            #expect(waitForEnd(of: record.pid))
            #expect(try TakeTests.finishedDuration(place.path("a.mp4")) >= 0.9)
        }
    }

    @Test func `the command line and its COMMAND are killed together, and the private screen goes`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--virtual", "320x240", "--json", "--", "sleep", "1000")
            try take.event("progress")
            let record = try place.registry().find(nil)
            take.signal(SIGKILL)
            _ = try take.wait()
            #expect(waitForEnd(of: record.pid))
            #expect(try TakeTests.finishedDuration(place.path("a.mp4")) > 0.5)
        }
    }

    @Test func `the engine is killed: the command line saves the file, says so, and exits 70`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("progress")
            let engine = try place.registry().find(nil).pid
            kill(engine, SIGKILL)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied)
            #expect(ended.events.last?.result == "recovered")
            #expect(ended.errors.contains("saved in \(place.path("a.mp4"))"))
            // The first second was told as recorded; at most one may be lost.
            #expect(try TakeTests.finishedDuration(place.path("a.mp4")) > 0.2)
            #expect(try place.run("status").errors.contains("No take is running"))
        }
    }

    @Test func `the engine is killed with a COMMAND on its private screen: nothing is left of either`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--virtual", "320x240", "--json", "--", "sleep", "1000")
            try take.event("progress")
            kill(try place.registry().find(nil).pid, SIGKILL)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied)
            #expect(ended.events.last?.result == "recovered")
            _ = try TakeTests.finishedDuration(place.path("a.mp4"))
            for process in place.processes() {
                // Helpers of a killed engine get their own signal from the kernel; they may be on their way still.
                #expect(waitForEnd(of: Int32(process.prefix { $0 != " " }) ?? 0))
            }
        }
    }

    @Test func `a second signal ends at once, and what was recorded is saved`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("progress")
            // Stopped, the engine cannot finish, however fast the machine: the second signal finds it still there.
            kill(try place.registry().find(nil).pid, SIGSTOP)
            take.signal(SIGINT)
            try take.event("finishing")
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied)
            #expect(ended.events.last?.result == "recovered")
            #expect(try TakeTests.finishedDuration(place.path("a.mp4")) > 0.2)
        }
    }

    @Test func `both are killed: recover makes the file an ordinary one`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("progress")
            let engine = try place.registry().find(nil).pid
            kill(engine, SIGSTOP)
            take.signal(SIGKILL)
            _ = try take.wait()
            kill(engine, SIGKILL)
            #expect(waitForEnd(of: engine))
            let status = try place.run("status")
            #expect(status.errors.contains("kinecast recover"))
            let recovered = try place.run("recover", "a.mp4")
            #expect(recovered.status == 0)
            #expect(recovered.errors.hasPrefix("Recovered a.mp4: "))
            #expect(try TakeTests.finishedDuration(place.path("a.mp4")) > 0.2)
        }
    }

    @Test func `a file that is still being written is not recovered`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("progress")
            let refused = try place.run("recover", "a.mp4")
            #expect(refused.status == ExitStatus.storageFailed)
            #expect(refused.errors.contains("still being written"))
            #expect(try place.run("stop").status == 0)
            #expect(try take.wait().status == 0)
            _ = try TakeTests.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `a foreign file is refused and left alone`() throws {
        try Workplace.with { place in
            let path = FilePath(place.path("a.mp4"))
            let file = try FileDescriptor.open(path, .writeOnly, options: .create, permissions: .ownerReadWrite)
            try file.closeAfter { _ = try file.writeAll("not a recording at all".utf8) }
            #expect(try place.run("recover", "a.mp4").status == ExitStatus.usage)
            var status = stat()
            #expect(stat(path.string, &status) == 0 && status.st_size == 22)
        }
    }
}
