// What becomes of a take whose file cannot be written, and of the older file of that name.
import Glibc
import KineMeasure
import KinePlatform
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct RecordingFaultTests {
    /// Starts kinecast behind these words of a shell, which mounts what it needs where nothing else sees it. `kept.mp4` is what is in
    /// `out/a.mp4` afterwards.
    private func start(_ preparation: String, _ arguments: String..., in place: TestPlace) throws -> RunningKinecast {
        let script = "\(preparation)\n\"$0\" \"$@\"; status=$?; cp out/a.mp4 kept.mp4; exit $status"
        return try RunningKinecast(
            arguments: (geteuid() == 0 ? [] : ["--map-root-user"]) + [
                "--mount", "sh", "-c", script, RunningKinecast.executable.string,
            ] + arguments,
            environment: place.environment, directory: place.directory, executable: try Tool.path(of: "unshare"))
    }

    enum Fault: CaseIterable {
        case fullFromTheStart, full, deleted
    }

    @Test(arguments: Fault.allCases)
    func `a broadcast goes on where its recording cannot, and its status says so`(fault: Fault) throws {
        try TestPlace.with { place in
            try place.installWitness()
            try place.makeDirectory("out")
            let disk = "mount -t tmpfs -o size=1m none out"
            let fill = "cat /dev/zero > out/fill 2> /dev/null"
            let preparation =
                switch fault {
                case .fullFromTheStart: "\(disk); \(fill)"
                case .full: "\(disk); mkfifo signal; (cat signal; \(fill)) &"
                case .deleted: "true"
                }
            let take = try start(
                preparation, "broadcast", "--pattern", "64x64", "--audio", "none", "--record", "out/a.mp4", "--json",
                "--service", "org.example.witness", in: place)
            try take.event("destination") { $0.phase == "live" }
            switch fault {
            case .fullFromTheStart: break
            case .full:
                try take.recorded(1)
                #expect(try Tool.output("sh", ["-c", "echo > \(place.path("signal"))"]) == "")
            case .deleted:
                try take.recorded(1)
                #expect(unlink(place.path("out/a.mp4")) == 0)
            }
            let problem = fault == .deleted ? "was deleted" : "its disk or your quota there is full"
            let warning = try take.event("warning") { $0.message?.contains("the broadcast goes on") == true }
            #expect(warning.message?.contains(problem) == true)
            // Frames still reach the destination.
            let frames = try take.event("progress") { ($0.time ?? 0) > (warning.time ?? 0) }.destinations?.first?.frames
            try take.event("progress") { ($0.destinations?.first?.frames ?? 0) > (frames ?? .max) }
            #expect(try place.run("stop").status == ExitStatus.storageFailed)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.storageFailed, "\(ended)")
            let summary = try #require(ended.events.last)
            #expect(summary.exitStatus == ExitStatus.storageFailed && summary.message?.contains(problem) == true)
            #expect(summary.destinations?.map(\.ending) == ["finished"] && summary.reason == "stopped")
            if fault == .fullFromTheStart {
                #expect(summary.message?.contains("nothing was recorded") == true && summary.output == nil)
                #expect(access(place.path("kept.mp4"), F_OK) != 0)
            } else {
                #expect(summary.message?.contains("what was recorded is kept") == true)
                #expect(try TakeFile.finishedDuration(place.path("kept.mp4")) > 0.5)
            }
        }
    }

    @Test func `a file that is mounted by itself is refused before the take, and stays as it is`() throws {
        try TestPlace.with { place in
            try place.makeDirectory("out")
            for name in ["out/a.mp4", "elsewhere"] { try place.write("mine", to: name) }
            let ended = try start(
                "mount --bind elsewhere out/a.mp4", "record", "out/a.mp4", "--overwrite", "--pattern", "64x64",
                "--json",
                in: place
            ).wait()
            #expect(ended.status == ExitStatus.cannotCreate, "\(ended)")
            #expect(ended.errors.contains("mounted by itself") && !ended.events.contains { $0.event == "started" })
            #expect(try Tool.output("cat", [place.path("kept.mp4")]) == "mine")
        }
    }
}
