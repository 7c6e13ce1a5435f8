// Glass to glass: from a frame on a screen to the same frame in a browser that watches it, and how far apart frame
// and audio are there.
import ArgumentParser
import KineMeasure
import KineMedia

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
        let setup = try GlassSetup(size: Self.size, scene: .metronome)
        defer { setup.end() }
        let listener = audio ? try setup.listen() : nil
        defer { listener?.stop() }
        var results: [(way: String, delays: GlassDelays)] = []
        for way in way.isEmpty ? ["webcodecs", "mse"] : way {
            try setup.watch(way, audible: audio)
            let sights = try setup.readNumbers(seconds: seconds)
            results.append((way, GlassDelays(drawn: try setup.scene.log(), seen: sights, beeps: listener?.beeps ?? [])))
        }
        try report(results)
    }

    private func report(_ results: [(way: String, delays: GlassDelays)]) throws {
        let rows = try results.map { way, delays in
            guard let p95 = delays.frames.percentile(95), let bar = Self.bars[way] else {
                throw EngineTake.Failed(description: "The page showed no frame by \(way).")
            }
            return [
                way, audio ? "on" : "off", "\(delays.frames.count)", shown(delays.frames, 50), fixed(p95, 0),
                shown(delays.frames, 100), fixed(bar, 0), Verdict.mark(p95 <= bar),
            ]
        }
        print("\n" + Tables.table("way | audio | >frames | >p50 ms | >p95 ms | >most ms | >bar p95 |", rows))
        guard audio else { return }
        let columns = """
            way | >beeps heard | >of | >audio's delay p50 ms | >p95 ms | >audio behind video, p5 ms | >p50 ms | >p95 ms | \
            >p95 of the distance | >bar |
            """
        let offsets = try results.map { way, delays in
            guard let distance = delays.offsets.map({ abs($0) }).percentile(95) else {
                throw EngineTake.Failed(description: "No beep was heard by \(way).")
            }
            var cells = [way, "\(delays.audio.count)", "\(delays.beepCount)"]
            cells += [50, 95].map { shown(delays.audio, $0) } + [5, 50, 95].map { shown(delays.offsets, $0) }
            return cells + [fixed(distance, 0), fixed(Self.syncBar, 0), Verdict.mark(distance <= Self.syncBar)]
        }
        print("\n" + Tables.table(columns, offsets))
    }

    private func shown(_ values: [Double], _ percent: Int) -> String {
        values.percentile(percent).map { fixed($0, 0) } ?? "–"
    }
}

extension [Double] {
    /// The value that `percent` of a hundred do not exceed; nil where there are none.
    func percentile(_ percent: Int) -> Double? { isEmpty ? nil : sorted()[Swift.min(count - 1, count * percent / 100)] }
}

/// The delays of one way of playing, in milliseconds.
struct GlassDelays {
    /// From each frame's drawing to its first sight.
    var frames: [Double] = []
    /// From each beep at the source to the same beep at the viewer's.
    var audio: [Double] = []
    /// By how much each beep came later than the frame it belongs to, both counted from the source. Negative: earlier.
    var offsets: [Double] = []
    /// The number of beeps whose frames were seen, without the last.
    var beepCount = 0

    /// A beep is not taken for one of a second before or after it.
    private static let reach: Int64 = 900_000_000

    /// All instants are nanoseconds of CLOCK_MONOTONIC.
    /// - Parameters:
    ///   - drawn: the scene's log.
    ///   - seen: frames in the order in which they were first seen.
    ///   - beeps: the time at which the listener found each beep, in nanoseconds.
    init(drawn: [SceneProcess.Shown], seen: [GlassSetup.Sight], beeps: [Int64]) {
        var instants: [Int: Int64] = [:]
        for shown in drawn { instants[shown.frame] = shown.instant }
        let sights = seen.compactMap { sight in
            instants[sight.number].map { (number: sight.number, at: sight.instant, delay: sight.instant - $0) }
        }
        frames = sights.map { Double($0.delay) / 1e6 }
        guard let first = sights.first, let last = sights.last else { return }
        for shown in drawn where shown.frame > first.number {
            // In place of a frame that it left out, the page shows the next one.
            guard let beep = shown.beep, beep + Self.reach < last.at,
                let sight = sights.first(where: { $0.number >= shown.frame })
            else { continue }
            beepCount += 1
            // An audio that is early, by a clock that is read a little wrong, is still that audio.
            guard let at = beeps.first(where: { $0 > beep - 50_000_000 && $0 < beep + Self.reach }) else { continue }
            audio.append(Double(at - beep) / 1e6)
            offsets.append(Double(at - beep - sight.delay) / 1e6)
        }
    }
}
