// The comparison: Kinecast and ffmpeg record the same scenes in turn, and what each took and kept goes into tables.
import ArgumentParser
import KineMeasure

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares Kinecast with ffmpeg's x11grab on a private screen.",
        discussion: """
            Scenes: \(CompareCommand.allScenes.map(\.rawValue).joined(separator: ", ")); all of them if none is named.
            The tables go to standard output as Markdown, progress to standard error.
            """)

    @Argument(
        help: "The scenes to record.",
        transform: {
            guard let scene = SceneKind(rawValue: $0) else { throw ValidationError("There is no scene “\($0)”.") }
            return scene
        })
    var scenes: [SceneKind] = []

    @Option(help: "Rounds for each scene; each round runs every recorder once.")
    var runs = 3

    @Option(help: "Seconds of each recording: 20 for idle, 30 for typing and 5 for the others if not given.")
    var seconds: Double?

    @Option(help: "Frames a second; may be given more than once. 30 and 60 if not given.")
    var fps: [Int] = []

    @Flag(help: "One round of 3 seconds at 30 frames a second: a check, not a result.")
    var quick = false

    @Flag(inversion: .prefixedNo, help: "Record idle and typing once more with silent audio.")
    var audio = true

    private static let allScenes: [SceneKind] = [.idle, .typing, .scroll, .video, .motion]

    func validate() throws {
        try check(runs: runs, seconds: seconds)
        guard fps.allSatisfy({ (1...240).contains($0) }) else { throw ValidationError("--fps must be from 1 to 240.") }
    }

    func run() throws {
        let chosen = scenes.isEmpty ? CompareCommand.allScenes : scenes
        let rates = quick ? [fps.first ?? 30] : fps.isEmpty ? [30, 60] : fps
        let laboratory = try Laboratory(withAudio: audio)
        defer { laboratory.close() }
        let comparer = Comparer(laboratory: laboratory, rounds: quick ? 1 : runs)

        var takes = rates.flatMap { rate in chosen.map { take($0, rate, audio: false) } }
        if audio {
            takes += chosen.filter { $0 == .idle || $0 == .typing }.map { take($0, rates[0], audio: true) }
        }
        let attempt = Attempts()
        let comparisons = takes.compactMap { take in
            attempt("\(take.title) at \(take.framesPerSecond) fps") { try comparer.compare(take) }
        }
        print(Machine.description())
        let columns = """
            scene | >fps | recorder | >CPU s | >+ X server s | >+ audio server s | >CPU % | >peak MiB | >shared split MiB | \
            >sum of peaks MiB | >bytes | >drawn | >captured | >SSIM | >wakes/s
            """
        print("\n### What each recording took and kept\n\n" + Tables.table(columns, comparisons.flatMap(\.rows)))
        let verdicts = comparisons.flatMap { comparison in
            comparison.verdicts.map {
                [
                    comparison.take.title, "\(comparison.take.framesPerSecond)", $0.promise, $0.measured,
                    Verdict.mark($0.isKept),
                ]
            }
        }
        print("\n### What is promised\n\n" + Tables.table("scene | >fps | promise | >measured |", verdicts))
        try attempt.end()
    }

    private func take(_ scene: SceneKind, _ rate: Int, audio: Bool) -> Take {
        // A recorder with little to do costs so little that starting it would hide the rest of a short run.
        let usual = quick ? 3.0 : scene == .idle ? 20 : scene == .typing ? 30 : 5
        return Take(scene: scene, framesPerSecond: rate, seconds: seconds ?? usual, audio: audio)
    }
}
