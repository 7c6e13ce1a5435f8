// Two builds of Kinecast in turn, with the same work: does the later one cost more?
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia

struct VersionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "Compares what this build costs with another build of Kinecast.",
        discussion: """
            Work: idle, typing, scroll, video and motion are recorded; broadcast shows motion at 60 frames a second on the live
            page; rtmp publishes video to nginx. All of it if none is named. 1920×1080, no audio. The two builds take turns, and
            which goes first changes from round to round; a ratio is taken within its round. What counts is the CPU of the
            whole process tree with the X server's increase, starting and ending included, and its peak memory.
            """)

    @Option(help: "The other build's kinecast, beside its engine.")
    var before: String

    @Argument(help: "The work.")
    var work: [Work] = []

    @Option(help: "Rounds for each kind of work.")
    var runs = 9

    @Option(help: "Seconds of each run: 20 for idle and typing and 10 for the rest if not given.")
    var seconds: Double?

    static let costLimit = 1.03
    static let memoryLimit = 1.02

    enum Work: String, CaseIterable, ExpressibleByArgument {
        case idle, typing, scroll, video, motion, broadcast, rtmp

        var scene: SceneKind { SceneKind(rawValue: rawValue) ?? (self == .rtmp ? .video : .motion) }
        var framesPerSecond: Int { self == .broadcast ? 60 : 30 }
        var usualSeconds: Double { self == .idle || self == .typing ? 20 : 10 }
    }

    func validate() throws {
        try check(runs: runs, seconds: seconds)
        guard access(before, X_OK) == 0 else { throw ValidationError("\(before) is not an executable.") }
    }

    func run() throws {
        let builds = [before, try Tool.sibling("kinecast")]
        let laboratory = try Laboratory()
        defer { laboratory.close() }
        let chosen = work.isEmpty ? Work.allCases : work
        let server = chosen.contains(.rtmp) ? try MediaServer() : nil
        print(Machine.description(["xvfb", "libx264-164"]))
        let columns =
            "work | >CPU s before | >now | >ratio | spread | >peak MiB before | >now | >ratio | spread |"
        print("\n" + Tables.head(columns))
        for work in chosen {
            let take = Take(
                scene: work.scene, framesPerSecond: work.framesPerSecond, seconds: seconds ?? work.usualSeconds)
            let outcomes = try inTurn(runs, work.rawValue) { build, round in
                try laboratory.observe(
                    take, builds[build],
                    try arguments(
                        of: work, take, output: laboratory.output,
                        address: server?.address("\(round)-\(build)")))
            }
            print(row(work, before: outcomes[0], now: outcomes[1]))
            fflush(nil)
        }
    }

    private func arguments(of work: Work, _ take: Take, output: String, address: String?) throws -> [String] {
        let common = [
            "--fps", "\(take.framesPerSecond)", "--audio", "none", "--duration", "\(fixed(take.seconds, 1))s",
        ]
        switch work {
        case .broadcast: return ["broadcast", "--listen", "127.0.0.1:\(try Loopback.freePort())"] + common
        case .rtmp: return ["broadcast", "--to", address ?? ""] + common
        default: return ["record", output] + common
        }
    }

    private func row(_ work: Work, before: [Outcome], now: [Outcome]) -> String {
        let cost = now.ratios(to: before, \.seconds)
        let memory = now.ratios(to: before, \.peak)
        let isKept = median(cost) <= Self.costLimit && median(memory) <= Self.memoryLimit
        return Tables.row([
            work.rawValue, fixed(before.middle(\.seconds), 3), fixed(now.middle(\.seconds), 3), fixed(median(cost), 3),
            spread(cost, 3), mebibytes(Int(before.middle(\.peak))), mebibytes(Int(now.middle(\.peak))),
            fixed(median(memory), 3), spread(memory, 3), Verdict.mark(isKept),
        ])
    }
}
