// Examples/HostEncode for ten minutes: every frame that nobody counted as lost is at the server, in order, with its sound.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct HostEncodeEnduranceTests {
    /// Ten minutes in the first round of scripts/endurance, one in each other. KINECAST_HOSTENCODE_SECONDS=30 for a trial.
    private let seconds: Double =
        ProcessEnvironment.value("KINECAST_HOSTENCODE_SECONDS").flatMap { Double($0) }
        ?? (ProcessEnvironment.value("KINECAST_ROUND") ?? "1" == "1" ? 600 : 60)
    /// As wide as what the app encodes, so that nothing is scaled; its top is that of a macroblock.
    private let size = PixelSize(width: 540, height: 704)

    private struct Broadcast {
        /// The stream as the server has written it.
        var file: String
        var counts: [String: Int]
        /// How the take ended.
        var summary: RunningKinecast.Event
        /// The lines of the scene's log, in words.
        var shown: [[Substring]]
    }

    /// Broadcasts the scene from a private screen, 30 frames a second at most, until it has run for so long.
    private func broadcast(
        _ scene: [String], in place: TestPlace, _ server: MediaServer
    ) throws -> Broadcast {
        let example = try HostEncodeExample(in: place)
        let app = try example.startApp(publishingTo: server.address("show"))
        let log = place.path("log")
        let take = try place.start(
            ["broadcast", "--virtual", "\(size.width)x\(size.height)", "--fps", "30", "--json"]
                + ["--service", HostEncodeExample.service, "--", RunningKinecast.scene] + scene + ["--log", log])
        try app.line("live")
        let end = MonotonicClock.now() + Int64(seconds * 1e9)
        while MonotonicClock.now() < end { try app.line("frames: ") }
        try #require(try place.run("stop").status == 0)
        let ended = try take.wait()
        try app.line("disconnected")
        let counts = try HostEncodeExample.finish(app, at: server)
        return Broadcast(
            file: server.file("show"), counts: counts, summary: try #require(ended.events.last, "\(ended)"),
            shown: ProcFiles.read(log).split(separator: "\n").map { $0.split(separator: " ") })
    }

    @Test(.timeLimit(.minutes(60))) func `every number that is not counted as lost is at the server, in order`() throws
    {
        let server = try MediaServer(diesWithThread: false)
        try TestPlace.with { place in
            let result = try broadcast(["motion", "--fps", "30"], in: place, server)
            let video = try RecordedVideo(path: result.file)
            let top = (HostEncodeExample.height - size.height) / 2
            var numbers: [Int] = []
            var unread = 0
            try video.decode { _, luma in
                let pixels = luma.pixels[top * size.width..<(top + size.height) * size.width]
                if let number = Barcode.read(LumaFrame(size: size, pixels: Array(pixels))) {
                    numbers.append(number)
                } else {
                    unread += 1
                }
            }
            #expect(numbers == numbers.sorted())
            let first = try #require(numbers.first)
            let last = try #require(numbers.last)
            let missing = Set(first...last).subtracting(numbers)
            // A number that was followed by the next in less than a frame's pause was hidden by its own client, which the
            // machine had kept waiting; no recorder at that rate could have it.
            let instants = Dictionary(
                result.shown.compactMap { words in
                    words.count >= 3 ? Int(words[1]).flatMap { number in Int64(words[2]).map { (number, $0) } } : nil
                }, uniquingKeysWith: { first, _ in first })
            let hidden = missing.filter { number in
                guard let here = instants[number], let next = instants[number + 1] else { return false }
                return next - here < 25_000_000
            }
            let counted = ["lost", "skipped", "dropped"].reduce(result.summary.framesDropped ?? 0) {
                $0 + (result.counts[$1] ?? 0)
            }
            print(
                "\(numbers.count) numbers from \(first) to \(last), missing \(missing.count), hidden \(hidden.count), "
                    + "unread \(unread), dropped by the capture \(result.summary.framesDropped ?? 0), \(result.counts)")
            // The server has what the app has sent.
            #expect(video.frames.count == (result.counts["encoded"] ?? 0) - (result.counts["dropped"] ?? 0))
            Margin.atMost(0, Double(max(0, missing.count - hidden.count - counted)), "frames", "lost and not counted")
            Margin.atMost(seconds * 30 / 100, Double(counted), "frames", "lost and counted")
            Margin.atMost(seconds * 30 / 1000, Double(unread), "frames", "without a number that can be read")
            Margin.atLeast(seconds * 25, Double(numbers.count), "frames", "at the server")
        }
    }

    @Test(.timeLimit(.minutes(60))) func `video and sound are together at the server, and do not drift apart`() throws {
        let server = try MediaServer(diesWithThread: false)
        try TestPlace.with { place in
            let result = try broadcast(["flash", "--random"], in: place, server)
            // Lines of `frame NUMBER INSTANT beep INSTANT`, in nanoseconds.
            let errors = result.shown.compactMap { words -> Double? in
                guard words.count == 5, let shown = Int64(words[2]), let beep = Int64(words[4]) else { return nil }
                return Double(abs(shown - beep)) / 1e9
            }
            let found = try FlashAndBeep(path: result.file)
            let offsets = found.pairs.map(\.offset)
            print(
                "\(offsets.count) pairs from \(offsets.min() ?? 0) to \(offsets.max() ?? 0), alone: "
                    + "\(found.lonelyFlashes) and \(found.lonelyBeeps); the scene itself: \(errors.max() ?? 0)")
            Margin.atMost(
                25, ((offsets.map { abs($0) }.max() ?? 0) - (errors.max() ?? 0)) * 1000, "ms",
                "between a flash and its beep")
            Margin.atLeast(seconds / 1.7 - 4, Double(found.pairs.count), "pairs", "flashes with their beeps")
            Margin.atMost(3, Double(found.lonelyFlashes.count + found.lonelyBeeps.count), "marks", "alone")
        }
    }
}
