// Takes from beginning to end, and what other terminals do with them.
import Glibc
import KineContainers
import KineMeasure
import KineMedia
import KinePlatform
import KineText
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct TakeTests {
    @Test func `without libavcodec a take has no audio and says so, unless audio was asked for`() throws {
        try TestPlace.with { place in
            // A library that cannot be loaded stands before the installed one.
            try place.makeDirectory("libraries")
            for version in 58...62 { try place.write("", to: "libraries/libavcodec.so.\(version)") }
            func record(_ more: String...) throws -> RunningKinecast.Ended {
                try place.run(
                    ["record", "a.mp4", "--pattern", "320x240", "--duration", "0.5"] + more,
                    ["LD_LIBRARY_PATH=\(place.path("libraries"))"])
            }
            let silent = try record()
            #expect(silent.status == 0, "\(silent)")
            #expect(silent.errors.contains("libavcodec") && silent.errors.contains("no audio"))
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
            let refused = try record("--overwrite", "--audio", "system")
            #expect(refused.status == ExitStatus.unavailable)
            #expect(refused.errors.contains("libavcodec"))
        }
    }

    @Test func `a pattern is recorded for as long as was asked`() throws {
        try TestPlace.with { place in
            let ended = try place.run("record", "a.mp4", "--pattern", "320x240", "--duration", "1", "--json")
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.events.first { $0.event != "opening" }?.event == "started")
            #expect(ended.events.last?.event == "summary")
            #expect(ended.events.last?.result == "finished")
            #expect(ended.events.last?.output == place.path("a.mp4"))
            #expect(ended.errors.hasPrefix("Saved \(place.path("a.mp4")): 1.0 s, "))
            #expect(abs(try TakeFile.finishedDuration(place.path("a.mp4")) - 1) < 0.05)
        }
    }

    @Test func `a preset is the encoder's: the fastest leaves out what only High profile has`() throws {
        try TestPlace.with { place in
            for (options, profile) in [([], "High"), (["--preset", "ultrafast"], "Constrained Baseline")] {
                let take = ["record", "a.mp4", "--pattern", "320x240", "--duration", "0.5", "--overwrite"]
                #expect(try place.run(take + options).status == 0)
                let found = try Tool.output(
                    "ffprobe",
                    [
                        "-v", "error", "-select_streams", "v", "-show_entries", "stream=profile", "-of", "csv=p=0",
                        place.path("a.mp4"),
                    ])
                #expect(found == profile + "\n")
            }
        }
    }

    @Test func `without a name the file is named for the time`() throws {
        try TestPlace.with { place in
            let ended = try place.run("record", "--pattern", "320x240", "--duration", "0.3", "--json")
            let output = try #require(ended.events.last?.output)
            #expect(output.hasPrefix(place.path("Kinecast 20")) && output.hasSuffix(".mp4"))
            #expect(access(output, F_OK) == 0)
        }
    }

    @Test func `takes without a name that begin at once have files of their own, and everything names them`() throws {
        try TestPlace.with { place in
            // The engine numbers the name: so these have the same one, whatever the clock says.
            var configuration = TakeConfiguration(
                source: .pattern(PixelSize(width: 64, height: 64)), output: place.path("Kinecast.mp4"))
            configuration.audio.app = .none
            configuration.isOutputNumbered = true
            let engines = try (1...4).map { _ in try EngineUnderTest(configuration, in: place) }
            let outputs = try engines.map {
                try $0.wait("the start") { if case .started(let take) = $0 { take.output } else { nil } }.0
            }
            let names = ["Kinecast.mp4"] + (2...4).map { "Kinecast \($0).mp4" }
            #expect(Set(outputs) == Set(names.map { place.path($0) }))
            #expect(Set(try place.registry().list().running.compactMap(\.output)) == Set(outputs))
            for (engine, output) in zip(engines, outputs) {
                try engine.connection.send(.stop(immediately: false))
                try engine.wait("the end") { if case .finished(let end) = $0 { end } else { nil } }
                engine.connection.close()
                _ = engine.process.end(signal: 0, deadline: MonotonicClock.now() + RunningKinecast.timeout)
                _ = try TakeFile.finishedDuration(output)
            }
        }
    }

    @Test func `the file of a take without a name is recovered by the name that it got`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "--pattern", "64x64", "--json")
            let output = try take.event("started").output
            try take.recorded(1)
            kill(try place.registry().find(nil).pid, SIGKILL)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied && ended.events.last?.output == output)
            #expect(ended.events.last?.result == "recovered")
        }
    }

    @Test func `names are bytes, in a directory and a home that are no UTF-8 as well`() throws {
        try TestPlace.with { place in
            let script = #"""
                name=$(printf 'caf\351'); mkdir "$name"; export HOME="$PWD/$name" KEPT="$name"; cd "$name"; set -ex
                "$0" record "$name.mp4" --pattern 320x240 -- \
                    sh -c '[ "$0 $KEPT" = "$(printf "caf\351 caf\351")" ]' "$name"
                "$0" record "$name.mp4" --pattern 320x240 --duration 1 --overwrite --json
                "$0" trim "$name.mp4" --to 0.5
                "$0" thumbnail "$name trimmed.mp4" --at 0.2
                "$0" recover "$PWD/$name.mp4"
                "$0" record --pattern 320x240 --duration 0.5 --camera "./$name.mp4" -o "../$name/b.mp4"
                "$0" services --json
                """#
            let ended = try RunningKinecast(
                arguments: ["-c", script, RunningKinecast.executable.string], environment: place.environment,
                directory: place.directory, executable: try Tool.path(of: "sh")
            ).wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.events.last?.output == "\(place.directory)/caf\u{efe9}/caf\u{efe9}.mp4", "\(ended)")
            #expect(PrivateDirectory.entries(place.directory).contains("caf\u{efe9}"))
            let names = PrivateDirectory.entries(FilePath(escaped: place.path("caf\u{efe9}"))).sorted()
            let expected = ["caf\u{efe9} trimmed.mp4", "caf\u{efe9} trimmed.png", "caf\u{efe9}.mp4", "b.mp4"].sorted()
            #expect(names == expected, "\(ended)")
        }
    }

    @Test func `a file that is there is refused with 73 and left as it is`() throws {
        try TestPlace.with { place in
            try place.write("mine", to: "a.mp4")
            let ended = try place.run("record", "a.mp4", "--pattern", "320x240", "--duration", "1")
            #expect(ended.status == ExitStatus.cannotCreate)
            #expect(ended.errors.contains("--overwrite"))
            var status = stat()
            #expect(stat(place.path("a.mp4"), &status) == 0 && status.st_size == 4)
            let replaced = try place.run("record", "a.mp4", "--pattern", "320x240", "--duration", "0.3", "--overwrite")
            #expect(replaced.status == 0)
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0.2)
        }
    }

    @Test func `a directory that is not there is 73`() throws {
        try TestPlace.with { place in
            let ended = try place.run("record", "none/a.mp4", "--pattern", "320x240", "--duration", "1", "--json")
            #expect(ended.status == ExitStatus.cannotCreate)
            #expect(ended.events.last?.result == "failed")
            #expect(ended.events.last?.exitStatus == ExitStatus.cannotCreate)
        }
    }

    @Test func `a take is paused, resumed and stopped from another process`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            let id = try #require(try take.event("started").id)
            #expect(try place.run("pause", String(id.prefix(4))).status == 0)
            try take.event("paused")
            #expect(try place.run("pause", id).status == 0, "it is paused, as asked")
            let status = try #require(RunningKinecast.Event.all(in: place.statusJSON()).first)
            #expect(status.id == id && status.phase == "paused")
            #expect(try place.run("resume", id.uppercased()).status == 0)
            try take.event("resumed")
            let stop = try place.run("stop", "--json")
            #expect(stop.status == 0)
            #expect(stop.output.contains("\"result\":\"finished\""))
            let ended = try take.wait()
            #expect(ended.status == 0)
            let kinds = ended.events.map(\.event).filter { !["opening", "progress"].contains($0) }
            #expect(kinds == ["started", "paused", "resumed", "summary"])
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `two takes run at once, and the one that is named is stopped`() throws {
        try TestPlace.with { place in
            let first = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            let second = try place.start("record", "b.mp4", "--pattern", "320x240", "--json")
            let ids = [try first.event("started").id, try second.event("started").id].compactMap(\.self)
            #expect(Set(RunningKinecast.Event.ids(in: try place.statusJSON())) == Set(ids))
            let unclear = try place.run("stop")
            #expect(unclear.status == ExitStatus.unavailable)
            #expect(ids.allSatisfy(unclear.errors.contains))
            #expect(try place.run("stop", ids[0]).status == 0)
            #expect(try first.wait().status == 0)
            #expect(RunningKinecast.Event.ids(in: try place.statusJSON()) == [ids[1]])
            #expect(try place.run("stop").status == 0)
            #expect(try second.wait().status == 0)
            for name in ["a.mp4", "b.mp4"] { _ = try TakeFile.finishedDuration(place.path(name)) }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGQUIT, SIGHUP]) func `a signal ends the take properly`(signal: Int32) throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.recorded(1)
            take.signal(signal)
            let ended = try take.wait()
            #expect(ended.status == 0)
            #expect(ended.events.last?.result == "finished")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) >= 1)
        }
    }

    @Test func `under nohup a hangup ends neither command line nor engine, and COMMAND ignores it too`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                [
                    "record", "a.mp4", "--pattern", "320x240", "--json", "--", "sh", "-c",
                    "grep -E '^Sig(Ign|Blk)' /proc/self/status >signals; exec sleep 1000",
                ], ignoring: [SIGHUP, SIGINT, SIGQUIT])
            try take.recorded(1)
            let engine = try #require(try ProcessHandle(place.registry().find(nil).pid))
            take.signal(SIGHUP)
            engine.signal(SIGHUP)
            let before = try take.event("progress") { ($0.duration ?? 0) >= 1 }.duration ?? 0
            try take.recorded(before + 2)
            // A background job of a shell ignores it, and has no other way to be ended.
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0 && ended.events.last?.result == "finished")
            // Bit N - 1 is signal N: SIGHUP, SIGINT and SIGQUIT, and not SIGPIPE, which the command line ignores by itself.
            let signals = ProcFiles.read(place.path("signals"))
            #expect(signals == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000007\n")
        }
    }

    @Test(arguments: [SIGTSTP, SIGTTIN, SIGTTOU])
    func `a job that its terminal stops records nothing until it continues`(signal: Int32) throws {
        try TestPlace.with { place in
            let take = try place.start(["record", "a.mp4", "--pattern", "320x240", "--json"], asJob: true)
            try take.recorded(1)
            take.signal(signal)
            try take.event("paused")
            try wait("the process to stop") { ProcFiles.isStopped(take.process.pid) }
            #expect(try place.run("status").output.contains(" paused "))
            take.signal(SIGCONT)
            try take.event("resumed")
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `a take that was paused before its job was stopped stays paused afterwards`() throws {
        try TestPlace.with { place in
            let take = try place.start(["record", "a.mp4", "--pattern", "320x240", "--json"], asJob: true)
            try take.recorded(1)
            #expect(try place.run("pause").status == 0)
            try take.event("paused")
            take.signal(SIGTSTP)
            try wait("the process to stop") { ProcFiles.isStopped(take.process.pid) }
            take.signal(SIGCONT)
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0 && !ended.events.contains { $0.event == "resumed" })
        }
    }

    @Test func `a reader of the events who leaves does not end the take`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json", "--duration", "2")
            try take.event("started")
            take.closeOutput()
            #expect(try take.wait().status == 0)
            #expect(abs(try TakeFile.finishedDuration(place.path("a.mp4")) - 2) < 0.05)
        }
    }

    /// Starts kinecast at the beginning of a pipe. Its own exit status is the last line of the errors.
    private func pipe(
        _ arguments: [String], into reader: String, in place: TestPlace
    ) throws -> RunningKinecast {
        let script = "{ \"$0\" \"$@\"; echo \"status $?\" >&2; } | \(reader)"
        return try RunningKinecast(
            arguments: ["-c", script, RunningKinecast.executable.string] + arguments, environment: place.environment,
            directory: place.directory, executable: try Tool.path(of: "sh"))
    }

    @Test(arguments: [[], ["--cfr"]])
    func `a pipe gets the take while it lasts, and all else goes to standard error`(options: [String]) throws {
        try TestPlace.with { place in
            // The take ends when its reader has more than the header.
            try #require(mkfifo(place.path("go"), 0o600) == 0)
            let ended = try pipe(
                ["record", "-", "--pattern", "320x240", "--json"] + options + ["--", "sh", "-c", "cat go; echo drawn"],
                into: "{ head -c 6000; echo enough > go; cat; } > a.mp4", in: place
            ).wait()
            let events = RunningKinecast.Event.all(in: ended.errors).filter { $0.event != "opening" }
            #expect(ended.output == "" && ended.errors.hasSuffix("status 0\n"), "\(ended)")
            #expect(events.first?.output == "-" && events.last?.output == "-" && events.last?.result == "finished")
            let others = ended.errors.split(separator: "\n").filter { !$0.hasPrefix("{") }
            #expect(others == ["enough", "drawn", "status 0"])
            // It has the form of a recording that was not finished.
            let recovered = try MP4Recovery.recover(place.path("a.mp4"))
            #expect(recovered.skippedBytes == 0 && recovered.audioAccessUnits > 0)
            #expect(abs(recovered.duration.seconds - (events.last?.duration ?? 0)) < 0.05)
            #expect(recovered.frames == events.last?.framesDrawn)
        }
    }

    @Test func `a reader that leaves ends the take with 74, and a broadcast goes on without it`() throws {
        try TestPlace.with { place in
            let leaving = "head -c 1000 > a.mp4"
            let ended = try pipe(["record", "-", "--pattern", "320x240"], into: leaving, in: place).wait()
            #expect(ended.errors.hasSuffix("status 74\n") && ended.errors.contains("closed by the program"), "\(ended)")
            let take = try pipe(
                ["broadcast", "--record", "-", "--pattern", "64x64", "--audio", "none"], into: leaving, in: place)
            try take.words("the broadcast goes on")
            #expect(try place.run("status").output.contains("standard output"))
            #expect(try place.run("stop").status == ExitStatus.storageFailed)
            let broadcast = try take.wait()
            let lines = broadcast.errors.split(separator: "\n")
            #expect(broadcast.output == "" && lines.contains { $0.hasPrefix("http://") }, "\(broadcast)")
        }
    }

    @Test func `the index is in front where that was asked for`() throws {
        try TestPlace.with { place in
            let ended = try place.run("record", "a.mp4", "--pattern", "320x240", "--duration", "1", "--faststart")
            #expect(ended.status == 0, "\(ended)")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0.9)
            let start = try ContainerStart(place.path("a.mp4"))
            #expect(start.boxes.starts(with: ["ftyp", "moov"]), "\(start)")
        }
    }

    @Test func `an engine that is stopped for seconds records nothing of them`() throws {
        try TestPlace.with { place in
            let start = MonotonicClock.now()
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--audio", "none", "--json")
            try take.recorded(1)
            let engine = try place.registry().find(nil).pid
            kill(engine, SIGSTOP)
            // Five are the shortest stop that counts.
            sleep(7)
            kill(engine, SIGCONT)
            try take.recorded(2)
            take.signal(SIGINT)
            let ended = try take.wait()
            let length = try #require(ended.events.last { $0.event == "summary" }?.duration)
            #expect(length < Double(MonotonicClock.now() - start) / 1e9 - 6.5)
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 2)
        }
    }
}

extension TestPlace {
    func statusJSON() throws -> String {
        // A line of `status` is no event; the name makes it readable as one.
        try run("status", "--json").output.split(separator: "\n").map { "{\"event\":\"status\"," + $0.dropFirst() }
            .joined(separator: "\n")
    }
}

extension RunningKinecast.Event {
    static func ids(in text: String) -> [String] { all(in: text).compactMap(\.id) }
}

/// The types of a file's first boxes (ISO/IEC 14496-12, 4.2).
struct ContainerStart {
    var boxes: [String] = []

    init(_ path: String) throws {
        let file = try FileDescriptor.open(FilePath(path), .readOnly)
        defer { try? file.close() }
        var offset: Int64 = 0
        while boxes.count < 4 {
            var header = [UInt8](repeating: 0, count: 8)
            guard try header.withUnsafeMutableBytes({ try file.read(fromAbsoluteOffset: offset, into: $0) }) == 8 else {
                return
            }
            boxes.append(String(decoding: header[4...], as: UTF8.self))
            let size = header[..<4].reduce(0) { $0 << 8 | Int64($1) }
            guard size >= 8 else { return }
            offset += size
        }
    }
}
