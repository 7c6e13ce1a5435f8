// Video and audio of a private screen: a flash and the beep that belongs to it, read back from the finished file.
import AudioTesting
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct SyncTests {
    /// How far a beep may be from its flash, beyond what the scene itself kept them apart.
    private func judge(_ result: FlashAndBeep, _ sceneError: Double) {
        let worst = result.pairs.map { abs($0.offset) }.max() ?? 0
        Margin.atMost(25, (worst - sceneError) * 1000, "ms", "between a flash and its beep")
    }

    /// Records the scene flash on a private screen while `body` does what it likes, then ends the take. Also returns by how
    /// many seconds the scene itself drew a flash too late for its beep at worst: a busy machine keeps it waiting.
    private func recording(
        in place: TestPlace, _ body: (RunningKinecast) throws -> Void
    ) throws -> (result: FlashAndBeep, sceneError: Double) {
        let take = try place.start(
            "record", "a.mp4", "--virtual", "640x480", "--json", "--", RunningKinecast.scene, "flash",
            "--random", "--log", place.path("log"))
        try take.event("progress")
        try body(take)
        try #require(try place.run("stop").status == 0)
        let ended = try take.wait()
        try #require(ended.status == 0, "\(ended)")
        // Lines of `frame NUMBER INSTANT beep INSTANT`, in nanoseconds.
        let errors = ProcFiles.read(place.path("log")).split(separator: "\n").compactMap { line -> Double? in
            let words = line.split(separator: " ")
            guard words.count == 5, let shown = Int64(words[2]), let beep = Int64(words[4]) else { return nil }
            return Double(abs(shown - beep)) / 1e9
        }
        return (try FlashAndBeep(path: place.path("a.mp4")), errors.max() ?? 0)
    }

    private func wait(_ seconds: Double) {
        _ = WakeSignal.poll([], until: MonotonicClock.now() + Int64(seconds * 1e9))
    }

    private func describe(_ result: FlashAndBeep) -> String {
        let offsets = result.pairs.map(\.offset)
        let mean = offsets.reduce(0, +) / Double(max(1, offsets.count))
        return "\(offsets.count) pairs, audio later by \(mean) s on average, from \(offsets.min() ?? 0) to "
            + "\(offsets.max() ?? 0); alone: \(result.lonelyFlashes) and \(result.lonelyBeeps)"
    }

    @Test func `video and audio are together from the start, and still after twenty pauses`() throws {
        var numbers = SeededGenerator()
        try TestPlace.with { place in
            let (result, sceneError) = try recording(in: place) { _ in
                wait(4)
                for _ in 0..<20 {
                    wait(Double.random(in: 0.05...0.7, using: &numbers))
                    try #require(try place.run("pause").status == 0)
                    wait(Double.random(in: 0.02...0.4, using: &numbers))
                    try #require(try place.run("resume").status == 0)
                }
                wait(4)
            }
            print("\(describe(result)); the scene itself: \(sceneError)")
            judge(result, sceneError)
            Margin.atLeast(8, Double(result.pairs.count), "pairs", "flashes with their beeps")
            // The last seconds were not interrupted: every flash there has its beep.
            let end = try RecordedVideo(path: place.path("a.mp4")).duration
            let pairs = result.pairs.count { $0.flash > end - 3.5 }
            Margin.atLeast(2, Double(pairs), "pairs", "in the last seconds")
            let lonely = result.lonelyFlashes.count { $0 > end - 3.5 && $0 < end - 0.3 }
            Margin.atMost(0, Double(lonely), "flashes", "without a beep in the last seconds")
        }
    }

    /// Ten minutes: KINECAST_SYNC_SECONDS=600. The ordinary run takes twelve seconds.
    @Test func `video and audio do not drift apart`() throws {
        let seconds = ProcessEnvironment.value("KINECAST_SYNC_SECONDS").flatMap { Double($0) } ?? 12
        try TestPlace.with { place in
            let (result, sceneError) = try recording(in: place) { _ in wait(seconds) }
            print("\(seconds) s: \(describe(result)); the scene itself: \(sceneError)")
            for minute in 0..<Int(seconds / 60) {
                let offsets = result.pairs.filter { Int($0.flash / 60) == minute }.map(\.offset)
                print("minute \(minute): from \(offsets.min() ?? 0) to \(offsets.max() ?? 0)")
            }
            judge(result, sceneError)
            Margin.atLeast(seconds / 1.7 - 3, Double(result.pairs.count), "pairs", "flashes with their beeps")
            Margin.atMost(2, Double(result.lonelyFlashes.count + result.lonelyBeeps.count), "marks", "alone")
        }
    }

    /// The output that a command plays to.
    enum Output: String, CaseIterable, Sendable {
        case pulseAudio = "PulseAudio's"
        case pipeWire = "PipeWire's"
        /// A null sink on the person's own server.
        case own = "a person's"
    }

    /// Each beep is a stream of its own, as of a program that begins to play.
    @Test(arguments: Output.allCases, ["record", "broadcast"])
    func `whatever a command plays from its first instant is in the file, whole, with its picture`(
        output: Output, command: String
    ) throws {
        for latency in [20, 200, 0] {
            let asked = latency == 0 ? "the default latency" : "\(latency) ms"
            let what = "\(output.rawValue) output, \(command), \(asked)"
            let (played, heard, monitored, video) = try beeps(to: output, by: command, latency: latency)
            let pairs = played.compactMap { beep in
                heard.min { abs($0.lowerBound - beep.start) < abs($1.lowerBound - beep.start) }.map { (beep, $0) }
            }
            func worst(_ distances: [Double]) -> Double { (distances.map(abs).max() ?? 0) * 1000 }
            if output == .own {
                // A null sink of another's does not tell how far ahead it renders. What parec hears is the measure.
                Margin.atLeast(Double(played.count), Double(monitored.count), "beeps", "heard by parec, \(what)")
                // Its clock begins at an instant that it does not tell.
                let distances = zip(heard, monitored).map { $0.lowerBound - $1.lowerBound }.sorted()
                let spread = (distances.last ?? 0) - (distances.first ?? 0)
                Margin.atMost(20, spread * 1000, "ms", "from parec's beeps, \(what)")
            } else {
                Margin.atMost(20, worst(pairs.map { $1.lowerBound - $0.start }), "ms", "from picture to beep, \(what)")
            }
            print("\(what): \(pairs.map { Int((($1.lowerBound - $0.start) * 1000).rounded()) }) ms")
            Margin.atLeast(Double(played.count), Double(heard.count), "beeps", "heard, \(what)")
            Margin.atMost(
                20, worst(pairs.map { $1.upperBound - $1.lowerBound - $0.length }), "ms", "a beep's length, \(what)")
            #expect(video == played.count)
        }
    }

    /// The beeps as the scene began them and as the file has them, in seconds of the file, and the number of flashes in it; for a
    /// person's output, the beeps as parec heard them in the same run, too.
    private func beeps(
        to output: Output, by command: String, latency: Int
    ) throws -> (
        played: [(start: Double, length: Double)], heard: [Range<Double>], monitored: [Range<Double>], flashes: Int
    ) {
        let server = output == .own ? try TestAudioServer() : nil
        let screen = output == .own ? try PrivateScreen(size: PixelSize(width: 640, height: 480)) : nil
        defer { server?.end() }
        var played: [(start: Double, length: Double)] = []
        var heard: [Range<Double>] = []
        var monitored: [Range<Double>] = []
        var shown = 0
        try TestPlace.with { place in
            let monitor = try server.map { try Self.listen(to: $0, writing: place.path("monitor")) }
            let source =
                switch output {
                case .pulseAudio: ["--virtual", "640x480"]
                case .pipeWire: ["--virtual", "wayland:640x480"]
                case .own: [String]()
                }
            let file = command == "record" ? ["record", "a.mp4"] : ["broadcast", "--record", "a.mp4"]
            let ended = try place.run(
                file + source + [
                    "--fps", "60", "--", RunningKinecast.scene, "flash", "--player", "\(latency)", "--seconds", "3.5",
                    "--log", place.path("log"),
                ],
                (screen.map { ["DISPLAY=\($0.name)"] } ?? []) + (server.map { ["PULSE_SERVER=\($0.address)"] } ?? []))
            try #require(ended.status == 0, "\(ended)")
            if let monitor {
                _ = monitor.end(deadline: MonotonicClock.now() + Tool.timeout)
                let samples = try Tool.contents(of: place.path("monitor")).withUnsafeBytes {
                    Array($0.bindMemory(to: Float.self))
                }
                monitored = FlashAndBeep.tones(in: samples, rate: RecordedAudio.rate)
            }
            let path = place.path("a.mp4")
            heard = FlashAndBeep.tones(in: try RecordedAudio(path: path).samples, rate: RecordedAudio.rate)
            let flashes = try FlashAndBeep(path: path).flashes
            shown = flashes.count
            // Lines of `frame NUMBER INSTANT beep INSTANT`, in nanoseconds. A flash is in the file when it was shown.
            let scene = FlashScene(.half)
            let lines = ProcFiles.read(place.path("log")).split(separator: "\n").map { $0.split(separator: " ") }
            let beeps = lines.filter { $0.count == 5 }
            for (words, flash) in zip(beeps, flashes) {
                let late = ((Double(words[4]) ?? 0) - (Double(words[2]) ?? 0)) / 1e9
                let length = scene.beepLength(at: Int(words[1]) ?? 0)
                played.append((flash + late, Double(length) / 1e9))
            }
            #expect(beeps.count == 7 && flashes.count == 7)
        }
        return (played, heard, monitored, shown)
    }

    /// Records the server's output with the latency of a tool that wants it small.
    private static func listen(to server: TestAudioServer, writing path: String) throws -> ChildProcess {
        try ChildProcess(
            executable: Tool.path(of: "parec"),
            arguments: [
                "--server=\(server.address)", "--device=kinecast.monitor", "--latency-msec=10", "--raw",
                "--format=float32le", "--rate=\(RecordedAudio.rate)", "--channels=1", path,
            ], environment: ProcessEnvironment.current)
    }
}
