// Glass to glass: from a picture on a screen to the same picture in a browser that watches it, and how far apart picture
// and sound are there.
import ArgumentParser
import KineMeasure
import KineMedia
import KinePlatform

struct GlassCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "glass", abstract: "Measures the delay from the screen to a browser on this machine.",
        discussion: """
            An X client draws numbered pictures, 1280×720 at 30 frames a second, and logs when each was on the screen.
            `kinecast broadcast` serves them, Chromium plays the page, and a script in it reads the numbers back before each
            repaint. Then a client flashes and beeps: flashes are seen in the page, beeps heard at the browser's own sound
            server.
            """)

    @Option(help: "Seconds of each measurement.")
    var seconds = 60.0

    @Option(help: "webcodecs or mse; both if not given.")
    var way: [String] = []

    @Flag(inversion: .prefixedNo, help: "Measure sound against picture.")
    var sound = true

    private static let size = PixelSize(width: 1280, height: 720)
    /// Milliseconds at the 95th percentile.
    private static let bars = ["webcodecs": 150.0, "mse": 300.0]
    private static let syncBar = 60.0

    func run() throws {
        print(Machine.description(command: CommandLine.arguments.dropFirst().joined(separator: " ")))
        print("\n| way | sound | pictures | p50 ms | p95 ms | most ms | bar p95 | |\n|---|---|--:|--:|--:|--:|--:|---|")
        let ways = way.isEmpty ? ["webcodecs", "mse"] : way
        for way in ways {
            for audible in sound ? [false, true] : [false] {
                let delays = try measureDelays(way, audible: audible).sorted()
                guard !delays.isEmpty else {
                    throw EngineTake.Failed(description: "The page showed no picture by \(way).")
                }
                let p95 = delays[delays.count * 95 / 100]
                let bar = GlassCommand.bars[way] ?? 0
                print(
                    "| \(way) | \(audible ? "on" : "off") | \(delays.count) | \(fixed(delays[delays.count / 2], 0)) "
                        + "| \(fixed(p95, 0)) | \(fixed(delays[delays.count - 1], 0)) | \(fixed(bar, 0)) "
                        + "| \(p95 <= bar ? "kept" : "missed") |")
            }
        }
        guard sound else { return }
        print("\n| way | flashes with a beep | sound behind picture, p50 ms | farthest ms | bar | |")
        print("|---|--:|--:|--:|--:|---|")
        for way in ways {
            let offsets = try measureSync(way).map { $0 * 1000 }.sorted()
            guard !offsets.isEmpty else {
                throw EngineTake.Failed(description: "The page beeped at no flash by \(way).")
            }
            // One in twenty may be a hiccup of a machine that does everything at once.
            let farthest = offsets.map { abs($0) }.sorted()[offsets.count * 95 / 100]
            print(
                "| \(way) | \(offsets.count) | \(fixed(offsets[offsets.count / 2], 0)) | \(fixed(farthest, 0)) "
                    + "| ±\(fixed(GlassCommand.syncBar, 0)) | \(farthest <= GlassCommand.syncBar ? "kept" : "missed") |"
            )
        }
    }

    /// Milliseconds from each picture's drawing to its first sight in the page.
    private func measureDelays(_ way: String, audible: Bool) throws -> [Double] {
        let stage = try GlassStage(size: GlassCommand.size, scene: .motion)
        defer { stage.end() }
        try stage.watch(way, audible: audible)
        let seen = try stage.readNumbers(seconds: seconds)
        var drawn: [Int: Int64] = [:]
        for shown in try stage.scene.log() { drawn[shown.frame] = shown.instant }
        return seen.compactMap { sight in drawn[sight.number].map { Double(sight.instant - $0) / 1e6 } }
    }

    /// Seconds from each flash in the page to the beep that is heard with it.
    private func measureSync(_ way: String) throws -> [Double] {
        let stage = try GlassStage(size: GlassCommand.size, scene: .flash)
        defer { stage.end() }
        let listener = try stage.listen()
        defer { listener.stop() }
        try stage.watch(way, audible: true)
        let flashes = try stage.readNumbers(seconds: seconds).filter { $0.number % 2 == 1 }.map {
            Double($0.instant) / 1e9
        }
        return FlashAndBeep(flashes: flashes, beeps: listener.beeps.map { Double($0) / 1e9 }).pairs.map(\.offset)
    }
}
