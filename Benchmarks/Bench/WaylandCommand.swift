// A Wayland screen: Kinecast beside wf-recorder, on a private compositor.
import ArgumentParser
import Glibc
import KineCapture
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

struct WaylandCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wayland", abstract: "Compares recording a Wayland screen with wf-recorder.",
        discussion: """
            1920×1080 at up to 30 frames a second, on a private sway that draws in memory. idle is a page that stands still, terminal is foot \
            that prints a hundred lines a second, motion moves all of the screen 30 times a second. wf-recorder has libx264 in 4:2:0 with the \
            preset that is given, and the rate factor at which its frames of motion are as good as Kinecast's, which has its own settings; \
            the other screens follow motion, with the same factor. What counts is the CPU of the whole process tree with the compositor's \
            increase, starting and ending included.
            """)

    enum Work: String, CaseIterable, ExpressibleByArgument {
        // In the order in which they are measured: the rate factor that motion gives is that of the others.
        case motion, idle, terminal

        /// The most CPU and memory of wf-recorder's that is promised. Of motion's CPU nothing is.
        var limits: (cost: Double?, memory: Double) {
            switch self {
            case .idle: (0.25, 0.6)
            case .terminal: (0.4, 0.5)
            case .motion: (nil, 0.5)
            }
        }

        var scene: SceneKind? {
            switch self {
            case .idle: .idle
            case .terminal: nil
            case .motion: .motion
            }
        }
    }

    @Argument(help: "What the screen shows; all of it if nothing is named.")
    var work: [Work] = []

    @Option(help: "Rounds; each runs both recorders once.")
    var runs = 3

    @Option(
        help:
            "Seconds of each run; 10 if not given, and 30 of the idle screen, where a short run shows the start and little else."
    )
    var seconds: Double?

    @Option(help: "wf-recorder's rate factor; of motion, the first that is tried.")
    var rateFactor = 23.0

    @Option(help: "wf-recorder's preset of x264.")
    var preset = "veryfast"

    private static let size = PixelSize(width: 1920, height: 1080)

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
        guard seconds ?? 1 >= 1 else { throw ValidationError("--seconds must be at least 1.") }
    }

    func run() throws {
        print(Machine.description(packages: ["sway", "wf-recorder", "foot", "libx264-164"]))
        print("\n| screen | recorder | CPU s | + sway s | CPU % | peak MiB | bytes | drawn | captured | SSIM |")
        print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        var verdicts: [String] = []
        var rateFactor = rateFactor
        for work in Work.allCases where self.work.isEmpty || self.work.contains(work) {
            let screen = try WaylandScreen(size: Self.size)
            defer { screen.close() }
            let outcomes = try compare(work, on: screen, &rateFactor)
            for (name, outcomes) in zip(["Kinecast", "wf-recorder, crf \(fixed(rateFactor, 1))"], outcomes) {
                print(Self.row(work, name, outcomes))
            }
            verdicts.append(Self.verdict(work, outcomes))
            fflush(nil)
        }
        print(
            "\n| screen | CPU | at most | memory | at most | every drawn frame | SSIM equal | |\n|---|--:|--:|--:|--:|---|---|---|"
        )
        for verdict in verdicts { print(verdict) }
    }

    /// Kinecast's outcomes and wf-recorder's. Of motion, `rateFactor` becomes the one that gave Kinecast's SSIM.
    private func compare(_ work: Work, on screen: WaylandScreen, _ rateFactor: inout Double) throws -> [[Outcome]] {
        let shown = try screen.show(work)
        defer { _ = shown.end(signal: SIGKILL, deadline: 0) }
        let baseline = screen.load(over: 4)
        let seconds = seconds ?? (work == .idle ? 30 : 10)
        let output = screen.folder.file("take.mp4")
        func record(_ command: (executable: String, arguments: [String])) throws -> Outcome {
            unlink(output)
            var outcome = try screen.observe(
                command.executable, command.arguments, seconds: seconds, baseline: baseline)
            var status = stat()
            if stat(output, &status) == 0 { outcome.bytes = Int(status.st_size) }
            // A file that was not finished, as wf-recorder's of a still screen, cannot be compared.
            if let scene = work.scene?.make(size: Self.size, framesPerSecond: 30),
                let report = try? FrameReport(path: output, scene: scene)
            {
                outcome.frame = report
            }
            return outcome
        }
        var outcomes: [[Outcome]] = [[], []]
        for round in 0..<runs {
            for index in round % 2 == 0 ? [0, 1] : [1, 0] {
                if index == 0 {
                    outcomes[0].append(try record(try kinecast(output, seconds)))
                } else if round == 0, work == .motion, let target = outcomes[0].first?.frame.similarity {
                    // The outcome that came nearest counts as the first round's.
                    let found = try RateFactorSearch.factor(for: target, from: rateFactor) {
                        try record(try reference(output, seconds, rateFactor: $0))
                    }
                    rateFactor = found.factor
                    outcomes[1].append(found.outcome)
                } else {
                    outcomes[1].append(try record(try reference(output, seconds, rateFactor: rateFactor)))
                }
            }
            BroadcastCommand.complain(
                "\(work.rawValue) \(round + 1): "
                    + outcomes.map { "\(fixed($0[round].seconds, 3)) s" }.joined(separator: ", "))
        }
        return outcomes
    }

    private func kinecast(_ output: String, _ seconds: Double) throws -> (String, [String]) {
        (
            try Tool.sibling("kinecast"),
            ["record", output, "--fps", "30", "--audio", "none", "--duration", "\(fixed(seconds, 1))s"]
        )
    }

    /// wf-recorder has no length of its own, and of a still screen it does not end at a signal. Without a filter it writes 4:4:4
    /// in full range, whatever `-x` says. The filter's own scaler, a fast bilinear one, moves the right of the picture by half a
    /// pixel.
    private func reference(_ output: String, _ seconds: Double, rateFactor: Double) throws -> (String, [String]) {
        (
            try Tool.path(of: "timeout"),
            [
                "--preserve-status", "--signal=INT", "--kill-after=2", fixed(seconds, 1),
                try Tool.path(of: "wf-recorder"), "-f",
                output, "-c", "libx264", "-F", "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic,format=yuv420p",
                "-r", "30", "-p", "preset=\(preset)", "-p",
                "crf=\(fixed(rateFactor, 1))",
            ]
        )
    }

    private static func row(_ work: Work, _ name: String, _ outcomes: [Outcome]) -> String {
        func middle(_ value: (Outcome) -> Double) -> Double { median(outcomes.map(value)) }
        let frames = work.scene == nil ? nil : outcomes
        return Tables.row([
            work.rawValue, name, fixed(middle { $0.cost.processorSeconds }, 3), fixed(middle { $0.displaySeconds }, 3),
            fixed(middle { $0.seconds / $0.cost.elapsedSeconds * 100 }, 1),
            Tables.mebibytes(Int(middle { Double($0.cost.peakResidentBytes) })),
            fixed(middle { Double($0.bytes) }, 0),
            frames == nil ? "–" : fixed(middle { Double($0.frame.drawn) }, 0),
            frames == nil ? "–" : fixed(middle { Double($0.frame.distinct) }, 0),
            fixed(median(outcomes.compactMap(\.frame.similarity)), 4),
        ])
    }

    private static func verdict(_ work: Work, _ outcomes: [[Outcome]]) -> String {
        let cost = median(zip(outcomes[0], outcomes[1]).map { $0.seconds / $1.seconds })
        let memory = median(
            zip(outcomes[0], outcomes[1]).map {
                Double($0.cost.peakResidentBytes) / Double($1.cost.peakResidentBytes)
            })
        let hasAll = outcomes[0].allSatisfy { $0.frame.distinct == $0.frame.drawn }
        let limits = work.limits
        // Of idle, wf-recorder's file is not finished.
        let difference = work == .motion ? Comparison.similarity(outcomes[0]) - Comparison.similarity(outcomes[1]) : nil
        let isEqual = difference.map { abs($0) <= RateFactorSearch.tolerance + 0.00005 }
        let isKept = cost <= limits.cost ?? .infinity && memory <= limits.memory && hasAll && isEqual != false
        return Tables.row([
            work.rawValue, fixed(cost, 3), limits.cost.map { fixed($0, 2) } ?? "–", fixed(memory, 3),
            fixed(limits.memory, 2),
            work.scene == nil ? "–" : hasAll ? "yes" : "no", isEqual.map { $0 ? "yes" : "no" } ?? "–",
            isKept ? "pass" : "**miss**",
        ])
    }
}

/// A private compositor, what is shown there, and what it costs. Used by the main thread only: the compositor dies with it.
private final class WaylandScreen {
    let folder: TemporaryDirectory
    private let session: VirtualSession
    private let compositor: Int32

    init(size: PixelSize) throws {
        folder = try TemporaryDirectory()
        let before = Set(ProcFiles.children(of: getpid()))
        session = try VirtualSession(.wayland, size: size, directory: folder.path, withAudio: false)
        let started = ProcFiles.children(of: getpid()).filter { !before.contains($0) }
        guard let compositor = started.first(where: { ProcFiles.name(of: $0) == "sway" }) else {
            throw Tool.Error.failed(name: "sway", ending: .unknown, complaint: "It is no child of this process.")
        }
        self.compositor = compositor
    }

    func close() { session.end() }

    private var environment: [String] { ProcessEnvironment.secluded(in: folder) + session.environment }

    /// Starts a program that draws; it runs until it is ended.
    func show(_ work: WaylandCommand.Work) throws -> ChildProcess {
        if let scene = work.scene { return try SceneProcess(scene, arguments: [], environment: environment).process }
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil]
        options.parentDeathSignal = SIGTERM
        let script =
            "i=0; while :; do i=$((i + 1)); echo \"$i the quick brown fox jumps over the lazy dog\"; sleep 0.01; done"
        return try ChildProcess(
            executable: try Tool.path(of: "foot"), arguments: ["sh", "-c", script], environment: environment,
            options: options)
    }

    /// Seconds on a processor for each second of the clock, of the compositor alone.
    func load(over seconds: Double) -> Double {
        usleep(2_000_000)  // what is shown has just begun
        let before = compositorSeconds
        usleep(UInt32(seconds * 1e6))  // the measurement's length
        return (compositorSeconds - before) / seconds
    }

    private var compositorSeconds: Double {
        Double(ProcFiles.processorNanoseconds(of: compositor) ?? 0) / 1e9
    }

    func observe(
        _ executable: String, _ arguments: [String], seconds: Double, baseline: Double
    ) throws -> Outcome {
        let log = try FileDescriptor.open(
            FilePath(folder.file("log")), .readWrite, options: [.create, .truncate], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        let before = compositorSeconds
        var outcome = Outcome()
        outcome.cost = try MeasuredProcess.run(
            executable, arguments, environment: environment, output: log, expectedSeconds: seconds)
        outcome.displaySeconds = max(0, compositorSeconds - before - baseline * outcome.cost.elapsedSeconds)
        return outcome
    }
}
