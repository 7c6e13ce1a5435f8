// Measures the frames that an extension passes on to an app, beside the ways in use today.
import ArgumentParser
import KineMeasure
import KineMedia

struct ExchangeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exchange",
        abstract: "Measures an extension's frames in an app.",
        discussion: """
            The tables go to standard output as Markdown, progress to standard error.
            """)

    @Option(help: "Seconds of each run with frames.")
    var seconds = 10.0

    @Option(help: "How often the ways of bringing frames are run in turn.")
    var runs = 2

    @Flag(help: "One round of 3 seconds: a check, not a result.")
    var quick = false

    private static let size = PixelSize(width: 1920, height: 1080)
    /// Megabytes of 2²⁰ bytes, of an extension that passes 1080p60 on.
    private static let memoryLimit = 30

    func validate() throws { try check(runs: runs, seconds: seconds, atLeast: 2) }

    func run() throws {
        let attempt = Attempts()
        let (length, rounds) = (quick ? 3 : seconds, quick ? 1 : runs)
        let taker = RawTaker(seconds: length)
        let ways: [() throws -> PassedTake] = [
            { try taker.takePassed(.pattern, size: Self.size) },
            { try taker.takePassed(.scene(.video), size: Self.size) },
            { try taker.takePassed(.pattern, size: Self.size, readsAll: true) },
        ]
        let passed = Transfer.inTurn(rounds, ways, attempt, cost: \.transfer.cost)
        let baselines = Transfer.inTurn(
            rounds, Baseline.allCases.map { way in { () throws -> Transfer in try way.run(seconds: length) } }, attempt,
            cost: \.cost)
        print(Machine.description(["xvfb", "libturbojpeg0"]))
        let columns = """
            way | >frames/s sent | >arrived | >lost | >delay p50 ms | >p99 ms | >from capture: p50 ms | >p99 ms | \
            >CPU ms/frame, extension | >app | >both | >bytes copied/frame | >peak MiB, extension | >app
            """
        var rows = passed.map { take in
            Self.row(
                take.transfer, lost: take.lost,
                sinceCapture: [0.5, 0.99].map { fixed(take.sinceCapture.delayMilliseconds($0), 2) },
                copied: take.transfer.isInPlace ? "0" : "not in place")
        }
        rows += baselines.map { way in
            let skipped = Int(way.sender.notes["skipped"] ?? "") ?? 0
            return Self.row(
                way, lost: skipped + way.sender.frames - way.receiver.delays.count, sinceCapture: ["–", "–"],
                copied: fixed(way.movedBytes, 0))
        }
        print("\n### An extension's frames in an app, and the ways of today\n\n" + Tables.table(columns, rows))
        let verdicts = passed.flatMap { Self.verdicts($0, beside: baselines) }
        print("\n### What is promised\n\n" + Tables.verdicts(verdicts))
        try attempt.end()
    }

    private static func row(_ transfer: Transfer, lost: Int, sinceCapture: [String], copied: String) -> [String] {
        var cells = transfer.delayCells
        cells.insert("\(lost)", at: 1)
        return [transfer.name, "\(transfer.framesPerSecond)"] + cells + sinceCapture + transfer.costCells + [copied]
            + transfer.memoryCells
    }

    private static func verdicts(_ take: PassedTake, beside baselines: [Transfer]) -> [Verdict] {
        let (ours, name) = (take.transfer, take.transfer.name)
        func ratio(_ what: String, _ way: Transfer, _ value: (Transfer) -> Double) -> Verdict {
            let ratio = value(ours) / value(way)
            return Verdict("\(name): \(what) ≤ “\(way.name)”", "\(fixed(ratio, 3)) ×", ratio <= 1)
        }
        // The ways of today are not measured with apps that read every byte.
        var result = (ours.readsAll ? [] : baselines).flatMap {
            [ratio("delay p99", $0, \.late), ratio("CPU of both", $0, \.cost)]
        }
        let peak = ours.sender.highWaterBytes
        result += [
            Verdict(
                "\(name): no byte of a frame copied, the extension and the app see the engine's memory",
                "\(take.placements.extension); \(take.placements.app)", ours.isInPlace),
            Verdict(
                "\(name): the extension's peak < \(memoryLimit) MB", mebibytes(peak),
                !ours.receiver.delays.isEmpty && peak < memoryLimit << 20),
        ]
        return result
    }
}

/// One take, and the accounts of both ends.
struct PassedTake {
    /// The delays are from the extension's handler to the app's.
    var transfer: Transfer
    /// The app's account with delays from capture.
    var sinceCapture: TransferReport
    /// The mapping in which each of the two saw the frames.
    var placements: (extension: String, app: String)
    /// Frames that did not reach the extension, and those that did and never reached the app.
    var lost: Int
}

extension RawTaker {
    private static let group = "org.kinecast.meter.frames"

    /// - Parameter readsAll: both handlers read every byte.
    func takePassed(
        _ source: RawSource, size: PixelSize, framesPerSecond: Int = 60, readsAll: Bool = false
    ) throws -> PassedTake {
        let folder = try TemporaryDirectory()
        let bundle = try MeterBundle(group: Self.group)
        let setup = try Setup(source, size: size, framesPerSecond: framesPerSecond)
        defer { setup.end() }
        let environment = setup.environment(folder) + bundle.environment
        // The app lies in a directory of its own, with the manifest that makes it a member of the group.
        let place = try TemporaryDirectory()
        try place.write(
            #"{"identifier": "org.kinecast.receivermeter", "groups": {"\#(Self.group)": ["\#(MeterBundle.service)"]}}"#
                .utf8,
            to: "kinecast-app.json")
        let program = try place.write(
            try Tool.contents(of: Tool.sibling("kinecast-receivermeter")), to: "app",
            permissions: .ownerReadWriteExecute)
        let app = try HeldProcess(
            "kinecast-receivermeter", at: program, [Self.group] + (readsAll ? ["--read-all"] : []),
            environment: environment, holdsInput: true)
        func expect(_ line: String) throws {
            let said = try app.line(deadline: deadline(in: 20))
            guard said == line else { throw EngineTake.Failed(description: "The receiving app said “\(said)”.") }
        }
        try expect("ready")
        var configuration = setup.configuration(output: nil, framesPerSecond: framesPerSecond)
        configuration.destinations = [bundle.destination(report: "report", readsAll: readsAll)]
        let take = try EngineTake(
            configuration, environment: environment, folder: folder, receivers: [program])
        try expect("connected")
        let origin = try take.origin()
        try take.run(for: seconds)
        let summary = try take.stop()
        let received = MeterAccount(try app.report(deadline: deadline(in: 20)))
        withExtendedLifetime(place) {}
        let sent = try MeterAccount(path: bundle.reportPath("report"))
        let passage = Passage(sent: sent.arrivals, received: received.arrivals)
        guard !passage.delays.isEmpty else {
            throw EngineTake.Failed(description: "No frame of the extension reached the receiving app.")
        }
        var transfer = Transfer(
            name: "Kinecast, \(source.name)" + (readsAll ? ", every byte read by both" : ""), size: size,
            framesPerSecond: framesPerSecond, seconds: seconds, isOfToday: false, readsAll: readsAll,
            isInPlace: sent.isInPlace && received.isInPlace)
        transfer.sender = sent.report
        transfer.receiver = received.report
        transfer.receiver.delays = passage.delays
        return PassedTake(
            transfer: transfer,
            sinceCapture: received.sinceCapture(origin: origin, framesPerSecond: framesPerSecond),
            placements: (sent.placement, received.placement),
            lost: passage.missing + Int(summary.destinations.first?.framesSkipped ?? 0))
    }
}

/// The frames that an extension has passed on, and those that an app has received, of one take: matched by presentation time.
struct Passage {
    /// For each frame that both had, nanoseconds from the entry of the extension's handler to the entry of the app's.
    let delays: [Int64]
    /// Frames of the extension, between the app's first and last, that the app did not get.
    let missing: Int

    /// Both in the order of arrival. Frames from before the app was connected, and from after it had ended, do not count.
    init(sent: [MeterAccount.Arrival], received: [MeterAccount.Arrival]) {
        let instants = Dictionary(received.map { ($0.presentationTime, $0.instant) }) { first, _ in first }
        let matched = sent.indices.filter { instants[sent[$0].presentationTime] != nil }
        delays = matched.compactMap { index in
            instants[sent[index].presentationTime].map { $0 - sent[index].instant }
        }
        guard let first = matched.first, let last = matched.last else {
            missing = sent.count
            return
        }
        missing = last - first + 1 - matched.count
    }
}
