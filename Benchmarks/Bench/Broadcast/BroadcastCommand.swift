// Measures the cost and the delay of broadcasting through extensions, beside the ways in use today.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

struct BroadcastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract: "Measures what it takes to bring frames to an extension, and the memory of extensions.",
        discussion: """
            Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")); all of them if none is named.
            The tables go to standard output as Markdown, progress to standard error.
            """)

    enum Part: String, CaseIterable, ExpressibleByArgument {
        /// The same frames by the relay and by the ways of today.
        case transfers
        /// Real engines with a real extension.
        case takes
        /// What an engine needs for its extension.
        case engine
        /// Of extensions, and of the live page's server.
        case memory
    }

    @Argument(help: "What to measure.")
    var parts: [Part] = []

    @Option(help: "Seconds of each run.")
    var seconds = 10.0

    @Option(help: "How often the ways are run in turn, and the engine with and without its extension.")
    var runs = 2

    @Flag(help: "One round of 3 seconds: a check, not a result.")
    var quick = false

    private static let fullHD = PixelSize(width: 1920, height: 1080)
    private static let ultraHD = PixelSize(width: 3840, height: 2160)

    func validate() throws {
        guard seconds >= 2 else { throw ValidationError("--seconds must be at least 2.") }
        guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
    }

    func run() throws {
        let started = MonotonicClock.now()
        var failures: [String] = []
        /// A part that fails must not take the others' minutes with it.
        func attempt<Result>(_ title: String, _ body: () throws -> Result) -> Result? {
            BroadcastCommand.complain("[\((MonotonicClock.now() - started) / 1_000_000_000) s] \(title)")
            do {
                return try body()
            } catch {
                failures.append("\(title): \(error)")
                BroadcastCommand.complain(failures[failures.count - 1])
                return nil
            }
        }
        let length = quick ? 3 : seconds
        let rounds = quick ? 1 : runs

        var results = Results()
        if has(.transfers) { (results.relays, results.baselines) = transfers(length, rounds, attempt) }
        if has(.takes) { results.takes = takes(RawTaker(seconds: length), attempt) }
        if has(.engine) {
            results.costs = (0..<rounds).compactMap { _ in
                attempt("an engine with and without its extension") {
                    let taker = RawTaker(seconds: length)
                    let alone = try taker.engineCost(size: BroadcastCommand.fullHD, framesPerSecond: 60, fed: false)
                    return (try taker.engineCost(size: BroadcastCommand.fullHD, framesPerSecond: 60, fed: true), alone)
                }
            }
        }
        if has(.memory) { (results.raw, results.live) = memory(length, attempt) }
        report(results)
        BroadcastCommand.complain("took \((MonotonicClock.now() - started) / 1_000_000_000) s")
        if !failures.isEmpty {
            print("\n### What failed\n\n" + failures.map { "- \($0)" }.joined(separator: "\n"))
            throw ExitCode.failure
        }
    }

    private struct Results {
        var relays: [Transfer] = []
        var baselines: [Transfer] = []
        var takes: [RawTake] = []
        var costs: [(fed: EngineCost, alone: EngineCost)] = []
        var raw: [(take: RawTake, limit: Int)] = []
        var live: [(memory: LiveMemory, limit: Int)] = []
    }

    private func has(_ part: Part) -> Bool { parts.isEmpty || parts.contains(part) }

    private func report(_ results: Results) {
        print(Machine.description())
        if has(.transfers) {
            print("\n### The same frames, by Kinecast's relay and by the ways of today\n")
            print(BroadcastTables.transfers(results.relays + results.baselines))
        }
        if has(.takes) {
            print("\n### A real take with a real extension, or an app\n\n" + BroadcastTables.takes(results.takes))
        }
        if has(.engine) {
            print("\n### What an engine needs for its extension\n\n" + BroadcastTables.engineCosts(results.costs))
        }
        if has(.memory) {
            print("\n### Memory\n")
            print(BroadcastTables.memory(raw: results.raw.map(\.take), live: results.live.map(\.memory)))
        }
        let verdicts =
            BroadcastBars.verdicts(
                relays: results.relays.filter { !$0.readsAll }, baselines: results.baselines, takes: results.takes,
                increase: BroadcastCommand.increase(results.costs))
            + BroadcastBars.verdicts(raw: results.raw, live: results.live)
        print("\n### What is promised\n\n" + BroadcastTables.verdicts(verdicts))
    }

    /// The middle of the rounds.
    private static func increase(_ costs: [(fed: EngineCost, alone: EngineCost)]) -> EngineCost? {
        guard !costs.isEmpty else { return nil }
        return EngineCost(
            capture: median(costs.map { $0.fed.capture - $0.alone.capture }),
            others: median(costs.map { $0.fed.others - $0.alone.others }))
    }

    private typealias Attempt<Result> = (_ title: String, _ body: () throws -> Result) -> Result?

    /// The ways in turn; of each the run with the middle cost.
    private func transfers(
        _ seconds: Double, _ rounds: Int, _ attempt: Attempt<Transfer>
    ) -> (relays: [Transfer], baselines: [Transfer]) {
        var relays: [[Transfer]] = [[], [], []]
        var baselines: [[Transfer]] = Baseline.allCases.map { _ in [] }
        let kinds = [
            (BroadcastCommand.fullHD, false), (BroadcastCommand.ultraHD, false), (BroadcastCommand.fullHD, true),
        ]
        for _ in 0..<rounds {
            for (index, (size, readsAll)) in kinds.enumerated() {
                let transfer = attempt("the relay at \(size.height)p60\(readsAll ? ", every byte read" : "")") {
                    try Relay.run(size: size, framesPerSecond: 60, seconds: seconds, readsAll: readsAll)
                }
                if let transfer { relays[index].append(transfer) }
            }
            for (index, way) in Baseline.allCases.enumerated() {
                let transfer = attempt(way.name) {
                    try way.run(size: BroadcastCommand.fullHD, framesPerSecond: 60, seconds: seconds)
                }
                if let transfer { baselines[index].append(transfer) }
            }
        }
        func middle(_ runs: [Transfer]) -> Transfer? {
            runs.isEmpty ? nil : runs.sorted { $0.cost < $1.cost }[(runs.count - 1) / 2]
        }
        return (relays.compactMap(middle), baselines.compactMap(middle))
    }

    private func takes(_ taker: RawTaker, _ attempt: Attempt<RawTake>) -> [RawTake] {
        let kinds: [(RawSource, PixelSize)] = [
            (.pattern, BroadcastCommand.fullHD), (.scene(.video), BroadcastCommand.fullHD),
            (.scene(.motion), BroadcastCommand.fullHD), (.pattern, BroadcastCommand.ultraHD),
            (.scene(.video), BroadcastCommand.ultraHD),
        ]
        let byExtensions = kinds.compactMap { source, size in
            attempt("a take of \(source.name) at \(size.height)p60") {
                try taker.take(source, size: size, framesPerSecond: 60)
            }
        }
        let byApps = [SceneKind.video, .motion].compactMap { kind in
            attempt("an app's capture of \(kind.rawValue) at 1080p60") {
                try taker.takeByApp(kind, size: BroadcastCommand.fullHD, framesPerSecond: 60)
            }
        }
        return byExtensions + byApps
    }

    private func memory(
        _ seconds: Double, _ attempt: Attempt<Void>
    ) -> (raw: [(take: RawTake, limit: Int)], live: [(memory: LiveMemory, limit: Int)]) {
        var raw: [(take: RawTake, limit: Int)] = []
        var live: [(memory: LiveMemory, limit: Int)] = []
        for (size, rate, limit) in [(BroadcastCommand.fullHD, 60, 30), (BroadcastCommand.ultraHD, 30, 50)] {
            _ = attempt("memory of an extension at \(size.height)p\(rate)") {
                let take = try RawTaker(seconds: seconds).take(
                    .pattern, size: size, framesPerSecond: rate, readsAll: true)
                raw.append((take, limit))
            }
        }
        for (viewers, hostile) in [(50, nil), (200, nil), (500, 0), (500, 100)] as [(Int, Int?)] {
            _ = attempt("memory of kinecast-live with \(viewers) viewers, \(hostile ?? 0) hostile") {
                live.append((try LiveMemory.measure(viewers: viewers, hostile: hostile, seconds: seconds), 50))
            }
        }
        return (raw, live)
    }

    /// Standard output is for the tables.
    static func complain(_ line: String) {
        let text = line + "\n"
        text.withCString { _ = write(2, $0, strlen($0)) }
    }
}
