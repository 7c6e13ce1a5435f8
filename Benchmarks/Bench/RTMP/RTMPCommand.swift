// Publishing a stream that is encoded already: kinecast-rtmp beside ffmpeg, with the same file and the same server.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

struct RTMPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rtmp", abstract: "Compares what publishing over RTMP costs with ffmpeg's -c copy.",
        discussion: """
            The file: 1920×1080 at 30 frames a second, about 6 Mbit/s of H.264 and AAC, made by ffmpeg. The server: nginx with
            its rtmp module. kinecast-rtmp gets the file's access units through the rings, as an engine would send them;
            ffmpeg reads the file with -re. Only their own CPU and memory count, starting and ending included.
            """)

    @Option(help: "Seconds of each run.")
    var seconds = 30.0

    @Option(help: "Rounds, the two in turn.")
    var runs = 3

    static let costLimit = 1.0
    static let memoryLimit = 1.0 / 3

    func validate() throws {
        guard seconds >= 2, runs > 0 else { throw ValidationError("--seconds must be 2 or more, --runs 1 or more.") }
    }

    func run() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("source.flv")
        try makeSource(file)
        let samples = try FLVFile.read(file).filter(\.isSample)
        let server = try MediaServer()
        var rounds: [(ours: Run, ffmpeg: Run)] = []
        for round in 0..<runs {
            let theirs = try ffmpeg(file, server, stream: "ffmpeg\(round)")
            let ours = try kinecast(file, server, stream: "kinecast\(round)")
            rounds.append((ours.held(against: samples), theirs.held(against: samples)))
        }
        print(Machine.description(packages: ["ffmpeg", "nginx-light", "libnginx-mod-rtmp"]))
        print("\n" + table(rounds) + "\n\n" + BroadcastTables.verdicts(verdicts(rounds)))
    }

    /// What one of the two took, and what of it arrived.
    private struct Run {
        var processorSeconds: Double
        var highWaterBytes: Int
        var wakesPerSecond: Double
        var recorded: [FLVTag]
        var megabitsPerSecond = 0.0
        var isWhole = false

        /// Everything that was sent has arrived, frame for video and audio for audio.
        func held(against samples: [FLVTag]) -> Run {
            var run = self
            let bytes = recorded.reduce(0) { $0 + $1.payload.count }
            let length = samples.map(\.timestamp).max().map { Double($0) / 1000 } ?? 0
            run.megabitsPerSecond = Double(bytes) * 8 / 1e6 / length
            run.isWhole = [8, 9].allSatisfy { type in
                recorded.filter { $0.type == type }.map(\.payloadWithoutDelimiter)
                    == samples.filter { $0.type == type }.map(\.payloadWithoutDelimiter)
            }
            return run
        }

        var cost: Double { processorSeconds / megabitsPerSecond }
    }

    private func makeSource(_ file: String) throws {
        let size = "1920x1080"
        _ = try Tool.output(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=\(size):rate=30,noise=alls=12:allf=t",
                "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-t", fixed(seconds, 3), "-c:v", "libx264",
                "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-bf", "0", "-g", "60", "-b:v", "6M", "-maxrate", "6M",
                "-bufsize", "6M", "-c:a", "aac", "-b:a", "160k", "-ac", "2", "-flvflags", "no_duration_filesize", file,
            ])
    }

    private func ffmpeg(_ file: String, _ server: MediaServer, stream: String) throws -> Run {
        let account = try HelperProcess(
            "kinecast-account",
            [
                "--seconds", fixed(seconds, 1), "ffmpeg", "-v", "error", "-nostdin", "-re", "-i", file, "-c",
                "copy", "-f", "flv", server.address(stream),
            ])
        var values: [Substring: Double] = [:]
        for line in try account.finish(deadline: deadline(in: seconds + 60)).split(separator: "\n") {
            let parts = line.split(separator: "=")
            if parts.count == 2 { values[parts[0]] = Double(parts[1]) }
        }
        return Run(
            processorSeconds: values["processorSeconds"] ?? .nan, highWaterBytes: Int(values["highWaterBytes"] ?? 0),
            wakesPerSecond: values["wakesPerSecond"] ?? .nan, recorded: try server.recorded(stream))
    }

    private func kinecast(_ file: String, _ server: MediaServer, stream: String) throws -> Run {
        let feed = try HelperProcess("kinecast-bench", ["rtmp-feed", file, server.address(stream)])
        let account = try feed.report(deadline: deadline(in: seconds + 60))
        return Run(
            processorSeconds: Double(account.processorNanoseconds) / 1e9, highWaterBytes: account.highWaterBytes,
            wakesPerSecond: account.notes["wakes"].flatMap { Double($0) } ?? .nan,
            recorded: try server.recorded(stream))
    }

    private func table(_ rounds: [(ours: Run, ffmpeg: Run)]) -> String {
        var lines = [
            "| round | publisher | CPU s | Mbit/s that arrived | CPU ms per Mbit | peak MiB | wakes/s | all arrived |",
            "|--:|---|--:|--:|--:|--:|--:|---|",
        ]
        for (round, runs) in rounds.enumerated() {
            for (name, run) in [("ffmpeg -re -c copy", runs.ffmpeg), ("kinecast-rtmp", runs.ours)] {
                let cells = [
                    "\(round + 1)", name, fixed(run.processorSeconds, 3), fixed(run.megabitsPerSecond, 2),
                    fixed(run.cost * 1000 / seconds, 2), fixed(Double(run.highWaterBytes) / 1_048_576, 1),
                    fixed(run.wakesPerSecond, 0), run.isWhole ? "yes" : "**no**",
                ]
                lines.append(Tables.row(cells))
            }
        }
        return lines.joined(separator: "\n")
    }

    private func verdicts(_ rounds: [(ours: Run, ffmpeg: Run)]) -> [Verdict] {
        let cost = median(rounds.map { $0.ours.cost / $0.ffmpeg.cost })
        let memory = median(rounds.map { Double($0.ours.highWaterBytes) / Double($0.ffmpeg.highWaterBytes) })
        let peak = rounds.map(\.ours.highWaterBytes).max() ?? 0
        return [
            Verdict(
                promise: "CPU per Mbit/s ≤ \(fixed(Self.costLimit, 1)) × ffmpeg", measured: fixed(cost, 3),
                isKept: cost <= Self.costLimit),
            Verdict(
                promise: "peak memory ≤ a third of ffmpeg's", measured: fixed(memory, 3),
                isKept: memory <= Self.memoryLimit),
            Verdict(
                promise: "peak memory ≤ 50 MiB", measured: fixed(Double(peak) / 1_048_576, 1), isKept: peak <= 50 << 20),
            Verdict(
                promise: "every access unit arrives", measured: rounds.allSatisfy(\.ours.isWhole) ? "yes" : "no",
                isKept: rounds.allSatisfy(\.ours.isWhole)),
        ]
    }
}
