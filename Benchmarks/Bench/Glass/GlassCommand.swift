// Glass to glass: from a frame on a screen to the same frame in a browser that watches it, and how far apart frame
// and audio are there.
import ArgumentParser
import KineMeasure
import KineMedia
import KinePlatform

struct GlassCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "glass", abstract: "Measures the delay from the screen to a browser on this machine.",
        discussion: """
            An X client draws numbered pictures, 1280×720 at 30 frames a second, begins a beep with the first of each second,
            and logs when each was on the screen and when each beep was to be heard. `kinecast broadcast` serves them,
            Chromium plays the page in one way and then in the other, and a script in it reads the numbers back before each
            repaint. Beeps are heard at the sound server that the browser plays to.
            """)

    @Option(help: "Seconds of each measurement.")
    var seconds = 60.0

    @Option(help: "webcodecs or mse; both if not given.")
    var way: [String] = []

    @Flag(inversion: .prefixedNo, help: "Switch the page's audio on, and measure it against the video.")
    var audio = true

    private static let size = PixelSize(width: 1280, height: 720)
    /// Milliseconds at the 95th percentile.
    private static let bars = ["webcodecs": 150.0, "mse": 300.0]
    private static let syncBar = 60.0

    func validate() throws {
        guard seconds >= 5 else { throw ValidationError("--seconds must be at least 5.") }
        if let stranger = way.first(where: { Self.bars[$0] == nil }) {
            throw ValidationError("There is no way “\(stranger)”: choose webcodecs or mse.")
        }
    }

    func run() throws {
        print(Machine.description())
        let stage = try GlassStage(size: Self.size, scene: .metronome)
        defer { stage.end() }
        let listener = audio ? try stage.listen() : nil
        defer { listener?.stop() }
        var results: [(way: String, delays: GlassDelays)] = []
        for way in way.isEmpty ? ["webcodecs", "mse"] : way {
            try stage.watch(way, audible: audio)
            let sights = try stage.readNumbers(seconds: seconds)
            results.append((way, GlassDelays(drawn: try stage.scene.log(), seen: sights, heard: listener?.beeps ?? [])))
        }
        try report(results)
    }

    private func report(_ results: [(way: String, delays: GlassDelays)]) throws {
        print("\n| way | audio | frames | p50 ms | p95 ms | most ms | bar p95 | |\n|---|---|--:|--:|--:|--:|--:|---|")
        for (way, delays) in results {
            guard let p95 = delays.frames.percentile(95), let bar = Self.bars[way] else {
                throw EngineTake.Failed(description: "The page showed no frame by \(way).")
            }
            print(
                "| \(way) | \(audio ? "on" : "off") | \(delays.frames.count) | \(shown(delays.frames, 50)) "
                    + "| \(fixed(p95, 0)) | \(shown(delays.frames, 100)) | \(fixed(bar, 0)) "
                    + "| \(p95 <= bar ? "kept" : "missed") |")
        }
        guard audio else { return }
        print(
            """

            | way | beeps heard | of | sound's delay p50 ms | p95 ms | sound behind picture, p5 ms | p50 ms | p95 ms \
            | p95 of the distance | bar | |
            |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
            """)
        for (way, delays) in results {
            guard let distance = delays.offsets.map({ abs($0) }).percentile(95) else {
                throw EngineTake.Failed(description: "No beep was heard by \(way).")
            }
            print(
                "| \(way) | \(delays.audio.count) | \(delays.beepCount) | \(shown(delays.audio, 50)) "
                    + "| \(shown(delays.audio, 95)) | \(shown(delays.offsets, 5)) | \(shown(delays.offsets, 50)) "
                    + "| \(shown(delays.offsets, 95)) | \(fixed(distance, 0)) | \(fixed(Self.syncBar, 0)) "
                    + "| \(distance <= Self.syncBar ? "kept" : "missed") |")
        }
    }

    private func shown(_ values: [Double], _ percent: Int) -> String {
        values.percentile(percent).map { fixed($0, 0) } ?? "–"
    }
}

extension [Double] {
    /// The value that `percent` of a hundred do not exceed; nil where there are none.
    func percentile(_ percent: Int) -> Double? { isEmpty ? nil : sorted()[Swift.min(count - 1, count * percent / 100)] }
}
