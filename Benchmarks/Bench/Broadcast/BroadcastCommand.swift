// Measures the cost and the delay of broadcasting through extensions, beside the ways in use today.
import ArgumentParser
import KineMeasure
import KineMedia

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
        /// The extensions of this run.
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

    static let lateLimit = 2.0
    static let costLimit = 1.0 / 20
    private static let hd = PixelSize(width: 1920, height: 1080)
    private static let ultraHD = PixelSize(width: 3840, height: 2160)

    func validate() throws { try check(runs: runs, seconds: seconds, atLeast: 2) }

    func run() throws {
        let attempt = Attempts()
        let length = quick ? 3 : seconds
        let rounds = quick ? 1 : runs
        func has(_ part: Part) -> Bool { parts.isEmpty || parts.contains(part) }
        let taker = RawTaker(seconds: length)
        var verdicts: [Verdict] = []
        var relay: Transfer?
        var cheapest: Transfer?
        var take: RawTake?
        print(Machine.description())
        if has(.transfers) {
            let ways: [() throws -> Transfer] = [
                { try Relay.run(size: Self.hd, seconds: length) },
                { try Relay.run(size: Self.ultraHD, seconds: length) },
                { try Relay.run(size: Self.hd, seconds: length, readsAll: true) },
            ]
            let runs = Transfer.inTurn(
                rounds,
                ways + Baseline.allCases.map { way in { () throws -> Transfer in try way.run(seconds: length) } },
                attempt,
                cost: \.cost)
            cheapest = runs.filter(\.isOfToday).min { $0.cost < $1.cost }
            print("\n### The same frames, by Kinecast's relay and by the ways of today\n")
            print(Transfer.table(runs, cheapest: cheapest))
            for run in runs where !run.isOfToday && !run.readsAll {
                let title = "\(run.size.height)p60, relay alone"
                verdicts.append(Self.late(title, run.late))
                verdicts.append(
                    Verdict(
                        "\(title): no byte of a frame copied", fixed(run.movedBytes, 0),
                        run.movedBytes == 0 && run.isInPlace))
            }
            relay = runs.first { !$0.isOfToday && !$0.readsAll && $0.size == Self.hd }
        }
        if has(.takes) {
            let kinds: [(RawSource, PixelSize)] = [
                (.pattern, Self.hd), (.scene(.video), Self.hd), (.scene(.motion), Self.hd),
                (.pattern, Self.ultraHD), (.scene(.video), Self.ultraHD),
            ]
            let takes = kinds.compactMap { source, size in
                attempt("a take of \(source.name) at \(size.height)p60") { try taker.take(source, size: size) }
            }
            print("\n### A real take with a real extension\n\n" + RawTake.table(takes))
            for take in takes {
                let title = "\(take.size.height)p60, \(take.source.name)"
                verdicts += [
                    Self.late("\(title), from capture", take.account.delayMilliseconds(0.99)),
                    Self.late("\(title), from the screen", take.sinceDrawing.delayMilliseconds(0.99)),
                    Verdict(
                        "\(title): the handler sees what conversion wrote, in place", take.placement, take.isInPlace),
                ]
            }
            take = takes.first { $0.size == Self.hd }
        }
        var increase: EngineCost?
        if has(.engine) {
            let costs = (0..<rounds).compactMap { _ in
                attempt("an engine with and without its extension") {
                    let alone = try taker.engineCost(size: Self.hd, withExtension: false)
                    return (alone: alone, served: try taker.engineCost(size: Self.hd, withExtension: true))
                }
            }
            print("\n### What an engine needs for its extension\n\n" + EngineCost.table(costs))
            if !costs.isEmpty {
                increase = EngineCost(
                    capture: costs.middle { $0.served.capture - $0.alone.capture },
                    others: costs.middle { $0.served.others - $0.alone.others })
            }
        }
        if let cheapest {
            if let relay { verdicts.append(Self.cost("relay alone", relay.cost, cheapest)) }
            if let increase, let take {
                // Supervision costs by the second, not by the frame, and is no part of the relay; it is printed all the same.
                let all = (increase.sum + take.readerCost) / cheapest.cost
                verdicts.append(
                    Self.cost(
                        "a take's extension and what capture needs more", increase.capture + take.readerCost, cheapest,
                        "; with supervision 1/\(fixed(1 / all, 0))"))
            }
        }
        if has(.memory) {
            for (size, rate, limit) in [(Self.hd, 60, 30), (Self.ultraHD, 30, 50)] {
                let take = attempt("memory of an extension at \(size.height)p\(rate)") {
                    let take = try taker.take(.pattern, size: size, framesPerSecond: rate, readsAll: true)
                    guard take.arrived > 0 else { throw EngineTake.Failed(description: "No frame arrived.") }
                    return take
                }
                guard let take else { continue }
                verdicts.append(
                    .memory(
                        "extension that reads \(size.height)p\(rate) raw: peak", take.account.highWaterBytes,
                        limit: limit))
            }
        }
        print("\n### What is promised\n\n" + Tables.verdicts(verdicts))
        try attempt.end()
    }

    private static func late(_ title: String, _ milliseconds: Double) -> Verdict {
        Verdict(
            "\(title): p99 ≤ \(fixed(lateLimit, 0)) ms", fixed(milliseconds, 2), milliseconds <= lateLimit)
    }

    private static func cost(
        _ title: String, _ milliseconds: Double, _ cheapest: Transfer, _ more: String = ""
    ) -> Verdict {
        let ratio = milliseconds / cheapest.cost
        return Verdict(
            "\(title): CPU ≤ 1/20 of “\(cheapest.name)”", "\(fixed(ratio, 4)) = 1/\(fixed(1 / ratio, 0))\(more)",
            ratio <= costLimit)
    }
}
