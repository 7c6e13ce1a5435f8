// Two builds of Kinecast in turn, with the same work: does the later one cost more?
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

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

    @Argument(help: "The work.", transform: VersionsCommand.work)
    var work: [Work] = []

    @Option(help: "Rounds for each kind of work.")
    var runs = 9

    @Option(help: "Seconds of each run: 20 for idle and typing and 10 for the rest if not given.")
    var seconds: Double?

    static let costLimit = 1.03
    static let memoryLimit = 1.02
    private static let size = PixelSize(width: 1920, height: 1080)

    enum Work: Hashable {
        case recording(SceneKind)
        case live, rtmp

        static let all: [Work] = [
            .recording(.idle), .recording(.typing), .recording(.scroll), .recording(.video), .recording(.motion), .live,
            .rtmp,
        ]

        var title: String {
            switch self {
            case .recording(let scene): scene.rawValue
            case .live: "broadcast"
            case .rtmp: "rtmp"
            }
        }

        var scene: SceneKind {
            switch self {
            case .recording(let scene): scene
            case .live: .motion
            case .rtmp: .video
            }
        }

        var framesPerSecond: Int { self == .live ? 60 : 30 }

        var usualSeconds: Double { self == .recording(.idle) || self == .recording(.typing) ? 20 : 10 }
    }

    /// A build, and what it calls its options.
    private struct Build {
        let executable: String
        let durationOption: String

        init(_ executable: String) throws {
            self.executable = executable
            let help = try Tool.output(executable, ["record", "--help"])
            durationOption = help.contains("--duration") ? "--duration" : "--for"
        }
    }

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
        guard seconds ?? 1 >= 1 else { throw ValidationError("--seconds must be at least 1.") }
        guard access(before, X_OK) == 0 else { throw ValidationError("\(before) is not an executable.") }
    }

    func run() throws {
        let builds = [try Build(before), try Build(try Tool.sibling("kinecast"))]
        let laboratory = try Laboratory(size: Self.size, withAudio: false)
        defer { laboratory.close() }
        let folder = try TemporaryDirectory()
        let chosen = work.isEmpty ? Work.all : work
        let server = chosen.contains(.rtmp) ? try MediaServer() : nil
        print(Machine.description(packages: ["xvfb", "libx264-164"]))
        print("\n| work | CPU s before | now | ratio | spread | peak MiB before | now | ratio | spread | |")
        print("|---|--:|--:|--:|---|--:|--:|--:|---|---|")
        for work in chosen {
            let take = Take(
                scene: work.scene, framesPerSecond: work.framesPerSecond, seconds: seconds ?? work.usualSeconds,
                audio: false, size: Self.size)
            var outcomes: [[Outcome]] = [[], []]
            for round in 0..<runs {
                for index in round % 2 == 0 ? [0, 1] : [1, 0] {
                    let output = folder.file("take.mp4")
                    unlink(output)
                    let arguments = try arguments(
                        of: work, take, builds[index], output: output,
                        address: server?.address("\(round)-\(index)"))
                    outcomes[index].append(
                        try laboratory.observe(
                            take, named: builds[index].executable, builds[index].executable, arguments))
                }
                BroadcastCommand.complain(
                    "\(work.title) \(round + 1): "
                        + outcomes.map { "\(fixed($0[round].seconds, 3)) s" }.joined(separator: ", "))
            }
            print(row(work, before: outcomes[0], now: outcomes[1]))
            fflush(nil)
        }
    }

    private func arguments(
        of work: Work, _ take: Take, _ build: Build, output: String, address: String?
    ) throws -> [String] {
        let common = [
            "--fps", "\(take.framesPerSecond)", "--audio", "none", build.durationOption, "\(fixed(take.seconds, 1))s",
        ]
        switch work {
        case .recording: return ["record", output] + common
        case .live: return ["broadcast", "--listen", "127.0.0.1:\(try Loopback.freePort())"] + common
        case .rtmp: return ["broadcast", "--to", address ?? ""] + common
        }
    }

    private func row(_ work: Work, before: [Outcome], now: [Outcome]) -> String {
        let cost = zip(before, now).map { $1.seconds / $0.seconds }
        let memory = zip(before, now).map { Double($1.cost.peakResidentBytes) / Double($0.cost.peakResidentBytes) }
        func middle(_ outcomes: [Outcome], _ value: (Outcome) -> Double) -> Double { median(outcomes.map(value)) }
        func mebibytes(_ outcomes: [Outcome]) -> String {
            Tables.mebibytes(Int(middle(outcomes) { Double($0.cost.peakResidentBytes) }))
        }
        func spread(_ ratios: [Double]) -> String {
            "\(fixed(ratios.min() ?? .nan, 3)) to \(fixed(ratios.max() ?? .nan, 3))"
        }
        let isKept = median(cost) <= Self.costLimit && median(memory) <= Self.memoryLimit
        return Tables.row([
            work.title, fixed(middle(before) { $0.seconds }, 3), fixed(middle(now) { $0.seconds }, 3),
            fixed(median(cost), 3), spread(cost), mebibytes(before), mebibytes(now), fixed(median(memory), 3),
            spread(memory), isKept ? "pass" : "**miss**",
        ])
    }

    @Sendable
    private static func work(_ text: String) throws -> Work {
        guard let work = Work.all.first(where: { $0.title == text }) else {
            throw ValidationError("There is no work “\(text)” to compare.")
        }
        return work
    }
}
