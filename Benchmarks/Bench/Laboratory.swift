// Measures one program at a time, on a private screen and a private audio server.
import Glibc
import KineCapture
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

/// The recording that every recorder makes.
struct Take: Hashable {
    var scene: SceneKind
    var framesPerSecond = 30
    var seconds: Double
    /// The system's audio is recorded too; it is silent.
    var audio = false
    var size = PixelSize(width: 1920, height: 1080)
    /// A program and its arguments that draw in place of the scene.
    var program: [String]?
    /// Moves of the pointer in a second; nil: it stands still.
    var mouse: Int?
    /// The place of an idle scene's window, above the measured scene; nil: there is none.
    var bar: PixelRect?

    var title: String { scene.rawValue + (audio ? " with silent audio" : "") }
}

/// What one recording cost and kept.
struct Outcome {
    var cost = ProcessCost()
    /// Seconds on a processor that the screen's server needed beyond what the scene alone makes it need.
    var displaySeconds = 0.0
    /// The same of the audio server.
    var audioSeconds = 0.0
    var bytes = 0
    var frame = FrameReport()

    /// The CPU time of the recorder's processes and the screen's increase. The audio server's increase is not in it.
    var seconds: Double { cost.processorSeconds + displaySeconds }
    var peak: Double { Double(cost.peakResidentBytes) }
}

extension [Outcome] {
    /// CPU s, + screen s, CPU %, peak MiB, bytes.
    var cells: [String] {
        [
            fixed(middle { $0.cost.processorSeconds }, 3), fixed(middle { $0.displaySeconds }, 3),
            fixed(middle { $0.seconds / $0.cost.elapsedSeconds * 100 }, 1), mebibytes(Int(middle(\.peak))),
            fixed(middle { Double($0.bytes) }, 0),
        ]
    }

    var similarity: Double { median(compactMap(\.frame.similarity)) }
}

/// Runs scenes and recorders. Used by the main thread only: the servers die with the thread that started them.
final class Laboratory {
    /// The server of the screen, and how to end it.
    private let screen: (process: Int32, environment: [String], end: () -> Void)
    private let audio: PrivateAudio?
    private let folder: TemporaryDirectory
    private var baselines: [Take: Load] = [:]
    /// The X screen's name, for programs that take it as an argument.
    let displayName: String
    /// The path of a recorder's file.
    var output: String { folder.file("take.mp4") }

    /// Seconds on a processor for each second of the clock.
    private struct Load {
        var display = 0.0
        var audio = 0.0
    }

    init(size: PixelSize = PixelSize(width: 1920, height: 1080), withAudio: Bool = false) throws {
        folder = try TemporaryDirectory()
        let display = try PrivateDisplay(size: size)
        displayName = display.name
        screen = (display.process.pid, display.environment, { display.end() })
        audio = withAudio ? try PrivateAudio() : nil
    }

    /// A compositor that draws in memory.
    init(waylandSize size: PixelSize) throws {
        folder = try TemporaryDirectory()
        let before = Set(ProcFiles.children(of: getpid()))
        let session = try VirtualSession(.wayland, size: size, directory: folder.path, withAudio: false)
        let started = ProcFiles.children(of: getpid()).filter { !before.contains($0) }
        guard let compositor = started.first(where: { ProcFiles.name(of: $0) == "sway" }) else {
            throw Tool.Error.failed(name: "sway", ending: .unknown, complaint: "It is no child of this process.")
        }
        (displayName, audio) = ("", nil)
        screen = (compositor, session.environment, { session.end() })
    }

    func close() {
        screen.end()
        audio?.end()
    }

    /// Runs a program while the scene of `take` is shown, and keeps its account and the servers'.
    /// - Parameters:
    ///   - examines: what the program has written is compared with the scene.
    ///   - mayFail: neither its status nor its file need be right.
    func observe(
        _ take: Take, _ executable: String, _ arguments: [String], examines: Bool = false, mayFail: Bool = false
    ) throws -> Outcome {
        let baseline = try baseline(of: take)
        let shown = try show(take)
        defer { for process in shown { _ = process.end(deadline: deadline(in: 2)) } }
        unlink(output)
        let log = try FileDescriptor.open(
            FilePath(folder.file("log")), .readWrite, options: [.create, .truncate], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        let before = load()
        let start = MonotonicClock.now()
        var outcome = Outcome()
        outcome.cost = try MeasuredProcess.run(
            executable, arguments, environment: environment(for: take), output: log, expectedSeconds: take.seconds)
        let elapsed = Double(MonotonicClock.now() - start) / 1e9
        let after = load()
        outcome.displaySeconds = max(0, after.display - before.display - baseline.display * elapsed)
        outcome.audioSeconds = max(0, after.audio - before.audio - baseline.audio * elapsed)
        var status = stat()
        let isWritten = stat(output, &status) == 0
        if isWritten { outcome.bytes = Int(status.st_size) }
        guard mayFail || outcome.cost.ending == .exited(status: 0) && (isWritten || !examines) else {
            throw Tool.Error.failed(
                name: executable, ending: outcome.cost.ending, complaint: ProcFiles.end(of: folder.file("log")))
        }
        if examines, isWritten {
            let truth = take.scene.make(size: take.size, framesPerSecond: take.framesPerSecond)
            do {
                outcome.frame = try FrameReport(path: output, scene: truth)
            } catch {
                if !mayFail { throw error }
            }
        }
        return outcome
    }

    /// What the servers need for the scene while nobody records it; measured once for each take.
    private func baseline(of take: Take) throws -> Load {
        var key = take
        key.seconds = 0
        if let known = baselines[key] { return known }
        let shown = try show(take)
        defer { for process in shown { _ = process.end(deadline: deadline(in: 2)) } }
        usleep(2_000_000)  // what is shown has just begun
        let before = load()
        let start = MonotonicClock.now()
        usleep(4_000_000)  // this is the measurement's length, not a wait for something
        let after = load()
        let elapsed = Double(MonotonicClock.now() - start) / 1e9
        let result = Load(
            display: (after.display - before.display) / elapsed, audio: (after.audio - before.audio) / elapsed)
        baselines[key] = result
        return result
    }

    /// The processes that draw what is recorded.
    private func show(_ take: Take) throws -> [ChildProcess] {
        let environment = environment(for: take)
        if let program = take.program {
            var options = ChildProcess.Options()
            options.parentDeathSignal = SIGTERM
            options.descriptors = [nil, nil, nil]
            return [
                try ChildProcess(
                    executable: try Tool.path(of: program[0]), arguments: Array(program.dropFirst()),
                    environment: environment, options: options)
            ]
        }
        var shown = [
            try SceneProcess(
                take.scene,
                arguments: ["--fps", "\(take.framesPerSecond)"] + (take.mouse.map { ["--mouse", "\($0)"] } ?? []),
                environment: environment
            ).process
        ]
        if let bar = take.bar {
            let place = ["--size", "\(bar.width)x\(bar.height)", "--at", "\(bar.x),\(bar.y)"]
            shown.append(try SceneProcess(.idle, arguments: place, environment: environment).process)
        }
        return shown
    }

    /// Seconds on a processor that both servers have had so far.
    private func load() -> Load {
        func seconds(_ process: Int32?) -> Double {
            Double(process.flatMap { ProcFiles.processorNanoseconds(of: $0) } ?? 0) / 1e9
        }
        return Load(display: seconds(screen.process), audio: seconds(audio?.process.pid))
    }

    private func environment(for take: Take) -> [String] {
        ProcessEnvironment.secluded(in: folder) + screen.environment + (take.audio ? audio?.environment ?? [] : [])
    }
}

extension ProcFiles {
    /// The last lines of a log.
    static func end(of path: String) -> String {
        read(path).split(separator: "\n").suffix(4).joined(separator: " | ")
    }
}

extension ProcessEnvironment {
    /// This process's, but for what leads to the machine's own screen, audio and services.
    static func secluded(in folder: TemporaryDirectory) -> [String] {
        let hidden = ["DISPLAY=", "XAUTHORITY=", "WAYLAND_DISPLAY=", "PULSE_", "XDG_"]
        return current.filter { entry in !hidden.contains { entry.hasPrefix($0) } } + ["XDG_RUNTIME_DIR=\(folder.path)"]
    }
}
