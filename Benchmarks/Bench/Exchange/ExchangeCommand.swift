// Measures what app and extension exchange: frames, beside the ways in use today, and the time until a value that is set or a
// notification that is posted is known in other processes.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

struct ExchangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exchange",
        abstract: "Measures an extension's frames in an app, shared values and notifications.",
        discussion: """
            Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")); all of them if none is named.
            The tables go to standard output as Markdown, progress to standard error.
            """)

    enum Part: String, CaseIterable, ExpressibleByArgument {
        /// From a real take through an extension to an app, and by the ways of today.
        case frames
        /// From setting a value, or posting a notification, until other processes know.
        case listening
    }

    @Argument(help: "What to measure.")
    var parts: [Part] = []

    @Option(help: "Seconds of each run with frames.")
    var seconds = 10.0

    @Option(help: "How often the ways of bringing frames are run in turn.")
    var runs = 2

    @Option(help: "Values that are set, and notifications that are posted, for each number of listeners.")
    var events = 200

    @Flag(help: "One round of 3 seconds, and 40 events: a check, not a result.")
    var quick = false

    private static let size = PixelSize(width: 1920, height: 1080)
    private static let framesPerSecond = 60
    private static let listeners = [1, 10, 100]
    /// Milliseconds between two events.
    private static let interval = 50

    func validate() throws {
        guard seconds >= 2 else { throw ValidationError("--seconds must be at least 2.") }
        guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
        guard events > 0 else { throw ValidationError("--events must be at least 1.") }
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
        let chosen = parts.isEmpty ? Part.allCases : parts
        var sections: [String] = []
        var verdicts: [Verdict] = []
        if chosen.contains(.frames) {
            let (passed, baselines) = frames(attempt, attempt)
            sections.append(
                "### An extension's frames in an app, and the ways of today\n\n"
                    + ExchangeTables.frames(passed: passed, baselines: baselines))
            verdicts += ExchangeBars.verdicts(passed: passed, baselines: baselines)
        }
        if chosen.contains(.listening) {
            let runs = ExchangeMedium.allCases.flatMap { medium in
                Self.listeners.compactMap { count in
                    attempt("\(medium.name) with \(count) listeners") {
                        try ListeningRun.run(
                            medium, listeners: count, events: quick ? 40 : events, interval: Self.interval)
                    }
                }
            }
            sections.append("### From one process to others of its group\n\n" + ExchangeTables.listening(runs))
            verdicts += ExchangeBars.verdicts(runs)
        }
        print(Machine.description(packages: ["xvfb", "libturbojpeg0"]))
        for section in sections { print("\n" + section) }
        print("\n### What is promised\n\n" + BroadcastTables.verdicts(verdicts))
        BroadcastCommand.complain("took \((MonotonicClock.now() - started) / 1_000_000_000) s")
        if !failures.isEmpty {
            print("\n### What failed\n\n" + failures.map { "- \($0)" }.joined(separator: "\n"))
            throw ExitCode.failure
        }
    }

    private typealias Attempt<Result> = (_ title: String, _ body: () throws -> Result) -> Result?

    /// All ways in turn; of each the run with the middle cost.
    private func frames(
        _ attempt: Attempt<PassedTake>, _ attemptBaseline: Attempt<Transfer>
    ) -> (passed: [PassedTake], baselines: [Transfer]) {
        let length = quick ? 3 : seconds
        let taker = RawTaker(seconds: length)
        let kinds: [(RawSource, readsAll: Bool)] = [(.pattern, false), (.scene(.video), false), (.pattern, true)]
        var passed: [[PassedTake]] = kinds.map { _ in [] }
        var baselines: [[Transfer]] = Baseline.allCases.map { _ in [] }
        for _ in 0..<(quick ? 1 : runs) {
            for (index, (source, readsAll)) in kinds.enumerated() {
                let take = attempt("frames of \(source.name) passed on\(readsAll ? ", every byte read" : "")") {
                    try taker.takePassed(
                        source, size: Self.size, framesPerSecond: Self.framesPerSecond, readsAll: readsAll)
                }
                if let take { passed[index].append(take) }
            }
            for (index, way) in Baseline.allCases.enumerated() {
                let transfer = attemptBaseline(way.name) {
                    try way.run(size: Self.size, framesPerSecond: Self.framesPerSecond, seconds: length)
                }
                if let transfer { baselines[index].append(transfer) }
            }
        }
        func middle<Run>(_ runs: [Run], _ cost: (Run) -> Double) -> Run? {
            runs.isEmpty ? nil : runs.sorted { cost($0) < cost($1) }[(runs.count - 1) / 2]
        }
        return (
            passed.compactMap { middle($0, \.transfer.cost) }, baselines.compactMap { middle($0, \.cost) }
        )
    }
}
