// Examples/HostEncode, an app that encodes and publishes what its extension passes on, with nginx as the server and with each of its
// parts killed.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs, .builds)) struct HostEncodeTests {
    private static func take(_ size: PixelSize = PixelSize(width: 320, height: 240)) -> TakeConfiguration {
        var configuration = TakeConfiguration(source: .pattern(size), output: nil)
        configuration.audio.app = .system(required: true)
        configuration.wantsProgress = true
        configuration.supervision.start = 120
        configuration.supervision.held = 120
        configuration.destinations = [.init(service: HostEncodeExample.service, setupInfo: [:], label: "hostencode")]
        return configuration
    }

    /// Waits until the server has so many more frames of a stream than it has now; the app's reports say when to look. Returns
    /// the times of all, in milliseconds.
    @discardableResult
    private static func frames(_ count: Int, of stream: String, at server: MediaServer, _ app: RunningKinecast) throws
        -> [UInt32]
    {
        func times() throws -> [UInt32] {
            access(server.file(stream), R_OK) == 0
                ? try server.recorded(stream).filter { $0.type == 9 }.map(\.timestamp) : []
        }
        let before = try times().count
        while true {
            try app.line("frames: ")
            let now = try times()
            if now.count >= before + count { return now }
        }
    }

    @Test(arguments: ["openh264", "x264"])
    func `an app encodes what its extension passes on, upright between bars, and its sound`(encoder: String) throws {
        let server = try MediaServer()
        try TestPlace.with { place in
            let example = try HostEncodeExample(in: place)
            // Wider than what is asked for: the engine scales it to 540×304.
            let engine = try EngineUnderTest(Self.take(PixelSize(width: 1280, height: 720)), in: place)
            try engine.phase(.live)
            let app = try example.startApp(publishingTo: server.address("show"), ["--encoder", encoder])
            try Self.frames(60, of: "show", at: server, app)
            _ = try engine.stop()
            let counts = try HostEncodeExample.finish(app, at: server)
            let video = try RecordedVideo(path: server.file("show"))
            #expect(video.size == PixelSize(width: HostEncodeExample.width, height: HostEncodeExample.height))
            // The server counts as the app does.
            #expect(video.frames.count == (counts["encoded"] ?? 0) - (counts["dropped"] ?? 0), "\(counts)")
            try video.decode { index, luma in
                for top in [0, 640] {
                    let bar = luma.mean(PixelRect(x: 0, y: top, width: 540, height: 320))
                    #expect(abs(bar - 16) < 2, "frame \(index)")
                }
                #expect(luma.mean(PixelRect(x: 0, y: 340, width: 540, height: 280)) > 30, "frame \(index)")
            }
            let codecs = try Tool.output(
                "ffprobe",
                ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", server.file("show")])
            #expect(Set(codecs.split(whereSeparator: \.isWhitespace)) == ["h264", "aac"])
            let audio = Double(try RecordedAudio(path: server.file("show")).samples.count) / 48000
            #expect(audio > video.duration - 1, "\(audio) s of audio beside \(video.duration) s of video")
        }
    }

    @Test func `the stream goes on after the extension, the take and the app have ended`()
        throws
    {
        let server = try MediaServer()
        try TestPlace.with { place in
            let example = try HostEncodeExample(in: place)
            let engine = try EngineUnderTest(Self.take(), in: place)
            try engine.phase(.live)
            let first = try example.startApp(publishingTo: server.address("show"))
            try first.line("connected")
            try Self.frames(10, of: "show", at: server, first)
            let pid = try #require(try engine.status().destinations.first?.pid)
            kill(pid, SIGKILL)
            try first.line("disconnected")
            try first.line("connected")
            try Self.frames(10, of: "show", at: server, first)
            _ = try engine.stop()
            try first.line("disconnected")
            let another = try EngineUnderTest(Self.take(), in: place)
            try first.line("connected")
            // The new take's times begin from zero.
            let times = try Self.frames(10, of: "show", at: server, first)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
            #expect(try server.recorded("show").contains { $0.type == 8 && $0.timestamp > times[times.count - 10] })

            first.signal(SIGKILL)
            let counts = try HostEncodeExample.counts(of: first.wait())
            // Its frames are not held back until its times are those of the take before, which had twenty frames.
            #expect(try #require(counts["skipped"]) < 10, "\(counts)")
            let second = try example.startApp(publishingTo: server.address("show"))
            try second.line("connected")
            try Self.frames(10, of: "show", at: server, second)
            _ = try another.stop()
            second.signal(SIGTERM)
            let ended = try second.wait()
            #expect(ended.status == 0, "\(ended)")
        }
    }

    @Test func `the app connects again to a server that was away, and announces no audio for a take without any`()
        throws
    {
        let server = try MediaServer()
        try TestPlace.with { place in
            let example = try HostEncodeExample(in: place)
            var take = Self.take()
            take.audio.app = .none
            let engine = try EngineUnderTest(take, in: place)
            try engine.phase(.live)
            let app = try example.startApp(publishingTo: server.address("show"))
            try Self.frames(10, of: "show", at: server, app)
            try StrangerProcess.stop(server.process.pid)
            try app.line("interrupted")
            server.process.signal(SIGCONT)
            try app.line("live")
            try Self.frames(10, of: "show", at: server, app)
            let tags = try FLVFile.read(server.file("show"))
            #expect(!tags.contains { $0.type == 8 || $0.payload.contains("audiocodecid".utf8) })
            _ = try engine.stop()
            app.signal(SIGTERM)
            #expect(try app.wait().status == 0)
        }
    }

    enum Closing: CaseIterable {
        case byPerson, withDisplay
    }

    @Test(arguments: Closing.allCases)
    func `a window shows what was encoded, and the stream goes on without it`(closing: Closing) throws {
        let server = try MediaServer()
        let screen = try PrivateScreen(size: PixelSize(width: 640, height: 1000))
        try TestPlace.with { place in
            let example = try HostEncodeExample(in: place)
            let engine = try EngineUnderTest(Self.take(), in: place)
            try engine.phase(.live)
            let app = try example.startApp(
                publishingTo: server.address("show"), ["--window"], ["DISPLAY=\(screen.name)"])
            // No window manager places it: it is in the corner. The pattern is in its middle.
            var middle: [UInt8] = []
            repeat {
                try app.line("frames: ")
                middle = try Self.row(480, of: screen)
            } while middle.allSatisfy { $0 == 0 }
            let bar = try Self.row(100, of: screen)
            #expect(bar.allSatisfy { $0 < 8 }, "the bars are black")
            #expect(middle.prefix(100).allSatisfy { $0 < 8 }, "the sides of a smaller frame are black")
            switch closing {
            case .byPerson: try Painter(display: screen.name).askToClose()
            case .withDisplay: screen.end()
            }
            try app.line("the window was closed")
            try Self.frames(10, of: "show", at: server, app)
            _ = try engine.stop()
            app.signal(SIGTERM)
            #expect(try app.wait().status == 0)
        }
    }

    /// The brightness of the pixels in a row of the window.
    private static func row(_ row: Int, of screen: PrivateScreen) throws -> [UInt8] {
        try Tool.read(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "x11grab", "-draw_mouse", "0", "-video_size",
                "\(HostEncodeExample.width)x2", "-i", "\(screen.name)+0,\(row)", "-frames:v", "1", "-pix_fmt", "gray",
                "-f", "rawvideo", "pipe:1",
            ]
        ) { Array(try Tool.readAll($0).prefix(HostEncodeExample.width)) }
    }

    @Test func `it is built, installed and run by the commands of its README`() throws {
        let screen = try PrivateScreen(size: PixelSize(width: 640, height: 1000))
        let port = try Loopback.freePort()
        try TestPlace.with { place in
            _ = try HostEncodeExample(in: place)
            let environment = ProcessEnvironment.merging(place.environment, ["DISPLAY=\(screen.name)"])
            _ = try Tool.output("cp", ["\(HostEncodeExample.directory)/nginx.conf", place.directory.string])
            _ = try Tool.output("sed", ["-i", "s/:1935;/:\(port);/", place.path("nginx.conf")])
            /// The README's command with that beginning, with what is this test's own in it.
            func words(_ beginning: String) throws -> [String] {
                let command = try #require(HostEncodeExample.commands.first { $0.hasPrefix(beginning) }, "\(beginning)")
                let own = [
                    (" &", ""), ("\"", ""), (":1935/", ":\(port)/"), ("/tmp", "$PWD"), (".build/debug", "$PWD/app"),
                    ("$PWD", place.directory.string),
                ]
                return own.reduce(command) { $0.replacing($1.0, with: $1.1) }.split(separator: " ").map(String.init)
            }
            func start(_ beginning: String) throws -> RunningKinecast {
                let words = try words(beginning)
                return try RunningKinecast(
                    arguments: Array(words.dropFirst()), environment: environment, directory: place.directory,
                    executable: words[0].hasPrefix("/") ? words[0] : Tool.path(of: words[0]))
            }
            let packages = try words("sudo apt-get install ").dropFirst(3)
            _ = try Tool.output("dpkg", ["--status"] + packages)

            // The extension reads no library of the toolchain, which is the checkout's own here, and may be read.
            let executable = place.path(
                ".local/share/kinecast/services/\(HostEncodeExample.service).kinext/HostEncodeExtension")
            #expect(try !Tool.output("readelf", ["--dynamic", executable]).contains("libswift"))

            let server = try start("nginx ")
            try wait("the server to listen") { Loopback.connects(to: port) }
            let granted = try place.run(Array(words("kinecast permissions ").dropFirst()))
            #expect(granted.status == 0, "\(granted)")
            let app = try start(".build/debug/HostEncode ")
            try app.line("ready")
            let take = try place.start(Array(words("kinecast broadcast ").dropFirst()), ["DISPLAY=\(screen.name)"])
            try app.line("live")
            let address = try words("ffplay ").dropFirst()
            #expect(try Tool.output("ffprobe", ["-show_entries", "stream=codec_name"] + address).contains("h264"))
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
            app.signal(SIGTERM)
            #expect(try app.wait().status == 0)
            server.signal(SIGTERM)
            _ = try server.wait()
        }
    }

    @Test func `an app without an address says how it is used`() throws {
        try TestPlace.with { place in
            _ = try HostEncodeExample(in: place)
            let ended = try RunningKinecast(
                arguments: ["--window"], environment: place.environment, directory: place.directory,
                executable: place.path("app/HostEncode")
            ).wait()
            #expect(ended.status == 64 && ended.output.contains("usage: HostEncode RTMP-URL"), "\(ended)")
        }
    }
}
