// Measures what confinement costs: it runs the same takes in turn with every layer of the sandbox and with none.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

struct ConfinementCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confinement", abstract: "Compares extensions that are confined with the same unconfined.",
        discussion: """
            Takes of a video on a private screen, 1920×1080 at 30 frames a second: to an extension that reads every byte of
            the uncompressed pictures, to kinecast-rtmp with nginx as its server, and to kinecast-live with viewers. CPU and
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

    func validate() throws {
        guard seconds >= 2, runs > 0 else { throw ValidationError("--seconds must be 2 or more, --runs 1 or more.") }
    }

    /// What an extension needed.
    private struct Run {
        /// Seconds on a processor for each second of the clock.
        var processorShare: Double
        var highWaterBytes: Int
    }

    private struct Comparison {
        let kind: Kind
        var confined: [Run] = []
        var free: [Run] = []

        func ratio(_ value: (Run) -> Double) -> Double {
            median(confined.map(value)) / median(free.map(value))
        }
    }

    func run() throws {
        var comparisons: [Comparison] = []
        for kind in kinds.isEmpty ? Kind.allCases : kinds {
            var comparison = Comparison(kind: kind)
            for round in 0..<runs {
                BroadcastCommand.complain("\(kind.rawValue), round \(round + 1) of \(runs)")
                // The two take turns at being first, in case the order matters.
                for isConfined in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                    let run = try measure(kind, isConfined: isConfined)
                    if isConfined { comparison.confined.append(run) } else { comparison.free.append(run) }
                }
            }
            comparisons.append(comparison)
        }
        print(Machine.description(packages: ["libx264-164", "xvfb", "nginx-light", "libnginx-mod-rtmp"]))
        print("\n" + table(comparisons) + "\n\n" + BroadcastTables.verdicts(comparisons.flatMap(verdicts)))
    }

    private func measure(_ kind: Kind, isConfined: Bool) throws -> Run {
        let folder = try TemporaryDirectory()
        let stage = try Stage(.scene(.video), size: Self.size, framesPerSecond: Self.framesPerSecond)
        defer { stage.end() }
        var configuration = stage.configuration(output: nil, framesPerSecond: Self.framesPerSecond)
        if !isConfined { configuration.confinement.leftOut = Set(Sandbox.Layer.allCases) }
        var environment = stage.environment(folder)
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
        let take = try EngineTake(configuration, environment: environment, folder: folder)
        let watcher =
            kind == .live
            ? try HelperProcess(
                "kinecast-bench",
                ["watch", try take.link(), "--viewers", "\(Self.viewers)", "--seconds", "\(seconds + 2)"]) : nil
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
            highWaterBytes: ProcFiles.highWaterBytes(of: pid))
        try take.stop()
        _ = try watcher?.finish(deadline: deadline(in: 30))
        return run
    }

    private func table(_ comparisons: [Comparison]) -> String {
        var lines = [
            "| extension | CPU, confined: median (least to most) | unconfined | ratio | peak MiB, confined | unconfined | ratio |",
            "|---|--:|--:|--:|--:|--:|--:|",
        ]
        func spread(_ runs: [Run], _ value: (Run) -> Double, _ digits: Int) -> String {
            let values = runs.map(value).sorted()
            let ends = [values[0], values[values.count - 1]].map { fixed($0, digits) }
            return "\(fixed(median(values), digits)) (\(ends[0]) to \(ends[1]))"
        }
        for comparison in comparisons {
            let share = { (run: Run) in run.processorShare * 100 }
            let memory = { (run: Run) in Double(run.highWaterBytes) / 1_048_576 }
            let cells = [
                comparison.kind.rawValue, spread(comparison.confined, share, 2) + " %",
                spread(comparison.free, share, 2) + " %", fixed(comparison.ratio(share), 3),
                spread(comparison.confined, memory, 1), spread(comparison.free, memory, 1),
                fixed(comparison.ratio(memory), 3),
            ]
            lines.append(Tables.row(cells))
        }
        return lines.joined(separator: "\n")
    }

    private func verdicts(_ comparison: Comparison) -> [Verdict] {
        let name = comparison.kind.rawValue
        let cost = comparison.ratio(\.processorShare)
        let memory = comparison.ratio { Double($0.highWaterBytes) }
        return [
            Verdict(promise: "\(name): CPU ≤ 1.03 × unconfined", measured: fixed(cost, 3), isKept: cost <= Self.limit),
            Verdict(
                promise: "\(name): peak memory ≤ 1.03 × unconfined", measured: fixed(memory, 3),
                isKept: memory <= Self.limit),
        ]
    }
}
