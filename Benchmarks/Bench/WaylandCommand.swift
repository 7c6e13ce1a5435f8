// A Wayland screen: Kinecast beside wf-recorder, on a private compositor.
import ArgumentParser
import Glibc
import KineMeasure

struct WaylandCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wayland", abstract: "Compares recording a Wayland screen with wf-recorder.",
        discussion: """
            1920×1080 at up to 30 frames a second, on a private sway that draws in memory. idle is a page that stands still, terminal is foot \
            that prints a hundred lines a second, motion moves all of the screen 30 times a second. wf-recorder has libx264 veryfast in \
            4:2:0, and the rate factor at which its frames of motion are as good as Kinecast's, which has its own settings; \
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

        var scene: SceneKind { self == .motion ? .motion : .idle }
        /// Whether the frames have numbers.
        var hasNumbers: Bool { self != .terminal }

        /// The program that draws in place of a scene.
        var program: [String]? {
            guard self == .terminal else { return nil }
            let line = #"echo "$i the quick brown fox jumps over the lazy dog"; sleep 0.01"#
            return ["foot", "sh", "-c", "i=0; while :; do i=$((i + 1)); \(line); done"]
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

    func validate() throws { try check(runs: runs, seconds: seconds) }

    func run() throws {
        print(Machine.description(["sway", "wf-recorder", "foot", "libx264-164"]))
        let columns =
            "screen | recorder | >CPU s | >+ sway s | >CPU % | >peak MiB | >bytes | >drawn | >captured | >SSIM"
        print("\n" + Tables.head(columns))
        var verdicts: [[String]] = []
        var rateFactor = rateFactor
        for work in Work.allCases where self.work.isEmpty || self.work.contains(work) {
            let outcomes = try compare(work, &rateFactor)
            for (name, outcomes) in zip(["Kinecast", "wf-recorder, crf \(fixed(rateFactor, 1))"], outcomes) {
                let frames = [
                    outcomes.middle { Double($0.frame.drawn) }, outcomes.middle { Double($0.frame.distinct) },
                ]
                print(
                    Tables.row(
                        [work.rawValue, name] + outcomes.cells
                            + frames.map { work.hasNumbers ? fixed($0, 0) : "–" } + [fixed(outcomes.similarity, 4)]))
            }
            verdicts.append(Self.verdict(work, outcomes))
            fflush(nil)
        }
        let limits = "screen | >CPU | >at most | >memory | >at most | every drawn frame | SSIM equal |"
        print("\n" + Tables.table(limits, verdicts))
    }

    /// Kinecast's outcomes and wf-recorder's. Of motion, `rateFactor` becomes the one that gave Kinecast's SSIM.
    private func compare(_ work: Work, _ rateFactor: inout Double) throws -> [[Outcome]] {
        var take = Take(scene: work.scene, seconds: seconds ?? (work == .idle ? 30 : 10))
        take.program = work.program
        let laboratory = try Laboratory(waylandSize: take.size)
        defer { laboratory.close() }
        func reference(rateFactor: Double) throws -> Outcome {
            let (executable, arguments) = try wfRecorder(laboratory.output, take.seconds, rateFactor: rateFactor)
            // Its file of a still screen is not finished, and cannot be compared.
            return try laboratory.observe(take, executable, arguments, examines: work.hasNumbers, mayFail: true)
        }
        var target: Double?
        var fitting = rateFactor
        let outcomes = try inTurn(runs, work.rawValue) { which, round in
            if which == 0 {
                let arguments = [
                    "record", laboratory.output, "--fps", "30", "--audio", "none", "--duration",
                    "\(fixed(take.seconds, 1))s",
                ]
                let outcome = try laboratory.observe(
                    take, try Tool.sibling("kinecast"), arguments, examines: work.hasNumbers)
                if round == 0 { target = outcome.frame.similarity }
                return outcome
            }
            guard round == 0, work == .motion, let target else {
                return try reference(rateFactor: fitting)
            }
            // The outcome that came nearest counts as the first round's.
            let found = try RateFactorSearch.factor(for: target, from: fitting) { try reference(rateFactor: $0) }
            fitting = found.factor
            return found.outcome
        }
        rateFactor = fitting
        return outcomes
    }

    /// wf-recorder has no length of its own, and of a still screen it does not end at a signal. Without a filter it writes 4:4:4
    /// in full range, whatever `-x` says. The filter's own scaler, a fast bilinear one, moves the right of the picture by half a
    /// pixel.
    private func wfRecorder(_ output: String, _ seconds: Double, rateFactor: Double) throws -> (String, [String]) {
        (
            try Tool.path(of: "timeout"),
            [
                "--preserve-status", "--signal=INT", "--kill-after=2", fixed(seconds, 1),
                try Tool.path(of: "wf-recorder"), "-f",
                output, "-c", "libx264", "-F", "scale=out_color_matrix=bt709:out_range=tv:flags=bicubic,format=yuv420p",
                "-r", "30", "-p", "preset=veryfast", "-p",
                "crf=\(fixed(rateFactor, 1))",
            ]
        )
    }

    private static func verdict(_ work: Work, _ outcomes: [[Outcome]]) -> [String] {
        let cost = median(outcomes[0].ratios(to: outcomes[1], \.seconds))
        let memory = median(outcomes[0].ratios(to: outcomes[1], \.peak))
        let hasAll = outcomes[0].allSatisfy { $0.frame.distinct == $0.frame.drawn }
        let limits = work.limits
        // Of idle, wf-recorder's file is not finished.
        let isEqual =
            work == .motion ? RateFactorSearch.isEqual(outcomes[0].similarity - outcomes[1].similarity) : nil
        let isKept = cost <= limits.cost ?? .infinity && memory <= limits.memory && hasAll && isEqual != false
        return [
            work.rawValue, fixed(cost, 3), limits.cost.map { fixed($0, 2) } ?? "–", fixed(memory, 3),
            fixed(limits.memory, 2), work.hasNumbers ? hasAll ? "yes" : "no" : "–",
            isEqual.map { $0 ? "yes" : "no" } ?? "–", Verdict.mark(isKept),
        ]
    }
}
