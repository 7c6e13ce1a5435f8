// The comparison: Kinecast and ffmpeg record the same scenes in turn, and what each took and kept goes into tables.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares Kinecast with ffmpeg's x11grab on a private screen.",
        discussion: """
            Scenes: \(CompareCommand.allScenes.map(\.rawValue).joined(separator: ", ")); all of them if none is named.
            The tables go to standard output as Markdown, progress to standard error.
            """)

    @Argument(help: "The scenes to record.", transform: CompareCommand.scene)
    var scenes: [SceneKind] = []

    @Option(help: "Rounds for each scene; each round runs every recorder once.")
    var runs = 3

    @Option(help: "Seconds of each recording: 20 for idle, 8 for typing and 5 for the others if not given.")
    var seconds: Double?

    @Option(help: "Frames a second; may be given more than once. 30 and 60 if not given.")
    var fps: [Int] = []

    @Flag(help: "One round of 3 seconds at 30 frames a second, without the switched-off runs: a check, not a result.")
    var quick = false

    @Flag(inversion: .prefixedNo, help: "Record idle and typing once more with silent audio.")
    var audio = true

    @Flag(inversion: .prefixedNo, help: "Record once more with each optimisation switched off.")
    var switches = true

    @Flag(help: .hidden)
    var referenceOnly = false

    private static let allScenes: [SceneKind] = [.idle, .typing, .scroll, .video, .motion]
    private static let size = PixelSize(width: 1920, height: 1080)

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
        guard seconds ?? 1 >= 1 else { throw ValidationError("--seconds must be at least 1.") }
        guard fps.allSatisfy({ (1...240).contains($0) }) else { throw ValidationError("--fps must be from 1 to 240.") }
    }

    func run() throws {
        let chosen = scenes.isEmpty ? CompareCommand.allScenes : scenes
        let rates = quick ? [fps.first ?? 30] : fps.isEmpty ? [30, 60] : fps
        let started = MonotonicClock.now()
        let laboratory = try Laboratory(size: CompareCommand.size, withAudio: audio)
        defer { laboratory.close() }
        let comparer = Comparer(laboratory: laboratory, rounds: quick ? 1 : runs) { line in
            BroadcastCommand.complain("[\((MonotonicClock.now() - started) / 1_000_000_000) s] \(line)")
        }

        var takes = rates.flatMap { rate in chosen.map { take($0, rate, audio: false) } }
        if audio {
            takes += chosen.filter { $0 == .idle || $0 == .typing }.map { take($0, rates[0], audio: true) }
        }
        var comparisons: [Comparison] = []
        var failures: [String] = []
        for take in takes {
            do {
                comparisons.append(try comparer.compare(take, referenceOnly: referenceOnly))
            } catch {
                // Twenty minutes of other takes are not thrown away for one.
                failures.append("\(take.title) at \(take.framesPerSecond) fps: \(error)")
                BroadcastCommand.complain(failures[failures.count - 1])
            }
        }

        print(Machine.description())
        print("\n### What each recording took and kept\n\n" + Tables.measurements(comparisons))
        print("\n### What is promised\n\n" + Tables.verdicts(comparisons))
        if switches, !quick, !referenceOnly {
            print("\n### What each optimisation brings\n\n" + Tables.switches(try switchedOff(comparisons, comparer)))
        }
        BroadcastCommand.complain("took \((MonotonicClock.now() - started) / 1_000_000_000) s")
        if !failures.isEmpty {
            print("\n### What failed\n\n" + failures.map { "- \($0)" }.joined(separator: "\n"))
            throw ExitCode.failure
        }
    }

    /// Every scene at the first frame rate, once without each optimisation, beside the middle run with all.
    private func switchedOff(_ comparisons: [Comparison], _ comparer: Comparer) throws
        -> [(take: Take, with: Outcome, without: [(Recorder.Switch, Outcome)])]
    {
        let rate = comparisons.first?.take.framesPerSecond
        return try comparisons.filter { !$0.take.audio && $0.take.framesPerSecond == rate }.compactMap { comparison in
            let runs = comparison.kinecast.sorted { $0.seconds < $1.seconds }
            guard !runs.isEmpty else { return nil }
            let without = try Recorder.Switch.allCases.map {
                ($0, try comparer.record(comparison.take, .kinecast(without: $0)))
            }
            return (comparison.take, runs[runs.count / 2], without)
        }
    }

    private func take(_ scene: SceneKind, _ rate: Int, audio: Bool) -> Take {
        // A recorder with little to do costs so little that starting it would hide the rest of a short run.
        let usual = quick ? 3.0 : scene == .idle ? 20 : scene == .typing ? 30 : 5
        return Take(
            scene: scene, framesPerSecond: rate, seconds: seconds ?? usual, audio: audio, size: CompareCommand.size)
    }

    @Sendable
    private static func scene(_ text: String) throws -> SceneKind {
        guard let scene = SceneKind(rawValue: text), allScenes.contains(scene) else {
            throw ValidationError("There is no scene “\(text)” to compare.")
        }
        return scene
    }
}
