// The window that a command opens: recorded alone, from its first picture on, on a private screen and on a person's.
import Glibc
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct CommandWindowTests {
    private static let screen = PixelSize(width: 640, height: 480)

    /// A window of 320x180 that the window manager may have a say in, titled kinecast-scene, until the file `go` is there.
    private static let scene = """
        "$0" bars --managed --size 320x180 --seconds 1000 >/dev/null & until [ -e go ]; do sleep 0.05; done; kill $!; wait
        """

    private func command(_ script: String) -> [String] { ["--", "sh", "-c", script, RunningKinecast.scene] }

    /// The program ends, its window closes, and whichever is noticed first, the status is the program's.
    @Test(arguments: [["--window", "command"], ["--window", "title:Kinecast-Scene"]])
    func `a window on a private screen is recorded in its size, and the command's status is passed on`(
        options: [String]
    ) throws {
        try TestPlace.with { place in
            let script = "echo \"pid $$\"; exec \"$0\" bars --managed --size 320x180 --seconds 1000 >/dev/null"
            let take = try place.start(
                ["record", "a.mp4", "--virtual", "640x480", "--wait", "5m", "--json"] + options + command(script))
            let started = try take.event("started")
            #expect(started.width == 320 && started.height == 180)
            let pid = try #require(Int32(take.line("pid ").dropFirst(4)))
            kill(pid, SIGKILL)
            let ended = try take.wait()
            #expect(ended.status == 128 + SIGKILL, "\(ended)")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    /// xterm names its process, as most toolkits do; other windows are there.
    @Test func `the command's first window is found on a person's screen, by its process`() throws {
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: Self.screen)
            let painter = try Painter(display: screen.name)
            _ = painter.window(PixelRect(x: 0, y: 0, width: 90, height: 70), colour: 0, isManaged: true)
            let take = try place.record(
                screen.name, "a.mp4", "--window", "command", "--wait", "5m", "--", "sh", "-c",
                "xterm -geometry 20x5 -e sh -c 'until [ -e go ]; do sleep 0.05; done'; exit 7")
            let started = try take.event("started")
            let width = try #require(started.width)
            #expect(width > 90 && width < Self.screen.width)
            #expect(try place.run("status").output.contains("  Window  "))
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `an application's windows are waited for, in the size of the private screen`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                ["record", "a.mp4", "--virtual", "640x480", "--wait", "5m", "--json", "--app", "kinecast-scene"]
                    + command(Self.scene))
            #expect(try take.event("started").width == 640)
            try place.write("", to: "go")
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `a broadcast waits for the window too, and tells its extensions what it is`() throws {
        try TestPlace.with { place in
            try place.installWitness()
            let take = try place.start(
                [
                    "broadcast", "--record", "a.mp4", "--service", "org.example.witness", "--virtual", "640x480",
                    "--audio", "none", "--json", "--window", "title:kinecast-scene", "--wait", "5m",
                ] + command(Self.scene))
            try take.event("destination") { $0.state == "annotated with kinecast-scene bars" }
            #expect(try take.event("started").width == 320)
            try place.write("", to: "go")
            #expect(try take.wait().status == 0)
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test(arguments: [(3, 3), (0, ExitStatus.unavailable)] as [(Int, Int32)])
    func `a command that ends before its window comes leaves no file, and says so in one sentence`(
        own: Int, status: Int32
    ) throws {
        try TestPlace.with { place in
            let ended = try place.run(
                ["record", "a.mp4", "--virtual", "640x480", "--window", "title:Mine"] + command("exit \(own)"))
            #expect(ended.status == status, "\(ended)")
            #expect(ended.errors.contains("ended before COMMAND had opened a window with \"Mine\" in its title"))
            #expect(ended.errors.split(separator: "\n").count == 1, "\(ended)")
            #expect(access(place.path("a.mp4"), F_OK) != 0)
        }
    }

    @Test func `a window that does not come ends the take and the command`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                ["record", "a.mp4", "--virtual", "640x480", "--window", "command", "--wait", "0.2"]
                    + command("trap 'echo ended' TERM; sleep 1000 & wait"))
            #expect(ended.status == ExitStatus.unavailable, "\(ended)")
            #expect(ended.errors.contains("COMMAND opened no window within 0.2 s"), "\(ended)")
            #expect(ended.output == "ended\n" && access(place.path("a.mp4"), F_OK) != 0, "\(ended)")
        }
    }

    @Test func `a signal while the window is waited for ends both`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                ["record", "a.mp4", "--virtual", "640x480", "--window", "command", "--wait", "1h"]
                    + command("echo waits; trap 'echo ended' TERM; sleep 1000 & wait"))
            try take.words("waits", onOutput: true)
            #expect(try place.run("status").output.contains("starting"))
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.unavailable, "\(ended)")
            #expect(ended.errors.contains("ended before COMMAND had opened a window"), "\(ended)")
            #expect(ended.output.contains("ended\n") && access(place.path("a.mp4"), F_OK) != 0, "\(ended)")
        }
    }
}
