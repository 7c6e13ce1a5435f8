// Examples/CaptureApp, an app that uses every part of the library, driven as a person would: built as its own package, in a process of
// its own, which can be killed.
import Glibc
import KineContainers
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs, .builds)) struct CaptureAppTests {
    /// The app, and the commands that it reads.
    private struct App {
        let process: RunningKinecast
        private let input: FileDescriptor

        private static let program = AuthorCommands.extensionsDirectory.appending("debug/CaptureApp").string

        /// - Parameter source: as the README has it.
        init(_ place: TestPlace, _ source: String = "1280x720", _ variables: [String] = []) throws {
            let commands = CaptureAppTests.commands
            try #require(commands.contains(".build/debug/CaptureApp \(source)"), "\(commands)")
            // Nobody is here to be asked.
            let granted = try place.run(
                "permissions", "grant", Self.program, "--id", "org.kinecast.example.CaptureApp", "--screen",
                "--microphone")
            try #require(granted.status == 0, "\(granted)")
            let pipe = try FileDescriptor.pipe()
            defer { try? pipe.readEnd.close() }
            input = pipe.writeEnd
            process = try RunningKinecast(
                // A small screen is enough.
                arguments: [source == "1280x720" ? "320x240" : source],
                environment: place.environment + variables + [
                    "KINECAST_ENGINE=\(RunningKinecast.sibling("kinecast-engine"))",
                    "XDG_DATA_HOME=\(place.path("data"))",
                ], directory: place.directory, input: pipe.readEnd,
                executable: Self.program)
            try process.line("CaptureApp")
        }

        /// Types a command, and waits for a line of its answer.
        @discardableResult
        func type(_ command: String, _ beginning: String) throws -> String {
            try input.writeAll((command + "\n").utf8)
            return try process.line(beginning)
        }

        func quit() throws -> RunningKinecast.Ended {
            try input.close()
            return try process.wait()
        }
    }

    private static let example = RunningKinecast.checkout.appending("Examples/CaptureApp")
    private static let commands = AuthorCommands.commands(ofReadmeIn: example)

    /// The build of the app by its README, once for all tests. scripts/test has done it before.
    private static let built = Result {
        try AuthorCommands.run(try #require(commands.first), in: example, ProcessEnvironment.current)
    }

    init() throws {
        let built = try Self.built.get()
        try #require(built.status == 0, "\(built)")
    }

    @Test func `an app records, pauses, saves and discards itself, and is told what it did wrong`() throws {
        try TestPlace.with { place in
            let app = try App(place)
            try app.type("available", "available")
            try app.type("stop", "error notRecording: ")
            try app.type("record", "recording 320x240")
            try app.type("record", "error alreadyRecording: ")
            try app.type("pause", "paused")
            try app.type("resume", "resumed")
            try app.type("mic on", "warning: The audio server has no microphone")
            try app.type("stop", "preview ")
            try app.type("save \(place.path("kept.mp4"))", "saved")
            #expect(try RecordedVideo(path: place.path("kept.mp4")).size == PixelSize(width: 320, height: 240))
            try app.type("record", "recording 320x240")
            try app.type("stop \(place.path("kept.mp4"))", "error failedToSave: ")
            try app.type("discard", "discarded")
            #expect(PrivateDirectory.entries(FilePath(place.path("data/Trash/files"))).count == 1)
            #expect(try app.quit().status == 0)
        }
    }

    @Test func `an app records the screen`() throws {
        let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
        try TestPlace.with { place in
            let app = try App(place, "screen", ["DISPLAY=\(screen.name)"])
            try app.type("record", "recording 640x480")
            try app.type("stop", "preview ")
            #expect(try app.quit().status == 0)
        }
    }

    @Test func `an app handles samples itself`() throws {
        try TestPlace.with { place in
            let app = try App(place)
            try app.type("frames 2", "frame 2 at ")
            try app.type("capture", "capturing")
            try app.type("record", "error alreadyRecording: ")
            try app.type("uncapture", "samples")
            #expect(try app.quit().status == 0)
        }
    }

    @Test func `an app keeps the last moments beside a recording, and saves a clip of them`() throws {
        try TestPlace.with { place in
            let app = try App(place)
            try app.type("clip \(place.path("clip.mp4"))", "error notBuffering: ")
            try app.type("buffer 4000", "error invalidParameter: ")
            try app.type("buffer 5", "buffering")
            try app.type("buffer 5", "error alreadyBuffering: ")
            try app.type("record", "recording 320x240")
            try app.type("clip \(place.path("clip.mp4")) 60", "clip of ")
            #expect(try RecordedVideo(path: place.path("clip.mp4")).size == PixelSize(width: 320, height: 240))
            try app.type("clip \(place.path("clip.mp4"))", "error failedToSave: ")
            try app.type("unbuffer", "not buffering")
            try app.type("stop", "preview ")
            #expect(try app.quit().status == 0)
        }
    }

    @Test func `an app cuts its recording, looks at it and shares it, and another program's file is refused`() throws {
        try TestPlace.with { place in
            let app = try App(place)
            try app.type("trim 0 1", "error: Nothing was recorded yet")
            try app.type("record", "recording 320x240")
            try app.type("stop", "preview ")
            try app.type("trim 5 1", "error outOfRange: ")
            try app.type("trim 0 9999", "error outOfRange: ")
            try app.type("trim 0", "preview ")
            try app.type("thumbnail \(place.path("frame.png")) 0", "image 320x240")
            try app.type("thumbnail \(place.path("frame.png")) 9999", "error outOfRange: ")
            try app.type("share copy \(place.directory)", "shared org.kinecast.copy")
            try app.type("save \(place.path("cut.mp4"))", "saved")
            #expect(try RecordedVideo(path: place.path("cut.mp4")).size == PixelSize(width: 320, height: 240))
            try place.write("This is no recording.", to: "letter.mp4")
            try app.type("open \(place.path("letter.mp4"))", "error notARecording: ")
            #expect(try app.quit().status == 0)
        }
    }

    @Test func `a broadcast outlives its app, which finds it and controls it when it runs again`() throws {
        try TestPlace.with { place in
            let first = try App(place)
            try first.type("services", "service live")
            try first.type("pick nowhere", "error unknownService: ")
            try first.type("pick", "service, or nothing to cancel:")
            try first.type("", "error cancelled: ")
            try first.type("pick live", "service, or nothing to cancel:")
            try first.type("live", "picked live")
            try first.type("broadcast \(place.path("both.mp4"))", "broadcasting http://")
            try first.type("broadcast", "error alreadyBroadcasting: ")
            first.process.signal(SIGKILL)
            _ = try first.process.wait()
            let second = try App(place)
            try second.type("find", "found live")
            try second.type("pause-broadcast", "broadcast paused")
            try second.type("resume-broadcast", "broadcast resumed")
            try second.type("add live", "added ")
            try second.type("remove 1", "removed 1")
            try second.type("finish", "finished")
            try second.process.line("preview ")
            #expect(try RecordedVideo(path: place.path("both.mp4")).size == PixelSize(width: 320, height: 240))
            #expect(try second.quit().status == 0)
        }
    }

    @Test func `a recording goes on where its app is killed, which takes it up when it runs again`() throws {
        try TestPlace.with { place in
            let first = try App(place)
            try first.type("record stays", "recording 320x240")
            first.process.signal(SIGKILL)
            _ = try first.process.wait()
            let second = try App(place)
            try second.type("again", "recording again")
            try second.type("stop \(place.path("kept.mp4"))", "saved")
            #expect(try RecordedVideo(path: place.path("kept.mp4")).size == PixelSize(width: 320, height: 240))
            #expect(try second.quit().status == 0)
        }
    }

    @Test func `a recording that ends with its app is there when it runs again`() throws {
        try TestPlace.with { place in
            let first = try App(place)
            try first.type("record", "recording 320x240")
            first.process.signal(SIGKILL)
            _ = try first.process.wait()
            try wait("the engine to finish the file") { try place.registry().list().running.isEmpty }
            let second = try App(place)
            try second.type("again", "nothing runs")
            try second.process.line("preview ")
            try second.type("save \(place.path("kept.mp4"))", "saved")
            #expect(try RecordedVideo(path: place.path("kept.mp4")).size == PixelSize(width: 320, height: 240))
            #expect(try second.quit().status == 0)
        }
    }
}
