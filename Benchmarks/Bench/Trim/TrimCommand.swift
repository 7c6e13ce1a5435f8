// Cutting an hour's recording, beside cp of the same file.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

struct TrimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim", abstract: "Compares what cutting a recording takes with cp of the same file.",
        discussion: """
            The recording: the scene at 1920×1080 and 30 frames a second with audio, a keyframe every ten seconds, the same ten
            seconds again and again. kinecast trim cuts it at a keyframe, and at three places between two keyframes; cp copies
            the whole file. The two take turns, on the file system of TMPDIR; what they wrote is removed, and all is on the disk, before
            the next begins.
            """)

    @Option(help: "The scene.", transform: TrimCommand.kind)
    var scene = SceneKind.scroll

    @Option(help: "Minutes of the recording.")
    var minutes = 60

    @Option(help: "Rounds for each place, the two in turn.")
    var runs = 5

    /// Seconds that a cut may take beyond cp, and for each frame that is encoded again.
    static let fixedAllowance = 1.0
    static let frameAllowance = 0.010

    private struct Round {
        var copy: Double
        var trim: Double
    }

    func validate() throws {
        guard minutes > 0, runs > 0 else { throw ValidationError("--minutes and --runs must be at least 1.") }
    }

    func run() throws {
        let folder = try TemporaryDirectory()
        let source = folder.file("hour.mp4")
        let file = try LongRecording(of: scene).write(to: source, groups: minutes * 6)
        print(Machine.description(packages: ["coreutils", "libx264-164", "libavcodec59"]))
        print(
            "\nFile: \(scene.rawValue), \(minutes) min, \(fixed(Double(file.bytes) / 1e6, 0)) MB, \(file.frames) frames, on "
                + "\(try Tool.output("stat", ["-f", "-c", "%T", folder.path]).filter { !$0.isNewline }).\n")
        print("| first frame | frames encoded again | cp s | trim s | allowed s | spread of trim − cp | |")
        print("|---|--:|--:|--:|--:|---|---|")
        // Frames before the next keyframe: none, one (all before it is decoded for that), half of them, and all but one.
        for frames in [0, 1, LongRecording.groupFrames / 2, LongRecording.groupFrames - 1] {
            print(try row(source, in: folder, encoded: frames))
            fflush(nil)
        }
    }

    private func row(_ source: String, in folder: TemporaryDirectory, encoded: Int) throws -> String {
        let first = LongRecording.groupFrames * 2 - encoded
        let from = "\(fixed((Double(first) + 0.5) / Double(LongRecording.framesPerSecond), 6))"
        let kinecast = try Tool.sibling("kinecast")
        let copy = folder.file("copy.mp4")
        let trimmed = folder.file("trimmed.mp4")
        var rounds: [Round] = []
        for round in 0..<runs {
            var taken = Round(copy: 0, trim: 0)
            for isCopy in round % 2 == 0 ? [true, false] : [false, true] {
                if isCopy {
                    taken.copy = try Self.time("cp", [source, copy], removing: copy)
                } else {
                    taken.trim = try Self.time(
                        kinecast, ["trim", source, "--from", encoded == 0 ? "20" : from, "-o", trimmed],
                        removing: trimmed)
                }
            }
            rounds.append(taken)
        }
        let allowed = Self.fixedAllowance + Self.frameAllowance * Double(encoded)
        let excess = rounds.map { $0.trim - $0.copy }
        let copySeconds = median(rounds.map(\.copy))
        return Tables.row([
            encoded == 0 ? "a keyframe" : "\(encoded) before a keyframe", "\(encoded)", fixed(copySeconds, 2),
            fixed(median(rounds.map(\.trim)), 2), fixed(copySeconds + allowed, 2),
            "\(fixed(excess.min() ?? .nan, 2)) to \(fixed(excess.max() ?? .nan, 2))",
            median(excess) <= allowed ? "pass" : "**miss**",
        ])
    }

    /// Seconds that a program takes; then removes its file, and waits until the disk has nothing left to do.
    private static func time(_ program: String, _ arguments: [String], removing file: String) throws -> Double {
        sync()
        let start = MonotonicClock.now()
        _ = try Tool.output(program, arguments)
        let seconds = Double(MonotonicClock.now() - start) / 1e9
        unlink(file)
        return seconds
    }

    @Sendable
    private static func kind(_ text: String) throws -> SceneKind {
        guard let scene = SceneKind(rawValue: text) else { throw ValidationError("There is no scene “\(text)”.") }
        return scene
    }
}
