// `kinecast broadcast` with the real engine, the live page's extension, and one that says what it is told.
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct BroadcastTests {
    /// The keys of a line of `services --json` that are looked at.
    struct Listed: Decodable {
        var id: String
        var bundle: String?
    }

    func states(_ events: [RunningKinecast.Event]) -> [String] {
        events.filter { $0.event == "destination" && $0.kind == "state" }.compactMap(\.state)
    }

    @Test func `with no option it serves a page, and standard output has the link and nothing else`() throws {
        try TestPlace.with { place in
            let take = try place.start("broadcast", "--pattern", "320x240", "--record", "a.mp4")
            try take.words("Live at ")
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == 2 && lines[1].isEmpty && lines[0].hasPrefix("http://127.0.0.1:"), "\(ended)")
            #expect(ended.errors.contains("Live at \(lines[0])\n"))
            #expect(ended.errors.contains("Saved \(place.path("a.mp4")): "), "\(ended)")
            #expect(ended.errors.contains("Live page: finished, "))
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
        }
    }

    @Test func `what other terminals ask reaches the handler, and status shows the destination`() throws {
        try TestPlace.with { place in
            try place.installWitness()
            let take = try place.start(
                "broadcast", "--pattern", "320x240", "--record", "a.mp4", "--json", "--service", "org.example.witness",
                "--set", "link=witness://here")
            #expect(try take.event("destination") { $0.kind == "link" }.link == "witness://here")
            try take.event("destination") { $0.state == "first video" }
            try take.event("destination") { $0.state == "first audioApp" }
            let line = try place.run("status").output.split(separator: "\n").last ?? ""
            #expect(line.hasPrefix("  → 0  Witness  live  ") && line.hasSuffix("witness://here"), "\(line)")
            #expect(line.contains(" MB of 50 MB  "), "\(line)")
            #expect(try place.run("pause").status == 0)
            try take.event("destination") { $0.state == "paused" }
            #expect(try place.run("status").output.contains("Witness  paused  "))
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
            #expect(destination.ending == "finished" && destination.label == "Witness")
            #expect((destination.frames ?? 0) > 0 && (destination.peakMemory ?? 0) > 1 << 20)
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `another source is told to extensions, unless the user says what is shown`() throws {
        try TestPlace.with { place in
            try place.installWitness()
            let screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
            let painter = try Painter(display: screen.name)
            for (index, title) in ["First", "Second", "Third"].enumerated() {
                let window = painter.window(PixelRect(x: index * 100, y: 0, width: 90, height: 80), colour: 0x40_8040)
                painter.setTitle(window, title)
            }
            let take = try place.start(
                [
                    "broadcast", "--window", "title:first", "--audio", "none", "--json", "--service",
                    "org.example.witness",
                ],
                ["DISPLAY=\(screen.name)"])
            try take.event("destination") { $0.state == "annotated with First" }
            try take.event("destination") { $0.state == "first video" }
            #expect(try place.run("switch", "--window", "title:second").status == 0)
            try take.event("destination") { $0.state == "annotated with Second" }
            #expect(try place.run("annotate", "title=Mine").status == 0)
            try take.event("destination") { $0.state == "annotated with Mine" }
            #expect(try place.run("switch", "--window", "title:third").status == 0)
            #expect(try place.run("stop").status == 0)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(!states(ended.events).contains("annotated with Third"))
        }
    }

    @Test func `several destinations and no recording, from one encode`() throws {
        try TestPlace.with { place in
            try place.installWitness()
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
            #expect(summary.destinations?.map(\.label) == ["Live page", "Witness (host/app)"])
            #expect(summary.destinations?.map(\.ending) == ["finished", "finished"])
            #expect(states(ended.events).contains("started with url=…"))
            #expect(!(ended.output + ended.errors).contains("hush"))
        }
    }

    @Test func `what was set is in no process's arguments or environment`() throws {
        try TestPlace.with { place in
            try place.installWitness()
            try place.write("very-hush\n", to: "token")
            let take = try place.start(
                "broadcast", "--pattern", "320x240", "--json", "--service", "org.example.witness", "--set",
                "token=@token")
            try take.event("destination") { $0.state == "started with token=…" }
            // An ordinary user does not see where an engine was started.
            let engine = try place.registry().find(nil).pid
            let processes = place.processes() + [ProcFiles.read("/proc/\(engine)/cmdline")]
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
        try TestPlace.with { place in
            try place.installWitness()
            let take = try place.start(
                "broadcast", "--pattern", "320x240", "--record", "a.mp4", "--service", "org.example.witness", "--set",
                "fail=The server is closed.", "--service", "live")
            try take.words("this destination is over")
            try take.words("Live at ")
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.destinationFailed, "\(ended)")
            #expect(
                ended.errors.contains("Witness failed: The server is closed; this destination is over."))
            #expect(ended.errors.contains("Saved \(place.path("a.mp4")): "), "\(ended)")
            #expect(ended.errors.contains("Live page: finished, "))
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `wrong settings are 64 before anything starts`() throws {
        try TestPlace.with { place in
            try place.installWitness() { $0.setup[2].isRequired = true }
            for arguments in [
                ["--set", "nonsense=x"], ["--service", "org.example.witness"], ["--to", "witness://a"],
            ] {
                let ended = try place.run(["broadcast", "--pattern", "--record", "a.mp4"] + arguments)
                #expect(ended.status == ExitStatus.usage, "\(ended)")
                #expect(ended.output.isEmpty)
            }
            #expect(access(place.path("a.mp4"), F_OK) != 0)
            #expect(try place.run("broadcast", "--to", "tv://a").status == ExitStatus.unavailable)
        }
    }

    @Test func `services are listed, installed and removed, and a damaged one is named`() throws {
        try TestPlace.with { place in
            #expect(try place.run("services").output.hasPrefix("live  "))
            try place.installWitness()
            let listed = try place.run("services")
            #expect(
                listed.output.contains("org.example.witness  Witness") && listed.output.contains("--to witness://…"))
            let lines = try place.run("services", "--json").output.split(separator: "\n").map {
                try JSONDecoder().decode(Listed.self, from: Data($0.utf8))
            }
            #expect(lines.map(\.id) == ["live", "youtube", "twitch", "rtmp", "org.example.witness"])
            let services = ".local/share/kinecast/services"
            #expect(lines.last?.bundle?.hasPrefix(place.path(services)) == true)
            try place.makeDirectory("\(services)/broken.kinext")
            try place.write("{", to: "\(services)/broken.kinext/manifest.json")
            let problem = try place.run("services")
            #expect(problem.status == 0 && problem.errors.contains("broken.kinext"), "\(problem)")
            #expect(try place.run("services", "remove", place.path("\(services)/broken.kinext")).status == 0)
            #expect(try place.run("services", "remove", "org.example.witness").status == 0)
            let empty = try place.run("services")
            #expect(!empty.output.contains("witness") && empty.errors.isEmpty)
            #expect(try place.run("services", "remove", "live").status == ExitStatus.noPermission)
            #expect(try place.run("services", "install", "/tmp").status == ExitStatus.usage)
        }
    }

    @Test func `annotating a recording is refused`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            try take.event("started")
            #expect(try place.run("annotate", "title=x").status == ExitStatus.unavailable)
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }
}
