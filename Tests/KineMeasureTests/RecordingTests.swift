// What the benches measure of a recorder: its processes, its file, its frames.
import CoreTesting
import KineMeasure
import KineMedia
import Testing

/// One at a time: each has an X server, a recorder or a decoder at work.
@Suite(.serialized, .tags(.real, .margins)) struct RecordingTests {
    private static let size = PixelSize(width: 640, height: 480)

    @Test func `orphans of a measured command are counted and waited for`() throws {
        let account = try Tool.sibling("kinecast-account")
        // The shell leaves a session of its own behind, which counts for a while and ends.
        let script = "setsid sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done' & exit 0"
        let output = try Tool.output(account, ["--seconds", "1", "sh", "-c", script])
        var values: [Substring: Double] = [:]
        for line in output.split(separator: "\n") {
            let parts = line.split(separator: "=")
            if parts.count == 2 { values[parts[0]] = Double(parts[1]) }
        }
        #expect(try #require(values["processorSeconds"]) > 0.02)
        #expect(try #require(values["elapsedSeconds"]) >= #require(values["processorSeconds"]) * 0.9)
        #expect(try #require(values["peakResidentBytes"]) > 500_000)
        #expect(try #require(values["highWaterBytes"]) > 500_000)
    }

    @Test func `a scene on a private display is read back from a recording of it`() throws {
        let display = try PrivateDisplay(size: Self.size)
        defer { display.end() }
        let scene = try SceneProcess(.scroll, arguments: ["--fps", "20"], environment: display.environment)
        defer { scene.end() }
        let folder = try TemporaryDirectory()
        let path = folder.file("scroll.mp4")
        let cookie = display.environment.first { $0.hasPrefix("XAUTHORITY=") } ?? ""
        _ = try Tool.output(
            "env",
            [
                cookie, "ffmpeg", "-v", "error", "-f", "x11grab", "-framerate", "40", "-video_size", "640x480", "-t",
                "2", "-i", display.name, "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-c:v",
                "libx264", "-preset", "veryfast", "-crf", "30", path,
            ])
        let report = try FrameReport(path: path, scene: SceneKind.scroll.make(size: Self.size), samples: 8)
        #expect(report.unreadable == 0)
        #expect(report.distinct > 0)
        Margin.atLeast(30, Double(report.distinct), "frames", "in two seconds at 20 a second")
        #expect(report.drawn >= report.distinct)
        #expect(try #require(report.similarity) > 0.9)
        let log = try scene.log()
        #expect(log.first?.frame == 0)
        Margin.atLeast(31, Double(log.count), "frames", "drawn in two seconds at 20 a second")
    }

    @Test func `a scene flashes and beeps at once`() throws {
        let display = try PrivateDisplay(size: Self.size)
        defer { display.end() }
        let audio = try PrivateAudio()
        defer { audio.end() }
        let scene = try SceneProcess(.flash, environment: display.environment + audio.environment)
        defer { scene.end() }
        let folder = try TemporaryDirectory()
        let path = folder.file("flash.mp4")
        _ = try Tool.output(
            "env",
            display.environment + audio.environment + [
                "ffmpeg", "-v", "error", "-f", "pulse", "-fragment_size", "1920", "-t", "5", "-i",
                PrivateAudio.monitor, "-f", "x11grab", "-framerate", "60", "-video_size", "640x480", "-t", "5", "-i",
                display.name, "-map", "1:v", "-map", "0:a", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac",
                path,
            ])
        let result = try FlashAndBeep(path: path)
        Margin.atLeast(3, Double(result.pairs.count), "pairs", "of a flash and a beep in five seconds")
        // ffmpeg itself is up to 25 ms off on a quiet machine; the scene is within one.
        let worst = result.pairs.map { abs($0.offset) }.max() ?? 0
        Margin.atMost(80, worst * 1000, "ms", "between a flash and its beep, as ffmpeg records them")
        let beeps = try scene.log().filter { $0.beep != nil }
        Margin.atLeast(3, Double(beeps.count), "beeps", "in five seconds")
    }

    @Test func `a file with late audio is read as late`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("late.mp4")
        _ = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "color=black:s=320x240:r=50:d=4,drawbox=c=white:t=fill:enable='gte(t,1)*lt(mod(t,1),0.1)'", "-f",
                "lavfi", "-i",
                "aevalsrc='if(gte(t,1.04)*lt(mod(t-0.04,1),0.1),0.5*sin(2000*PI*t),0)':s=48000:d=4", "-c:v",
                "libx264", "-c:a", "aac", path,
            ])
        let result = try FlashAndBeep(path: path)
        #expect(result.pairs.count == 3)
        for pair in result.pairs { #expect(abs(pair.offset - 0.04) < 0.003) }
    }
}
