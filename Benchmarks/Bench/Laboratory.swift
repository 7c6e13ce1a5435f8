// Measures one recorder at a time, on a private screen and a private audio server.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

/// What one recording cost and kept.
struct Outcome {
    var cost = ProcessCost()
    /// Seconds on a processor that the X server needed beyond what the scene alone makes it need.
    var displaySeconds = 0.0
    /// The same of the audio server; nil in runs without audio.
    var audioSeconds: Double?
    var bytes = 0
    var frame = FrameReport()

    /// The CPU time of the recorder's processes and the X server's increase. The audio server's increase is not in it.
    var seconds: Double { cost.processorSeconds + displaySeconds }
}

/// Runs scenes and recorders. Used by the main thread only: the servers die with the thread that started them.
final class Laboratory {
    struct RecorderFailed: Swift.Error, CustomStringConvertible {
        let recorder: String
        let ending: ChildProcess.Ending
        let printed: String

        var description: String {
            "\(recorder) ended with \(ending) in place of a recording: \(printed.isEmpty ? "it printed nothing." : printed)"
        }
    }

    private let display: PrivateDisplay
    private let audio: PrivateAudio?
    private let folder: TemporaryDirectory
    private var baselines: [Take: Load] = [:]

    /// Seconds on a processor for each second of the clock.
    private struct Load {
        var display = 0.0
        var audio = 0.0
    }

    init(size: PixelSize, withAudio: Bool) throws {
        folder = try TemporaryDirectory()
        display = try PrivateDisplay(size: size)
        audio = withAudio ? try PrivateAudio() : nil
    }

    func close() {
        display.end()
        audio?.end()
    }

    /// Records `take` once and examines the file.
    func record(_ take: Take, with recorder: Recorder) throws -> Outcome {
        let output = folder.file("take.mp4")
        unlink(output)
        let (executable, arguments) = try recorder.command(take, display: display.name, output: output)
        var outcome = try observe(take, named: recorder.name, executable, arguments)
        var status = stat()
        guard stat(output, &status) == 0 else {
            throw RecorderFailed(recorder: recorder.name, ending: outcome.cost.ending, printed: stderrTail)
        }
        outcome.bytes = Int(status.st_size)
        outcome.frame = try FrameReport(path: output, scene: take.makeScene())
        return outcome
    }

    /// Runs a program while the scene of `take` is shown, and keeps its account and the servers'.
    func observe(
        _ take: Take, named name: String, _ executable: String, _ arguments: [String]
    ) throws -> Outcome {
        let baseline = try baseline(of: take)
        let scene = try startScene(take)
        defer { scene.end() }
        let log = try FileDescriptor.open(
            FilePath(logPath), .readWrite, options: [.create, .truncate], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        let before = load()
        let start = MonotonicClock.now()
        var outcome = Outcome()
        outcome.cost = try MeasuredProcess.run(
            executable, arguments, environment: environment(for: take), output: log, expectedSeconds: take.seconds)
        let elapsed = Double(MonotonicClock.now() - start) / 1e9
        let after = load()
        outcome.displaySeconds = max(0, after.display - before.display - baseline.display * elapsed)
        if take.audio { outcome.audioSeconds = max(0, after.audio - before.audio - baseline.audio * elapsed) }
        guard outcome.cost.ending == .exited(status: 0) else {
            throw RecorderFailed(recorder: name, ending: outcome.cost.ending, printed: stderrTail)
        }
        return outcome
    }

    /// The X screen's name, for programs that take it as an argument.
    var displayName: String { display.name }

    /// What the program that is observed prints.
    var logPath: String { folder.file("log") }

    private var stderrTail: String { ProcFiles.end(of: logPath) }

    /// What the servers need for the scene while nobody records it; measured once for each take.
    private func baseline(of take: Take) throws -> Load {
        var key = take
        key.seconds = 0
        if let known = baselines[key] { return known }
        let scene = try startScene(take)
        defer { scene.end() }
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

    private func startScene(_ take: Take) throws -> SceneProcess {
        try SceneProcess(
            take.scene, arguments: ["--fps", "\(take.framesPerSecond)"], environment: display.environment)
    }

    /// Seconds on a processor that both servers have had so far.
    private func load() -> Load {
        func seconds(_ process: Int32?) -> Double {
            Double(process.flatMap { ProcFiles.processorNanoseconds(of: $0) } ?? 0) / 1e9
        }
        return Load(display: seconds(display.process.pid), audio: seconds(audio?.process.pid))
    }

    private func environment(for take: Take) -> [String] {
        ProcessEnvironment.secluded(in: folder) + display.environment + (take.audio ? audio?.environment ?? [] : [])
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
