// Going live to one viewer: the whole of `kinecast broadcast` beside what people run today without a desktop program, ffmpeg.
// No bar is set for it; the rows say what each costs.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

struct GoingLiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "going-live", abstract: "Compares a whole broadcast to one viewer with ffmpeg's.",
        discussion: """
            Scenes: idle, typing, scroll, video; all of them if none is named. 1920×1080 at 30 frames a second, no sound.
            ffmpeg encodes with libx264 veryfast zerolatency at CRF 23 and sends MPEG-TS over TCP, the cheapest that it can
            go live with. Quality is not matched. The viewers' own cost is in neither.
            """)

    @Argument(help: "The scenes.", transform: GoingLiveCommand.scene)
    var scenes: [SceneKind] = []

    @Option(help: "Seconds of each run.")
    var seconds = 20.0

    @Option(help: "Rounds for each scene.")
    var runs = 1

    private static let size = PixelSize(width: 1920, height: 1080)
    private static let usual: [SceneKind] = [.idle, .typing, .scroll, .video]

    func run() throws {
        let laboratory = try Laboratory(size: GoingLiveCommand.size, withAudio: false)
        defer { laboratory.close() }
        var lines = [
            "| scene | program | CPU s | + X server s | CPU % | peak MiB | bytes to the viewer | × ffmpeg |",
            "|---|---|--:|--:|--:|--:|--:|--:|",
        ]
        for scene in scenes.isEmpty ? GoingLiveCommand.usual : scenes {
            let take = Take(
                scene: scene, framesPerSecond: 30, seconds: seconds, audio: false, size: GoingLiveCommand.size)
            var runs: [[Run]] = []
            for _ in 0..<self.runs {
                runs.append([try kinecast(take, laboratory), try ffmpeg(take, laboratory)])
            }
            let middle = runs.sorted { $0[0].ratio(to: $0[1]) < $1[0].ratio(to: $1[1]) }[(runs.count - 1) / 2]
            lines += middle.map { $0.row(take, beside: middle[1]) }
        }
        print(Machine.description())
        print("\n" + lines.joined(separator: "\n"))
    }

    private struct Run {
        let program: String
        let outcome: Outcome
        let bytes: Int

        func ratio(to other: Run) -> Double { outcome.seconds / other.outcome.seconds }

        func row(_ take: Take, beside other: Run) -> String {
            let cells = [
                take.title, program, fixed(outcome.cost.processorSeconds, 3), fixed(outcome.displaySeconds, 3),
                fixed(outcome.seconds / outcome.cost.elapsedSeconds * 100, 1),
                fixed(Double(outcome.cost.peakResidentBytes) / 1_048_576, 0), "\(bytes)", fixed(ratio(to: other), 3),
            ]
            return Tables.row(cells)
        }
    }

    private func kinecast(_ take: Take, _ laboratory: Laboratory) throws -> Run {
        // The link is in what the program prints; the viewer looks for it there.
        unlink(laboratory.logPath)
        let viewer = try HelperProcess(
            "kinecast-bench", ["watch", "--link-in", laboratory.logPath, "--viewers", "1", "--seconds", "100000"])
        let outcome = try laboratory.observe(
            take, named: "kinecast broadcast", try Tool.sibling("kinecast"),
            ["broadcast", "--fps", "30", "--audio", "none", "--duration", "\(fixed(take.seconds, 1))s"])
        return Run(program: "`kinecast broadcast`", outcome: outcome, bytes: try GoingLiveCommand.bytes(viewer))
    }

    private func ffmpeg(_ take: Take, _ laboratory: Laboratory) throws -> Run {
        let viewer = try HelperProcess("kinecast-bench", ["swallow"])
        let port = try viewer.line(deadline: deadline(in: 10)).dropFirst("port ".count)
        let outcome = try laboratory.observe(
            take, named: "ffmpeg", try Tool.path(of: "ffmpeg"),
            [
                "-v", "error", "-nostdin", "-f", "x11grab", "-framerate", "30", "-video_size",
                "\(take.size.width)x\(take.size.height)", "-draw_mouse", "1", "-t", fixed(take.seconds, 1), "-i",
                laboratory.displayName, "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-c:v",
                "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-crf", "23", "-g", "60", "-f", "mpegts",
                "tcp://127.0.0.1:\(port)",
            ])
        return Run(
            program: "ffmpeg x11grab, MPEG-TS over TCP", outcome: outcome, bytes: try GoingLiveCommand.bytes(viewer))
    }

    private static func bytes(_ viewer: HelperProcess) throws -> Int {
        let words = try viewer.finish(deadline: deadline(in: 10)).split { $0 == " " || $0 == "\n" }
        return words.last.flatMap { Int($0) } ?? 0
    }

    @Sendable
    private static func scene(_ text: String) throws -> SceneKind {
        guard let scene = SceneKind(rawValue: text), usual.contains(scene) else {
            throw ValidationError("There is no scene “\(text)” to go live with.")
        }
        return scene
    }
}
