// Every kind of faulty extension beside a recording: the take goes on, the recording is complete, the right event comes, and
// nothing is left running (which TestPlace checks). That it comes within a second is a margin.
import Glibc
import KineMeasure
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs, .long, .margins)) struct FaultTests {
    @Test(arguments: ["crashStarted", "crashSample", "crashPaused", "crashResumed", "crashAnnotated"])
    func `an extension crashes in a callback: it is told with its last words, and the take goes on`(
        fault: String
    ) throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake(fault), in: place)
            try engine.wait("the start") { if case .started = $0 { true } else { nil } }
            if fault != "crashStarted" { try engine.phase(.live) }
            switch fault {
            case "crashPaused": try engine.connection.send(.pause)
            case "crashResumed":
                try engine.connection.send(.pause)
                try engine.state("paused")
                try engine.connection.send(.resume)
            case "crashAnnotated": try engine.connection.send(.annotate(["scene": "2"]))
            default: break
            }
            let begun = try engine.state("now")
            let (ending, at) = try engine.ended()
            guard case .crashed(let how) = ending else {
                Issue.record("it ended as \(ending)")
                return
            }
            #expect(how.hasPrefix("signal ") && how.contains("as asked"), "\(how)")
            Margin.atMost(1, Double(at - begun) / 1e9, "s", "from the fault to its event")
            if fault == "crashPaused" { try engine.connection.send(.resume) }
            let summary = try engine.finish(in: place)
            #expect(summary?.destinations.first?.ending == ending)
        }
    }

    @Test func `an extension crashes while it finishes: the recording is finished, the exit status is 75`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("crashFinished"), in: place)
            try engine.phase(.live)
            let summary = try engine.finish(in: place)
            guard case .crashed(let how)? = summary?.destinations.first?.ending else {
                Issue.record("it ended as \(String(describing: summary))")
                return
            }
            #expect(how.contains("as asked"))
        }
    }

    @Test func `a crashed extension is started again once, and after the second crash no more`() throws {
        try TestPlace.with { place in
            try place.installFaults { $0.restarts = 1 }
            let engine = try EngineUnderTest(place.faultyTake("crashSample"), in: place)
            let (ending, _) = try engine.ended()
            let kinds = engine.kinds()
            let restarts = kinds.filter { if case .restarting(after: .crashed) = $0 { true } else { false } }
            #expect(restarts.count == 1)
            #expect(kinds.last == .ended(ending))
            let destination = try #require(try engine.finish(in: place)?.destinations.first)
            #expect(destination.restarts == 1)
            // Each process crashes in its third sample, long before its first report.
            #expect(destination.statistics.frames + destination.statistics.audioSamples >= 4)
            #expect(destination.framesSkipped > 0, "frames of the time between the two")
        }
    }

    @Test(arguments: ["throwAtStart", "failInTheMiddle"])
    func `an error that the extension reports is told in its words, and it is not started again`(
        fault: String
    ) throws {
        try TestPlace.with { place in
            try place.installFaults { $0.restarts = 1 }
            let engine = try EngineUnderTest(place.faultyTake(fault), in: place)
            #expect(try engine.ended().0 == .failed("The server does not like this test; use another."))
            let destination = try #require(try engine.finish(in: place)?.destinations.first)
            #expect(destination.restarts == 0)
            let samples = destination.statistics.frames + destination.statistics.audioSamples
            #expect(samples == (fault == "throwAtStart" ? 0 : 3))
        }
    }

    @Test func `an extension that is linked to a library that it cannot read is told so, and not started again`()
        throws
    {
        try TestPlace.with { place in
            try place.installFaults { $0.restarts = 3 }
            let executable = place.path(".local/share/kinecast/services/faults.kinext/kinecast-faults")
            // To the loader, a library that the confinement hides and one that does not exist are the same.
            let hide = "sed s/libswiftCore.so/libswiftNone.so/g \(RunningKinecast.sibling("kinecast-faults"))"
            _ = try Tool.output("sh", ["-c", "rm \(executable) && \(hide) >\(executable) && chmod 700 \(executable)"])
            let engine = try EngineUnderTest(place.faultyTake("none"), in: place)
            #expect(
                try engine.ended().0
                    == .failed(
                        "The service faults is linked to libswiftNone.so, which a confined extension cannot read; "
                            + "build it with --static-swift-stdlib."))
            #expect(try engine.finish(in: place)?.destinations.first?.restarts == 0)
        }
    }

    @Test func `an extension that does not start is stalled`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            var configuration = place.faultyTake("neverStart")
            configuration.supervision.start = 1
            let engine = try EngineUnderTest(configuration, in: place)
            let begun = try engine.event("starting") { $0 == .phase(.starting) ? true : nil }.at
            let (ending, at) = try engine.ended()
            #expect(ending == .stalled("did not start within 1 s"))
            Margin.atMost(2, Double(at - begun) / 1e9, "s", "until a start that takes too long is ended")
            try engine.finish(in: place)
        }
    }

    @Test(arguments: ["hold", "spin"]) func `an extension that never gives a sample back is stalled after its time`(
        fault: String
    ) throws {
        try TestPlace.with { place in
            try place.installFaults()
            var configuration = place.faultyTake(fault)
            configuration.supervision.held = 2
            let engine = try EngineUnderTest(configuration, in: place)
            let begun = try engine.state("now")
            let (ending, at) = try engine.ended()
            #expect(ending == .stalled("held a sample for 2 s"))
            Margin.atMost(3, Double(at - begun) / 1e9, "s", "until a sample that is held for 2 s is noticed")
            try engine.finish(in: place)
        }
    }

    @Test func `an extension without a heartbeat is stalled, though it gives its samples back`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            var configuration = place.faultyTake("none")
            // Its heart beats every 15 seconds.
            configuration.supervision.heartbeat = 1.5
            let engine = try EngineUnderTest(configuration, in: place)
            #expect(try engine.ended().0 == .stalled("no heartbeat for 1.5 s"))
            try engine.finish(in: place)
        }
    }

    @Test func `an extension that ignores the end of the take is ended when its time is up, and the take with it`()
        throws
    {
        try TestPlace.with { place in
            try place.installFaults { $0.finishSeconds = 1 }
            let engine = try EngineUnderTest(place.faultyTake("neverFinish"), in: place)
            try engine.phase(.live)
            let summary = try engine.finish(in: place)
            #expect(summary?.destinations.first?.ending == .stalled("did not finish within 1 s"))
            let finishing = try engine.event("finishing") { $0 == .phase(.finishing) ? true : nil }.at
            let over = try engine.ended().at
            Margin.atMost(2, Double(over - finishing) / 1e9, "s", "until an end that takes too long is forced")
        }
    }

    @Test func `an extension that closes its descriptors is ended`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("closeDescriptors"), in: place)
            let begun = try engine.state("now")
            let (ending, at) = try engine.ended()
            // Its process may end by itself for want of them, before it is ended for the closed channel.
            #expect(ending == .crashed("closed its control channel") || ending == .crashed("exit status 0"))
            Margin.atMost(1, Double(at - begun) / 1e9, "s", "from the fault to its event")
            try engine.finish(in: place)
        }
    }

    @Test(arguments: [
        ("garbageOnControl", "sent an invalid message on its control channel"),
        ("garbageInRing", "corrupted its sample buffer"),
        ("startThreads", "has more than 1000 processes and threads"),
    ])
    func `an extension that writes garbage, or starts threads without end, is ended for it`(fault: String, how: String)
        throws
    {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake(fault), in: place)
            let begun = try engine.state("now")
            let (ending, at) = try engine.ended()
            #expect(ending == .crashed(how))
            Margin.atMost(1, Double(at - begun) / 1e9, "s", "from the fault to its event")
            try engine.finish(in: place)
        }
    }

    @Test(arguments: ["fork", "forkSession", "forkHidden"])
    func `what an extension leaves behind is ended with it, also in a session of its own`(fault: String) throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake(fault), in: place)
            try engine.state("now")
            func left() -> [String] { place.processes().filter { $0.contains("sleep 1000") } }
            try wait("what the extension leaves behind") { !left().isEmpty }
            let pid = try #require(try engine.status().destinations.first?.pid)
            kill(pid, SIGKILL)
            #expect(try engine.ended().0 == .crashed("signal 9"))
            // It is announced when the process itself is gone; the others follow in the next turns of the loop.
            try wait("the end of what was left behind") { left().isEmpty }
            try engine.finish(in: place)
        }
    }

    @Test func `what an extension left behind is ended with the take, where the extension itself finished`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("forkHidden"), in: place)
            try engine.state("now")
            let summary = try engine.finish(in: place, exitStatus: 0)
            #expect(summary?.destinations.first?.ending == .finished)
        }
    }

    @Test(arguments: ["talkWithoutEnd", "floodControl"])
    func `an extension that never stops talking is heard now and then, and the take goes on`(fault: String) throws {
        try TestPlace.with { place in
            try place.installFaults()
            var configuration = place.faultyTake(fault)
            configuration.supervision.held = 2
            let engine = try EngineUnderTest(configuration, in: place)
            let (ending, _) = try engine.ended()
            switch ending {
            case .stalled, .memoryLimitExceeded, .crashed: break
            default: Issue.record("it ended as \(ending)")
            }
            #expect(engine.kinds().count < 60)
            try engine.finish(in: place)
        }
    }

    @Test func `the engine is killed: its extensions die with it`() throws {
        try TestPlace.with { place in
            try place.installFaults()
            let engine = try EngineUnderTest(place.faultyTake("none"), in: place)
            try engine.phase(.live)
            engine.process.signal(SIGKILL)
            _ = engine.process.wait()
            try place.registry().dismiss(nil)  // as the client that cleans up behind its engine
        }
    }
}
