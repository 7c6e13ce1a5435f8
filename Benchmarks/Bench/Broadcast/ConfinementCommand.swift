// Measures what confinement costs: it runs the same takes in turn with every layer of the sandbox and with none.
import ArgumentParser
import KineMeasure
import KineMedia
import KinePlatform
import KineWire

struct ConfinementCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confinement", abstract: "Compares extensions that are confined with the same unconfined.",
        discussion: """
            Takes of a video on a private screen, 1920×1080 at 30 frames a second: to an extension that reads every byte of
            the uncompressed pictures, to the service rtmp with nginx as its server, and to the live page with viewers. CPU and
            the most memory are the extension's own; its start counts towards the memory only.
            """)

    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case raw, rtmp, live
    }

    @Argument(help: "What to compare: raw, rtmp, live; all of them if none is named.")
    var kinds: [Kind] = []

    @Option(help: "Seconds of each run.")
    var seconds = 8.0

    @Option(help: "Rounds, the two in turn.")
    var runs = 9

    private static let size = PixelSize(width: 1920, height: 1080)
    private static let framesPerSecond = 30
    private static let viewers = 20
    private static let limit = 1.03

    func validate() throws { try check(runs: runs, seconds: seconds, atLeast: 2) }

    /// What an extension needed.
    private struct Run {
        /// Seconds on a processor for each second of the clock.
        var processorShare: Double
        var highWater: Double

        /// The middle of the rounds, and the ends.
        static func cell(_ runs: [Run], _ value: (Run) -> Double, _ digits: Int) -> String {
            "\(fixed(runs.middle(value), digits)) (\(spread(runs.map(value), digits)))"
        }
    }

    func run() throws {
        var rows: [[String]] = []
        var verdicts: [Verdict] = []
        for kind in kinds.isEmpty ? Kind.allCases : kinds {
            let runs = try inTurn(runs, kind.rawValue) { which, _ in try measure(kind, isConfined: which == 0) }
            var row = [kind.rawValue]
            for (what, value, digits) in [
                ("CPU", { $0.processorShare * 100 }, 2), ("peak memory", { $0.highWater / 1_048_576 }, 1),
            ] as [(String, (Run) -> Double, Int)] {
                let ratio = runs[0].middle(value) / runs[1].middle(value)
                row += runs.map { Run.cell($0, value, digits) } + [fixed(ratio, 3)]
                verdicts.append(
                    Verdict("\(kind.rawValue): \(what) ≤ 1.03 × unconfined", fixed(ratio, 3), ratio <= Self.limit))
            }
            rows.append(row)
        }
        print(Machine.description(["libx264-164", "xvfb", "nginx-light", "libnginx-mod-rtmp"]))
        let columns = """
            extension | >CPU %, confined: median (least to most) | >unconfined | >ratio | >peak MiB, confined | \
            >unconfined | >ratio
            """
        print("\n" + Tables.table(columns, rows) + "\n\n" + Tables.verdicts(verdicts))
    }

    private func measure(_ kind: Kind, isConfined: Bool) throws -> Run {
        let folder = try TemporaryDirectory()
        let setup = try Setup(.scene(.video), size: Self.size, framesPerSecond: Self.framesPerSecond)
        defer { setup.end() }
        var configuration = setup.configuration(output: nil, framesPerSecond: Self.framesPerSecond)
        var confinement = ConfinementRequest()
        if !isConfined { confinement.leftOut = Set(Sandbox.Layer.allCases) }
        var environment = setup.environment(folder)
        let bundle = try MeterBundle()
        let server = kind == .rtmp ? try MediaServer() : nil
        switch kind {
        case .raw:
            configuration.destinations = [bundle.destination(report: "report", readsAll: true)]
            environment += bundle.environment
        case .rtmp:
            configuration.destinations = [
                .init(service: "rtmp", setupInfo: ["url": server?.address("key") ?? ""], label: "rtmp")
            ]
        case .live: configuration.destinations = [.init(service: "live", setupInfo: [:], label: "live")]
        }
        let take = try EngineTake(configuration, confinement: confinement, environment: environment, folder: folder)
        let watcher =
            kind == .live
            ? try HeldProcess.crowd(try take.link(), path: "/live.mp4", viewers: Self.viewers, seconds: seconds + 2)
            : nil
        _ = try watcher?.line(deadline: deadline(in: 60))
        try take.run(for: 1)
        guard let pid = try take.status().destinations.first?.pid else {
            throw EngineTake.Failed(description: "The engine did not say which process its extension is.")
        }
        let before = ProcFiles.processorNanoseconds(of: pid) ?? 0
        let begun = MonotonicClock.now()
        try take.run(for: seconds)
        let used = (ProcFiles.processorNanoseconds(of: pid) ?? 0) - before
        let run = Run(
            processorShare: Double(used) / Double(MonotonicClock.now() - begun),
            highWater: Double(ProcFiles.highWaterBytes(of: pid)))
        try take.stop()
        _ = try watcher?.finish(deadline: deadline(in: 30))
        return run
    }
}
