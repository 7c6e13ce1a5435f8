// Cutting an hour's recording, beside cp of the same file.
import ArgumentParser
import Glibc
import KineMeasure
import KinePlatform

struct TrimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim", abstract: "Compares what cutting a recording takes with cp of the same file.",
        discussion: """
            The recording: the scene scroll at 1920×1080 and 30 frames a second with audio, a keyframe every ten seconds, the same ten
            seconds again and again. kinecast trim cuts it at a keyframe, and at three places between two keyframes; cp copies
            the whole file. The two take turns, on the file system of TMPDIR; what they wrote is removed, and all is on the disk, before
            the next begins.
            """)

    @Option(help: "Minutes of the recording.")
    var minutes = 60

    @Option(help: "Rounds for each place, the two in turn.")
    var runs = 5

    /// Seconds that a cut may take beyond cp, and for each frame that is encoded again.
    static let fixedAllowance = 1.0
    static let frameAllowance = 0.010

    func validate() throws {
        try check(runs: runs, seconds: nil)
        guard minutes > 0 else { throw ValidationError("--minutes must be at least 1.") }
    }

    func run() throws {
        let folder = try TemporaryDirectory()
        let source = folder.file("hour.mp4")
        let file = try LongRecording(of: .scroll).write(to: source, groups: minutes * 6)
        print(Machine.description(["coreutils", "libx264-164", "libavcodec59"]))
        print(
            "\nFile: \(minutes) min, \(fixed(Double(file.bytes) / 1e6, 0)) MB, \(file.frames) frames, on "
                + "\(try Tool.output("stat", ["-f", "-c", "%T", folder.path]).filter { !$0.isNewline }).\n")
        print(
            Tables.head("first frame | >frames encoded again | >cp s | >trim s | >allowed s | spread of trim − cp |"))
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
        let seconds = try inTurn(runs, "\(encoded) frames") { which, _ in
            which == 0
                ? try Self.time("cp", [source, copy], removing: copy)
                : try Self.time(
                    kinecast, ["trim", source, "--from", encoded == 0 ? "20" : from, "-o", trimmed], removing: trimmed)
        }
        let allowed = Self.fixedAllowance + Self.frameAllowance * Double(encoded)
        let excess = zip(seconds[1], seconds[0]).map { $0 - $1 }
        let copySeconds = median(seconds[0])
        return Tables.row([
            encoded == 0 ? "a keyframe" : "\(encoded) before a keyframe", "\(encoded)", fixed(copySeconds, 2),
            fixed(median(seconds[1]), 2), fixed(copySeconds + allowed, 2), spread(excess, 2),
            Verdict.mark(median(excess) <= allowed),
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
}
