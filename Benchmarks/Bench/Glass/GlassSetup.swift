// Everything between the two panes: a screen with a scene, a broadcast of it, and a browser that watches.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

/// A broadcast and its viewer. Used by the main thread; `end` ends all of it.
final class GlassSetup {
    /// A numbered frame's first sight in the page.
    struct Sight {
        var number: Int
        /// Nanoseconds of CLOCK_MONOTONIC.
        var instant: Int64
    }

    let scene: SceneProcess
    private let display: PrivateDisplay
    private let source: PrivateAudio
    /// Where the browser plays: not where the broadcast listens.
    private let playback: PrivateAudio
    private let broadcast: HeldProcess
    private let browser: Browser
    private let folder: TemporaryDirectory
    private let link: String

    init(size: PixelSize, scene kind: SceneKind) throws {
        folder = try TemporaryDirectory()
        display = try PrivateDisplay(size: size)
        source = try PrivateAudio()
        playback = try PrivateAudio()
        let home = [
            "PATH=\(ProcessEnvironment.value("PATH") ?? "/usr/bin:/bin")", "HOME=\(folder.path)",
            "XDG_RUNTIME_DIR=\(folder.path)", "LC_ALL=C.UTF-8",
        ]
        scene = try SceneProcess(kind, environment: display.environment + source.environment)
        broadcast = try HeldProcess(
            "kinecast", ["broadcast", "--fps", "30"], environment: home + display.environment + source.environment)
        link = try broadcast.line(deadline: deadline(in: 30))
        browser = try Browser(
            arguments: ["--autoplay-policy=no-user-gesture-required"], environment: home + playback.environment)
    }

    func end() {
        browser.end()
        scene.end()
        broadcast.process.signal(SIGINT)
        _ = try? broadcast.finish(deadline: deadline(in: 10))
        display.end()
        source.end()
        playback.end()
    }

    /// Hears what the browser plays.
    func listen() throws -> BeepListener { try BeepListener(playback) }

    /// Opens the page and lets it settle.
    func watch(_ way: String, audible: Bool) throws {
        try browser.open(LiveLink(link)?.playing(way) ?? link)
        try expect(
            "begin to play by \(way)",
            "document.body.dataset.phase === 'live' && document.body.dataset.way === '\(way)'")
        // This browser needs no click, so the page turns its sound on by itself.
        try expect("turn its sound on", Self.soundIs(on: true))
        if !audible {
            try browser.click("#sound")
            try expect("turn its sound off", Self.soundIs(on: false))
        }
        // A viewer's first seconds are not measured: they catch up with the edge in them.
        usleep(4_000_000)
    }

    /// The button's label says what a press does.
    private static func soundIs(on isOn: Bool) -> String {
        "document.getElementById('sound').getAttribute('aria-label') === 'Turn the sound \(isOn ? "off" : "on")'"
    }

    /// Waits until a condition in the page is true.
    /// - Parameter action: completes "The live page did not …" in the error.
    private func expect(_ action: String, _ condition: String) throws {
        guard try !browser.wait(seconds: 60, until: "return \(condition)") else { return }
        let state: [String] = try browser.run(
            """
            const text = (id) => document.getElementById(id)?.textContent ?? "";
            return [document.body.dataset.phase ?? "missing", text("notice"), text("hint")];
            """)
        let texts = state.dropFirst().filter { !$0.isEmpty }.map { " It says: “\($0)”" }
        throw EngineTake.Failed(
            description: "The live page did not \(action) within a minute. Its phase is “\(state[0])”."
                + texts.joined())
    }

    /// The numbers that the page shows, each when it is first seen.
    func readNumbers(seconds: Double) throws -> [Sight] {
        let origin = try browserClock()
        let rows: [[Double]] = try browser.runUntilDone(GlassSetup.reader(seconds: seconds), seconds: seconds + 20)
        return rows.compactMap { row in
            guard row.count == 2, row[0] >= 0 else { return nil }
            return Sight(number: Int(row[0]), instant: origin + Int64(row[1] * 1e6))
        }
    }

    /// CLOCK_MONOTONIC at the zero of the page's `performance.now`, from the quickest of many questions.
    private func browserClock() throws -> Int64 {
        var best = (roundTrip: Int64.max, origin: Int64(0))
        for _ in 0..<40 {
            let asked = MonotonicClock.now()
            let now: Double = try browser.run("return performance.now()")
            let roundTrip = MonotonicClock.now() - asked
            if roundTrip < best.roundTrip { best = (roundTrip, asked + roundTrip / 2 - Int64(now * 1e6)) }
        }
        return best.origin
    }

    /// Reads the barcode (see `Barcode`) off what the page shows, before every repaint.
    private static func reader(seconds: Double) -> String {
        """
        const done = arguments[arguments.length - 1], end = performance.now() + \(seconds * 1000);
        const shown = document.getElementById(document.body.dataset.way === "mse" ? "video" : "canvas");
        const sheet = document.createElement("canvas");
        sheet.width = \(Barcode.bounds.maxX); sheet.height = \(Barcode.bounds.maxY);
        const paint = sheet.getContext("2d", { willReadFrequently: true });
        const read = () => {
            paint.drawImage(shown, 0, 0, sheet.width, sheet.height, 0, 0, sheet.width, sheet.height);
            const pixels = paint.getImageData(0, 0, sheet.width, sheet.height).data, levels = [];
            for (let index = 0; index < \(Barcode.columns * Barcode.rows); index += 1) {
                const left = \(Barcode.bounds.x) + index % \(Barcode.columns) * \(Barcode.cell);
                const top = \(Barcode.bounds.y) + Math.floor(index / \(Barcode.columns)) * \(Barcode.cell);
                let sum = 0;
                for (let y = 5; y < 11; y += 1)
                    for (let x = 5; x < 11; x += 1) sum += pixels[((top + y) * sheet.width + left + x) * 4 + 1];
                levels.push(sum / 36);
            }
            const [white, black] = levels;
            if (white - black < 60) return -1;
            const bit = (level) => ((level - black) / (white - black) > 0.5 ? 1 : 0);
            const bits = levels.slice(2).reduce((all, level) => all * 2 + bit(level), 0);
            const number = Math.floor(bits / 64);
            return (number * 37 + 11) % 61 === bits % 64 ? number : -1;
        };
        const rows = [];
        let last = -1;
        const look = () => {
            const number = read();
            if (number >= 0 && number !== last) { rows.push([number, performance.now()]); last = number; }
            if (performance.now() < end) requestAnimationFrame(look); else done(rows);
        };
        requestAnimationFrame(look);
        """
    }
}
