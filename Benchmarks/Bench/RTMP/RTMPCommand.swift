// Publishing a stream that is encoded already: kinecast-publish beside ffmpeg, with the same file and the same server.
import ArgumentParser
import KineMeasure
import KinePlatform
import SystemPackage

struct RTMPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rtmp", abstract: "Compares what publishing over RTMP costs with ffmpeg's -c copy.",
        discussion: """
            The file: 1920×1080 at 30 frames a second, about 6 Mbit/s of H.264 and AAC, made by ffmpeg. The server: nginx with
            its rtmp module. kinecast-publish gets the file's access units through the rings, as an engine would send them;
            ffmpeg reads the file with -re. Only their own CPU and memory count, starting and ending included.
            """)

    @Option(help: "Seconds of each run.")
    var seconds = 30.0

    @Option(help: "Rounds, the two in turn.")
    var runs = 3

    static let costLimit = 1.0
    static let memoryLimit = 1.0 / 3

    func validate() throws { try check(runs: runs, seconds: seconds, atLeast: 2) }

    func run() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("source.flv")
        try makeSource(file)
        let samples = try FLVFile.read(file).filter(\.isSample)
        let server = try MediaServer()
        let runs = try inTurn(runs, "rtmp") { which, round in
            let stream = "\(which)-\(round)"
            let run = try which == 0 ? ffmpeg(file, server, stream: stream) : kinecast(file, server, stream: stream)
            return run.held(against: samples)
        }
        let (theirs, ours) = (runs[0], runs[1])
        print(Machine.description(["ffmpeg", "nginx-light", "libnginx-mod-rtmp"]))
        let rows = zip(theirs, ours).enumerated().flatMap { round, pair in
            [("ffmpeg -re -c copy", pair.0), ("kinecast-publish rtmp", pair.1)].map { name, run in
                ["\(round + 1)", name] + run.cells(seconds: seconds)
            }
        }
        let columns =
            ">round | publisher | >CPU s | >Mbit/s that arrived | >CPU ms per Mbit | >peak MiB | >wakes/s | all arrived"
        let cost = median(ours.ratios(to: theirs, \.cost))
        let memory = median(ours.ratios(to: theirs) { Double($0.highWaterBytes) })
        let isWhole = ours.allSatisfy(\.isWhole)
        let verdicts = [
            Verdict(
                "CPU per Mbit/s ≤ \(fixed(Self.costLimit, 1)) × ffmpeg", fixed(cost, 3), cost <= Self.costLimit),
            Verdict("peak memory ≤ a third of ffmpeg's", fixed(memory, 3), memory <= Self.memoryLimit),
            .memory("peak memory", ours.map(\.highWaterBytes).max() ?? 0),
            Verdict("every access unit arrives", isWhole ? "yes" : "no", isWhole),
        ]
        print("\n" + Tables.table(columns, rows) + "\n\n" + Tables.verdicts(verdicts))
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

        func cells(seconds: Double) -> [String] {
            [
                fixed(processorSeconds, 3), fixed(megabitsPerSecond, 2), fixed(cost * 1000 / seconds, 2),
                mebibytes(highWaterBytes), fixed(wakesPerSecond, 0), isWhole ? "yes" : "**no**",
            ]
        }
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
        let cost = try MeasuredProcess.run(
            try Tool.path(of: "ffmpeg"),
            ["-v", "error", "-nostdin", "-re", "-i", file, "-c", "copy", "-f", "flv", server.address(stream)],
            environment: ProcessEnvironment.current, output: .standardError, expectedSeconds: seconds)
        guard cost.ending == .exited(status: 0) else {
            throw Tool.Error.failed(name: "ffmpeg", ending: cost.ending, complaint: "")
        }
        return Run(
            processorSeconds: cost.processorSeconds, highWaterBytes: cost.highWaterBytes,
            wakesPerSecond: cost.wakesPerSecond, recorded: try server.recorded(stream))
    }

    private func kinecast(_ file: String, _ server: MediaServer, stream: String) throws -> Run {
        let feed = try HeldProcess("kinecast-bench", ["rtmp-feed", file, server.address(stream)])
        let account = try feed.report(deadline: deadline(in: seconds + 60))
        return Run(
            processorSeconds: Double(account.processorNanoseconds) / 1e9, highWaterBytes: account.highWaterBytes,
            wakesPerSecond: account.notes["wakes"].flatMap { Double($0) } ?? .nan,
            recorded: try server.recorded(stream))
    }
}
