// `kinecast broadcast` with the real engine, the live page's extension, and one that says what it is told.
import FoundationEssentials
import Glibc
import KinePlatform
import KineServices
import SystemPackage
import Testing

@Suite(.serialized) struct BroadcastTests {
    /// Installs the witness here as a service that takes `witness://` addresses.
    func installWitness(_ place: Workplace, _ change: (inout ServiceManifest) -> Void = { _ in }) throws {
        let executable = RunningKinecast.executable.removingLastComponent().appending("kinecast-witness")
        var manifest = ServiceManifest(id: "org.example.witness", name: "Witness", executable: "witness")
        manifest.video = .encoded(codec: "h264", keyframeInterval: 2)
        manifest.appAudio = .aac
        manifest.urlSchemes = ["witness"]
        manifest.setup = [
            .init(key: "link", title: "Link to announce"), .init(key: "fail", title: "Why to fail"),
            .init(key: "token", title: "Token", isSecret: true),
        ]
        change(&manifest)
        let bundle = place.directory.appending("witness.kinext")
        guard mkdir(bundle.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        try write(manifest.encoded(), to: bundle.appending("manifest.json"))
        try write(contents(of: executable), to: bundle.appending("witness"))
        let installed = try place.run("services", "install", bundle.string)
        #expect(installed.status == 0, "\(installed)")
    }

    private func write(_ bytes: [UInt8], to path: FilePath) throws {
        let file = try FileDescriptor.open(path, .writeOnly, options: .create, permissions: [.ownerReadWriteExecute])
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    private func contents(of path: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes = [UInt8](repeating: 0, count: Int(try file.seek(offset: 0, from: .end)))
            var filled = 0
            while filled < bytes.count {
                let count = try bytes.withUnsafeMutableBytes { buffer in
                    try file.read(
                        fromAbsoluteOffset: Int64(filled),
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
                }
                if count == 0 { break }
                filled += count
            }
            return bytes
        }
    }

    /// The keys of a line of `services --json` that are looked at.
    struct Listed: Decodable {
        var id: String
        var bundle: String?
    }

    func states(_ events: [RunningKinecast.Event]) -> [String] {
        events.filter { $0.event == "destination" && $0.kind == "state" }.compactMap(\.state)
    }

    @Test func `with no option it serves a page, and standard output has the link and nothing else`() throws {
        try Workplace.with { place in
            let take = try place.start("broadcast", "--pattern", "320x240", "--record", "a.mp4")
            try take.words("Live at ")
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 2 && lines[1].isEmpty && lines[0].hasPrefix("http://127.0.0.1:"), "\(ended)")
            #expect(ended.errors.contains("Live at \(lines[0])\n"))
            #expect(ended.errors.contains("Saved \(place.path("a.mp4")): "), "\(ended)")
            #expect(ended.errors.contains("live: finished, "))
            #expect(try TakeTests.finishedDuration(place.path("a.mp4")) > 0)
        }
    }

    @Test func `what other terminals ask reaches the handler, and status shows the destination`() throws {
        try Workplace.with { place in
            try installWitness(place)
            let take = try place.start(
                "broadcast", "--pattern", "320x240", "--record", "a.mp4", "--json", "--service", "org.example.witness",
                "--set", "link=witness://here")
            #expect(try take.event("destination") { $0.kind == "link" }.link == "witness://here")
            try take.event("destination") { $0.state == "first video" }
            try take.event("destination") { $0.state == "first audioApp" }
            let line = try place.run("status").output.split(separator: "\n").last ?? ""
            #expect(line.hasPrefix("  → org.example.witness  live  ") && line.hasSuffix("witness://here"), "\(line)")
            #expect(line.contains(" MB of 50 MB  "), "\(line)")
            #expect(try place.run("pause").status == 0)
            try take.event("destination") { $0.state == "paused" }
            #expect(try place.run("status").output.contains("witness  paused  "))
            #expect(try place.run("resume").status == 0)
            try take.event("destination") { $0.state == "resumed" }
            #expect(try place.run("annotate", "title=Second half").status == 0)
            try take.event("destination") { $0.state == "annotated with Second half" }
            #expect(try place.run("stop").status == 0)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(states(ended.events).last == "finished")
            let summary = try #require(ended.events.last)
            #expect(summary.event == "summary" && summary.destinations?.count == 1)
            let destination = try #require(summary.destinations?.first)
            #expect(destination.ending == "finished" && destination.label == "org.example.witness")
            #expect((destination.pictures ?? 0) > 0 && (destination.peakMemory ?? 0) > 1 << 20)
            _ = try TakeTests.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `several destinations and no recording, from one encode`() throws {
        try Workplace.with { place in
            try installWitness(place)
            let take = try place.start(
                "broadcast", "--pattern", "320x240", "--json", "--service", "live", "--to",
                "witness://me:hush@host/app/hush?key=hush")
            // The witness repeats what it was told, and the engine leaves out what is a secret.
            try take.event("destination") { $0.state?.hasPrefix("started with url=") == true }
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            let summary = try #require(ended.events.last)
            #expect(summary.output == nil)
            #expect(summary.destinations?.map(\.label) == ["live", "org.example.witness (host/app)"])
            #expect(summary.destinations?.map(\.ending) == ["finished", "finished"])
            #expect(states(ended.events).contains("started with url=…"))
            #expect(!(ended.output + ended.errors).contains("hush"))
        }
    }

    @Test func `what was set is in no process's arguments or environment`() throws {
        try Workplace.with { place in
            try installWitness(place)
            let secret = place.directory.appending("token")
            try write(Array("very-hush\n".utf8), to: secret)
            let take = try place.start(
                "broadcast", "--pattern", "320x240", "--json", "--service", "org.example.witness", "--set",
                "token=@token")
            try take.event("destination") { $0.state == "started with token=…" }
            let processes = place.processes()
            #expect(processes.contains { $0.contains("kinecast-engine") })
            #expect(!processes.contains { $0.contains("very-hush") })
            #expect(!place.environments().contains { $0.contains("very-hush") })
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0)
            // The witness repeats what it was told, and the engine leaves out what is a secret.
            #expect(!(ended.output + ended.errors).contains("very-hush"))
        }
    }

    @Test func `a destination that fails for good is 75, and the recording is kept`() throws {
        try Workplace.with { place in
            try installWitness(place)
            let take = try place.start(
                "broadcast", "--pattern", "320x240", "--record", "a.mp4", "--service", "org.example.witness", "--set",
                "fail=The server is closed.", "--service", "live")
            try take.words("this destination is over")
            try take.words("Live at ")
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.destinationFailed, "\(ended)")
            #expect(
                ended.errors.contains("org.example.witness failed: The server is closed; this destination is over."))
            #expect(ended.errors.contains("Saved \(place.path("a.mp4")): "), "\(ended)")
            #expect(ended.errors.contains("live: finished, "))
            _ = try TakeTests.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `the engine is killed: the recording is saved, 70, and no extension is left`() throws {
        try Workplace.with { place in
            let take = try place.start("broadcast", "--pattern", "320x240", "--record", "a.mp4", "--json")
            try take.event("progress")
            kill(try place.registry().find(nil).pid, SIGKILL)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.engineDied)
            #expect(ended.events.last?.result == "recovered")
            _ = try TakeTests.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `wrong settings are 64 before anything starts`() throws {
        try Workplace.with { place in
            try installWitness(place) { $0.setup[2].isRequired = true }
            for arguments in [
                ["--set", "nonsense=x"], ["--service", "org.example.witness"], ["--to", "witness://a"],
            ] {
                let ended = try RunningKinecast(
                    arguments: ["broadcast", "--pattern", "--record", "a.mp4"] + arguments,
                    environment: place.environment, directory: place.directory
                ).wait()
                #expect(ended.status == ExitStatus.usage, "\(ended)")
                #expect(ended.output.isEmpty)
            }
            #expect(access(place.path("a.mp4"), F_OK) != 0)
            #expect(try place.run("broadcast", "--to", "tv://a").status == ExitStatus.unavailable)
        }
    }

    @Test func `services are listed, installed and removed, and a damaged one is named`() throws {
        try Workplace.with { place in
            #expect(try place.run("services").output.hasPrefix("live  "))
            try installWitness(place)
            let listed = try place.run("services")
            #expect(
                listed.output.contains("org.example.witness  Witness") && listed.output.contains("--to witness://…"))
            let lines = try place.run("services", "--json").output.split(separator: "\n").map {
                try JSONDecoder().decode(Listed.self, from: Data($0.utf8))
            }
            #expect(lines.map(\.id) == ["live", "rtmp", "org.example.witness"])
            let bundle = FilePath(try #require(lines.last?.bundle))
            let damaged = bundle.removingLastComponent().appending("broken.kinext")
            #expect(mkdir(damaged.string, 0o700) == 0)
            try write(Array("{".utf8), to: damaged.appending("manifest.json"))
            let problem = try place.run("services")
            #expect(problem.status == 0 && problem.errors.contains("broken.kinext"), "\(problem)")
            #expect(try place.run("services", "remove", damaged.string).status == 0)
            #expect(try place.run("services", "remove", "org.example.witness").status == 0)
            let empty = try place.run("services")
            #expect(!empty.output.contains("witness") && empty.errors.isEmpty)
            #expect(try place.run("services", "remove", "live").status == ExitStatus.noPermission)
            #expect(try place.run("services", "install", "/tmp").status == ExitStatus.usage)
        }
    }

    @Test func `annotating a recording is refused`() throws {
        try Workplace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("started")
            #expect(try place.run("annotate", "title=x").status == ExitStatus.unavailable)
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }
}
