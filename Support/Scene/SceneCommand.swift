// kinecast-scene: shows frames of known content, each with its number in it, at known instants.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

@main
struct SceneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-scene",
        abstract: "Draws a scene of known frames on the screen that DISPLAY or WAYLAND_DISPLAY names.",
        discussion: """
            Scenes: \(SceneKind.allCases.map(\.rawValue).joined(separator: ", ")).
            Prints `ready WINDOW` once the first frame is on the screen. Where both displays are named, X11's is drawn on. The scenes flash and metronome also play beeps.
            """)

    @Argument(help: "The scene's name.", transform: SceneCommand.kind)
    var scene: SceneKind

    @Option(help: "Frames a second of the scenes that move.")
    var fps = 30

    @Option(help: "End after this many frames.")
    var frames: Int?

    @Option(help: "End after this many seconds.")
    var seconds: Double?

    @Option(help: "The window's size, WIDTHxHEIGHT; the whole screen if not given.", transform: SceneCommand.pair("x"))
    var size: (Int, Int)?

    @Option(help: "The window's corner on the screen, X,Y.", transform: SceneCommand.pair(","))
    var at: (Int, Int) = (0, 0)

    @Option(help: "Write when each frame was on the screen to this file.")
    var log: String?

    @Flag(help: "flash: at irregular times rather than every second.")
    var random = false

    @Option(
        help: """
            flash: twice a second, and each beep is played by a stream of its own at once; so many milliseconds of latency, or 0 for the server's choice.
            """)
    var player: Int?

    @Option(help: "Also move the pointer so many times a second; X11 only.")
    var mouse: Int?

    @Flag(help: "flash, metronome: no audio.")
    var mute = false

    @Flag(help: "A window that a window manager may move and decorate.")
    var managed = false

    @Option(help: "Write the frame of this number to standard output as raw BGRA instead; needs no X server.")
    var render: Int?

    func validate() throws {
        if let mouse, !(1...10_000).contains(mouse) { throw ValidationError("--mouse must be from 1 to 10000.") }
        guard fps > 0, fps <= 1000 else { throw ValidationError("--fps must be from 1 to 1000.") }
        if let size, size.0 < Barcode.bounds.maxX || size.1 < Barcode.bounds.maxY || size.0 > 16384 || size.1 > 16384 {
            throw ValidationError("--size must be from \(Barcode.bounds.maxX)x\(Barcode.bounds.maxY) to 16384x16384.")
        }
    }

    func run() throws {
        if let render { return try write(frame: render) }
        if let player { return try play(latency: player == 0 ? nil : player) }
        let beeper = scene.hasAudio && !mute ? try Beeper() : nil
        beeper?.settle(deadline: MonotonicClock.now() + 5_000_000_000)
        let window = try openWindow()
        let painter = scene.make(size: window.canvas.size, framesPerSecond: fps, randomIntervals: random)
        let log = try FrameLog(path: log)

        painter.paint(0, on: window.canvas)
        let start = try window.show([.put(window.canvas.bounds)])
        log.add(frame: 0, shownAt: start, beepAt: nil)
        if let mouse { try MouseMover.start(perSecond: mouse) }
        print("ready \(window.id)")
        fflush(nil)

        var scheduled = 0
        var number = 1
        while number < frames ?? .max, let due = painter.instant(of: number), due < limit {
            // Beeps are announced a second ahead, for the audio server holds tens of milliseconds already.
            while let beeper, let ahead = painter.instant(of: scheduled), ahead < due + 1_000_000_000 {
                if painter.beeps(at: scheduled) { beeper.schedule(at: start + ahead) }
                scheduled += 1
            }
            FrameRhythm.sleep(until: start + due)
            let steps = painter.advance(to: number, on: window.canvas)
            let shown = try window.show(steps)
            log.add(frame: number, shownAt: shown, beepAt: painter.beeps(at: number) ? start + due : nil)
            number += 1
        }
        // Nothing more changes; the window stays until the time is over or somebody ends the process.
        if frames == nil { FrameRhythm.sleep(until: seconds == nil ? .max : start + limit) }
    }

    /// Each beep's stream is opened, its frame shown, and the beep given to the server.
    private func play(latency: Int?) throws {
        let player = try PlainPlayer(latency: latency)
        let window = try openWindow()
        let flashes = FlashScene(.half)
        let log = try FrameLog(path: log)
        flashes.paint(0, on: window.canvas)
        let start = try window.show([.put(window.canvas.bounds)])
        var number = 1
        while let due = flashes.instant(of: number), due < limit {
            FrameRhythm.sleep(until: start + due)
            let beeps = flashes.beeps(at: number)
            if beeps { try player.open() }
            let shown = try window.show(flashes.advance(to: number, on: window.canvas))
            let began = MonotonicClock.now()
            if beeps { player.play(nanoseconds: flashes.beepLength(at: number)) }
            log.add(frame: number, shownAt: shown, beepAt: beeps ? began : nil)
            number += 1
        }
        FrameRhythm.sleep(until: start + limit)
    }

    private func openWindow() throws -> any SceneSurface {
        let size = size.map { PixelSize(width: $0.0, height: $0.1) }
        let title = "kinecast-scene \(scene.rawValue)"
        let isWayland =
            (ProcessEnvironment.value("DISPLAY") ?? "").isEmpty
            && ProcessEnvironment.value("WAYLAND_DISPLAY")?.isEmpty == false
        guard !isWayland else { return try WaylandSceneWindow(size: size, title: title) }
        return try SceneWindow(size: size, at: at, title: title, managed: managed)
    }

    /// Nanoseconds after the first frame at which the scene ends.
    private var limit: Int64 { seconds.map { Int64($0 * 1e9) } ?? .max }

    private func write(frame: Int) throws {
        let buffer = OwnedCanvas(size: PixelSize(width: size?.0 ?? 1920, height: size?.1 ?? 1080))
        let painter = scene.make(size: buffer.canvas.size, framesPerSecond: fps, randomIntervals: random)
        painter.paint(frame, on: buffer.canvas)
        let bytes = UnsafeRawBufferPointer(start: buffer.canvas.pixels, count: buffer.canvas.size.area * 4)
        try FileDescriptor.standardOutput.writeAll(bytes)
    }

    @Sendable
    private static func kind(_ text: String) throws -> SceneKind {
        guard let kind = SceneKind(rawValue: text) else {
            throw ValidationError("There is no scene “\(text)”.")
        }
        return kind
    }

    private static func pair(_ separator: Character) -> @Sendable (String) throws -> (Int, Int) {
        { text in
            let parts = text.split(separator: separator).compactMap { Int($0) }
            guard parts.count == 2 else {
                throw ValidationError("“\(text)” is not two whole numbers with “\(separator)” between.")
            }
            return (parts[0], parts[1])
        }
    }
}

/// When each frame was on the screen, in a file that may be read while it grows: lines of `frame NUMBER NANOSECONDS`, CLOCK_MONOTONIC when
/// the server had finished drawing. A frame that a beep goes with has ` beep NANOSECONDS` behind it: when the beep was meant to be heard.
struct FrameLog {
    private let file: FileDescriptor?

    init(path: String?) throws {
        file = try path.map {
            try FileDescriptor.open(
                FilePath($0), .writeOnly, options: [.create, .truncate, .append], permissions: [.ownerReadWrite])
        }
    }

    func add(frame: Int, shownAt: Int64, beepAt: Int64?) {
        guard let file else { return }
        let line = "frame \(frame) \(shownAt)" + (beepAt.map { " beep \($0)" } ?? "") + "\n"
        // A log that cannot be written leaves a gap that its reader finds; the scene itself goes on.
        _ = try? file.writeAll(line.utf8)
    }
}
