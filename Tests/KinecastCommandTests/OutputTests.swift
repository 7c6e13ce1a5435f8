// Output for a person: numbers, tables, the progress line, and the file's name.
import Glibc
import KineClient
import KineMeasure
import KineMedia
import KinePlatform
import KineProgram
import KineWire
import SystemPackage
import Testing

@testable import KinecastCommand

@Suite struct OutputTests {
    @Test func `numbers that no engine counts to are printed all the same`() {
        var status = DestinationStatus(destination: 0, service: "s", label: "s", phase: .live)
        status.audioLost = 1e300
        status.peakMemory = .max
        #expect(
            DestinationSentences.summary(status).hasPrefix("s: live, 0 frames, 10000000000000000.0 s of audio lost"))
        #expect(Quantity.oneDecimal(-1.5) == "0.0")
        #expect(Quantity.milliseconds(.infinity) == "100000000000000000 ms")
        var (before, now) = (TakeProgress(), TakeProgress())
        (before.duration, before.framesDrawn) = (MediaTime(nanoseconds: .min), .min)
        (now.duration, now.framesDrawn, now.bytes) = (MediaTime(nanoseconds: .max), .max, .max)
        #expect(ProgressLine(progress: now, last: before, isVerbose: true).text(columns: 500).contains(" fps"))
        #expect(ProgressLine(progress: before, last: now, isVerbose: true).text(columns: 500).contains("0.0 fps"))
    }

    @Test func `sources are printed as the options take them`() {
        var list = SourceList()
        list.monitors = [
            .init(name: "eDP-1", bounds: PixelRect(x: 0, y: 0, width: 1920, height: 1080), isPrimary: true)
        ]
        list.windows = [
            .init(
                id: 0x3a00007, title: "It's", application: "xterm", bounds: PixelRect(x: 1, y: 2, width: 3, height: 4))
        ]
        list.applications = ["Web Content", "a'b"]
        list.outputs = [.init(name: "hdmi", description: "Television", isDefault: true)]
        list.cameras = [.init(name: "HD Webcam", path: "/dev/video0")]
        let text = SourcesCommand.text(list)
        #expect(text.contains { $0.hasPrefix("  --monitor eDP-1  1920x1080  at 0,0") })
        #expect(text.contains { $0.hasPrefix("  --window 0x3a00007") })
        #expect(text.contains("  --audio 'app:Web Content'"))
        #expect(text.contains("  --audio 'app:a'\\''b'"))
        #expect(text.contains { $0.hasPrefix("  --audio system ") })
        #expect(text.contains { $0.hasPrefix("  --audio output:hdmi  default  Television") })
        #expect(text.suffix(4) == ["Microphones:", "  none", "Cameras:", "  --camera 'HD Webcam'  /dev/video0"])
        // The monitors of a screen that cannot be read are not "none".
        list = SourceList()
        list.problems = ["The screen's depth is 8."]
        #expect(SourcesCommand.text(list).starts(with: ["Monitors:", "  none found, see below"]))
    }

    @Test func `what steers a terminal, and what stands for a byte of a path, is in no title or name`() {
        var list = SourceList()
        list.applications = ["\u{1b}]0;x\u{7}\u{9b}2J\u{202e}", "icon \u{ef9b}\u{efc2}\u{ef9b}"]
        let text = SourcesCommand.text(list)
        #expect(text.contains("  --audio 'app: ]0;x 2J '") && text.contains("  --audio 'app:icon '"), "\(text)")
        // Of a file, the name is shown as it is but for that.
        func bytes(_ text: String, _ forTerminal: Bool) -> [UInt8] {
            Terminal.bytes(of: text, forTerminal: forTerminal)
        }
        #expect(bytes("caf\u{efe9} \u{1b}c\n日", true) == Array("caf".utf8) + [0xe9] + Array(" \u{fffd}c\u{fffd}日".utf8))
        #expect(bytes("caf\u{efe9} \u{1b}c", false) == Array("caf".utf8) + [0xe9] + Array(" \u{1b}c".utf8))
        // No path has these: its bytes would be U+009B.
        #expect(bytes("\u{efc2}\u{ef9b}", true) == Array("\u{efc2}\u{ef9b}".utf8))
    }

    @Test func `the doctor marks what is wrong and says what helps`() {
        let lines = DoctorCommand.text([
            DoctorCheck(name: "display", ok: true, essential: false, detail: ":0"),
            DoctorCheck(name: "audio", ok: false, essential: false, detail: "no server", remedy: "install pulseaudio"),
        ])
        #expect(lines == ["✓ display  :0", "✗ audio    no server", "           → install pulseaudio"])
    }

    @Test func `what cannot be an MP4 is refused, and any other name is taken`() throws {
        let directory = try TemporaryDirectory()
        let base = FilePath(directory.path)
        try #require(mkfifo(directory.file("pipe"), 0o600) == 0 && mkdir(directory.file("films.webm"), 0o700) == 0)
        for name in ["-", "a.mkv", "a.WEBM", "a.gif", "a.avi", "a.ts", "a.flv", "pipe", "/dev/null", "/dev/stdout"] {
            let refusal = #expect(throws: CommandFailure.self) { try OutputPath.check(name, workingDirectory: base) }
            #expect(refusal?.status == ExitStatus.usage && refusal?.message.hasPrefix(name) == true)
        }
        for name in ["pipe", "/dev/stdout", "/dev/fd/3"] {
            let refusal = #expect(throws: CommandFailure.self) {
                try OutputPath.check(name, mayStream: true, workingDirectory: base)
            }
            #expect(refusal?.message.hasSuffix("or - for standard output.") == true)
        }
        for name in ["./-", "a", "a.mp4", "a.mov", "a.mkv.mp4", ".mkv", "films.webm"] {
            try OutputPath.check(name, workingDirectory: base)
        }
    }

    @Test func `the file is named for the time where no name is given`() throws {
        let directory = try TemporaryDirectory()
        let base = FilePath(directory.path)
        let first = base.appending("Kinecast 2026-01-02 03.04.05.mp4")
        func path(_ typed: String?) -> FilePath {
            OutputPath.resolve(typed, workingDirectory: base, timestamp: "2026-01-02 03.04.05")
        }
        #expect(path(nil) == first)
        let clip = OutputPath.resolve(nil, kind: "Clip", workingDirectory: base, timestamp: "2026-01-02 03.04.05")
        #expect(clip == base.appending("Clip 2026-01-02 03.04.05.mp4"))
        #expect(path(base.string) == first)
        #expect(path(".") == first)
        #expect(path("a.mp4") == base.appending("a.mp4"))
        #expect(try OutputPath.isNamedHere(nil) && OutputPath.isNamedHere(base.string))
        #expect(try !OutputPath.isNamedHere(base.appending("a.mp4").string))
        #expect(path("./a.mp4") == base.appending("a.mp4"))
        #expect(path("/b.mp4") == "/b.mp4")
    }

    @Test func `a variable of the take replaces the one of that name`() {
        #expect(
            ProcessEnvironment.merging(["A=1", "DISPLAY=:0", "DISPLAYS=x"], ["DISPLAY=:7"])
                == ["A=1", "DISPLAYS=x", "DISPLAY=:7"])
    }

    @Test func `a command that is not there is refused before the take`() {
        #expect(throws: CommandFailure.self) { try ShownCommand(["no-such-command"], searchPath: "/usr/bin") }
        #expect(throws: CommandFailure.self) { try ShownCommand(["/tmp"], searchPath: nil) }
        #expect((try? ShownCommand(["sh", "-c", "x"], searchPath: "/nowhere:/bin"))?.executable == "/bin/sh")
    }

    @Test func `an event is one line with the keys that have a value`() throws {
        var event = JSONEvent("warning", time: 1.5) { $0.message = "two\nlines" }
        #expect(try JSONEvents.line(event) == #"{"event":"warning","message":"two\nlines","time":1.5}"#)
        event.message = "\u{9b}31m\u{7f}é"
        #expect(try JSONEvents.line(event) == #"{"event":"warning","message":"\u009b31m\u007fé","time":1.5}"#)
    }
}
