// What lies beneath an excluded window, drawn, beside the same window painted over.
import ArgumentParser
import KineMeasure
import KineMedia

struct ExcludeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exclude", abstract: "Compares --exclude-how beneath with cover.",
        discussion: """
            1920×1080 at 30 frames a second, no audio, with an excluded bar of 460×100 in the middle of the lower edge, above the \
            scene's window. Both ways take turns, and which goes first changes from round to round; a ratio is taken within its \
            round. What counts is the CPU of the whole process tree with the X server's increase, starting and ending included.
            """)

    @Argument(
        help: "The scenes: typing and scroll if none is named.",
        transform: {
            guard let scene = SceneKind(rawValue: $0) else { throw ValidationError("There is no scene “\($0)”.") }
            return scene
        })
    var scenes: [SceneKind] = []

    @Option(help: "Rounds; each runs both ways once.")
    var runs = 5

    @Option(help: "Seconds of each run: 20 for typing and 10 for the rest if not given.")
    var seconds: Double?

    static let costLimit = 1.10
    private static let bar = PixelRect(x: 730, y: 980, width: 460, height: 100)

    func validate() throws { try check(runs: runs, seconds: seconds) }

    func run() throws {
        let laboratory = try Laboratory()
        defer { laboratory.close() }
        let kinecast = try Tool.sibling("kinecast")
        print(Machine.description(["xvfb", "libx264-164"]))
        let columns = "scene | how | >CPU s | >+ X server s | >CPU % | >peak MiB | >bytes | >ratio | spread |"
        print("\n" + Tables.head(columns))
        for scene in scenes.isEmpty ? [.typing, .scroll] : scenes {
            let take = Take(scene: scene, seconds: seconds ?? (scene == .typing ? 20 : 10), bar: Self.bar)
            let ways = ["cover", "beneath"]
            let outcomes = try inTurn(runs, scene.rawValue) { way, _ in
                try laboratory.observe(
                    take, kinecast,
                    [
                        "record", laboratory.output, "--fps", "30", "--audio", "none", "--duration",
                        "\(fixed(take.seconds, 1))s", "--exclude", "title:kinecast-scene idle", "--exclude-how",
                        ways[way],
                    ])
            }
            let cost = outcomes[1].ratios(to: outcomes[0], \.seconds)
            print(Tables.row([scene.rawValue, ways[0]] + outcomes[0].cells + ["–", "–", "–"]))
            print(
                Tables.row(
                    [scene.rawValue, ways[1]] + outcomes[1].cells + [
                        fixed(median(cost), 3), spread(cost, 3), Verdict.mark(median(cost) <= Self.costLimit),
                    ]))
        }
    }
}
