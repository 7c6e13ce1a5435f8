// The levels of a take's audio: what an engine needs to measure them and to send them to one client.
import ArgumentParser
import KineMeasure
import KineMedia
import KinePlatform

struct LevelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "levels", abstract: "Measures what the levels of a take's audio cost its engine.",
        discussion: """
            A still screen of 640×360 is recorded with the output's audio and a microphone, which both have pink noise, so that levels \
            change all the time. In each round the engine runs once unasked and once with a client that has asked, within one take; \
            a file alone has its audio in large pieces, and with a client that wants samples in small ones, with ten levels a second.
            """)

    @Option(help: "Seconds of each measurement.")
    var seconds = 20.0

    @Option(help: "Rounds for each take; each measures once unasked and once asked.")
    var runs = 5

    /// Per cent of a core.
    static let costLimit = 0.2

    func validate() throws { try check(runs: runs, seconds: seconds) }

    func run() throws {
        let audio = try PrivateAudio(modules: [
            "module-null-sink sink_name=\(PrivateAudio.sink) rate=48000",
            "module-remap-source source_name=desk master=\(PrivateAudio.monitor)",
        ])
        defer { audio.end() }
        let noise = try HeldProcess(
            "ffmpeg", at: Tool.path(of: "ffmpeg"),
            [
                "-v", "error", "-nostdin", "-re", "-f", "lavfi", "-i", "anoisesrc=color=pink:amplitude=0.5", "-f",
                "pulse", "noise",
            ], environment: ProcessEnvironment.merging(ProcessEnvironment.current, audio.environment))
        defer { noise.kill() }
        let takes = try [false, true].map { isLive in (isLive, try measure(isLive: isLive, audio)) }
        print(Machine.description(["ffmpeg", "pulseaudio", "xvfb"]))
        let rows = takes.map { isLive, rounds in
            let costs = Self.costs(rounds)
            return [
                isLive ? "a client wants samples" : "a file alone", fixed(rounds[0].middle(\.percent), 3),
                fixed(rounds[1].middle(\.percent), 3), fixed(median(costs), 3), spread(costs, 3),
                fixed(rounds[1].middle(\.levels), 1),
            ]
        }
        print(
            "\n"
                + Tables.table(
                    "take | >unasked, CPU % of a core | >asked | >increase | spread | >levels a second", rows))
        let verdicts = takes.map { isLive, rounds in
            let cost = median(Self.costs(rounds))
            return Verdict(
                "levels, \(isLive ? "a client wants samples" : "a file alone") ≤ \(fixed(Self.costLimit, 1)) % of a core",
                "\(fixed(cost, 3)) %", cost <= Self.costLimit)
        }
        print("\n" + Tables.verdicts(verdicts))
    }

    /// The processor time that the engine used while it was measured.
    private struct Use {
        /// Percent of one core.
        var percent: Double
        /// Events a second.
        var levels: Double
    }

    /// The increase in each round.
    private static func costs(_ rounds: [[Use]]) -> [Double] {
        zip(rounds[0], rounds[1]).map { $1.percent - $0.percent }
    }

    /// The rounds unasked and the rounds asked.
    private func measure(isLive: Bool, _ audio: PrivateAudio) throws -> [[Use]] {
        let folder = try TemporaryDirectory(in: "/dev/shm")
        let setup = try Setup(.scene(.idle), size: PixelSize(width: 640, height: 360), framesPerSecond: 30)
        defer { setup.end() }
        var configuration = setup.configuration(output: folder.file("take.mp4"), framesPerSecond: 30)
        configuration.audio.app = .system(required: true)
        configuration.audio.microphone = .named("desk")
        if isLive { configuration.expectedSamples = [SampleRequest(appAudio: .pcm)] }
        let take = try EngineTake(
            configuration, environment: setup.environment(folder) + audio.environment, folder: folder)
        try take.run(for: 2)
        let rounds = try inTurn(runs, isLive ? "samples" : "file") { which, _ in
            try take.showAudioLevels(which == 1)
            let before = take.levels
            let use = ProcessUse.watch([take.process.pid], seconds: seconds)[0]
            _ = try take.status()
            return Use(percent: use.percentOfCore, levels: Double(take.levels - before) / seconds)
        }
        try take.stop()
        return rounds
    }
}
