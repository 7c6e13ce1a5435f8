// What the input track costs, beside the same recordings without it, and how large it is.
import ArgumentParser
import KineContainers
import KineMeasure
import KineMedia

struct InputTrackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "input-track", abstract: "Compares recordings with and without the input track.",
        discussion: """
            1920×1080, no audio: the scenes at 30 frames a second, and a still screen over which a mouse moves 1,000 times a second, \
            at 60. Both ways take turns, and which goes first changes from round to round; a ratio is taken within its round. \
            What counts is the CPU of the whole process tree with the X server's increase, starting and ending included.
            """)

    @Option(help: "Rounds; each runs both ways once.")
    var runs = 9

    @Option(help: "Seconds of each run: 20 for idle and typing and 10 for the rest if not given.")
    var seconds: Double?

    /// The largest ratio, or else the difference in parts of a core.
    private static let (costLimit, mouseLimit, difference) = (1.03, 1.10, 0.002)
    /// Bytes of the track in a second, without images: on average, and in the worst one.
    private static let (meanLimit, worstLimit) = (2000, 8000)

    func validate() throws { try check(runs: runs, seconds: seconds) }

    func run() throws {
        let laboratory = try Laboratory()
        defer { laboratory.close() }
        let kinecast = try Tool.sibling("kinecast")
        print(Machine.description(["xvfb", "libx264-164"]))
        let columns = """
            scene | input track | >CPU s | >+ X server s | >CPU % | >peak MiB | >bytes | >ratio | spread | >of a core | | \
            >track B/s | >worst second |
            """
        print("\n" + Tables.head(columns))
        let scenes: [(name: String, scene: SceneKind, mouse: Int?)] = [
            ("idle", .idle, nil), ("typing", .typing, nil), ("scroll", .scroll, nil), ("motion", .motion, nil),
            ("mouse", .idle, 1000),
        ]
        for (name, scene, mouse) in scenes {
            let isLong = mouse == nil && [.idle, .typing].contains(scene)
            var take = Take(scene: scene, seconds: seconds ?? (isLong ? 20 : 10))
            take.framesPerSecond = mouse == nil ? 30 : 60
            take.mouse = mouse
            var sizes: (mean: Int, worst: Int) = (0, 0)
            let outcomes = try inTurn(runs, name) { way, _ in
                let outcome = try laboratory.observe(
                    take, kinecast,
                    [
                        "record", laboratory.output, "--fps", "\(take.framesPerSecond)", "--audio", "none",
                        "--duration",
                        "\(fixed(take.seconds, 1))s",
                    ] + (way == 0 ? ["--no-input-track"] : []))
                if way == 1 { sizes = try Self.sizes(laboratory.output) }
                return outcome
            }
            let cost = outcomes[1].ratios(to: outcomes[0], \.seconds)
            func share(_ outcomes: [Outcome]) -> Double { outcomes.middle { $0.seconds / $0.cost.elapsedSeconds } }
            let more = share(outcomes[1]) - share(outcomes[0])
            let limit = mouse == nil ? Self.costLimit : Self.mouseLimit
            let isCheap = median(cost) <= limit || mouse == nil && more < Self.difference
            let isSmall = sizes.mean <= Self.meanLimit && sizes.worst <= Self.worstLimit
            print(Tables.row([name, "no"] + outcomes[0].cells + Array(repeating: "–", count: 7)))
            print(
                Tables.row(
                    [name, "yes"] + outcomes[1].cells + [
                        fixed(median(cost), 3), spread(cost, 3), fixed(more * 100, 2) + " %", Verdict.mark(isCheap),
                        "\(sizes.mean)", "\(sizes.worst)", Verdict.mark(isSmall),
                    ]))
        }
    }

    /// The bytes of a recording's track in a second, without images.
    private static func sizes(_ path: String) throws -> (mean: Int, worst: Int) {
        let file = try DiskFile.openToRead(path)
        let index = try RecordingIndex(reading: file)
        var seconds: [Int: Int] = [:]
        for sample in 0..<index.inputCount {
            let lines = try index.inputText(sample, in: file).split(separator: UInt8(ascii: "\n"))
            // The lines of images begin so: keys are in order.
            let own = lines.filter { !$0.starts(with: #"{"hotspot""#.utf8) }
            seconds[Int(index.inputTime(sample).seconds), default: 0] += own.reduce(0) { $0 + $1.count + 1 }
        }
        let whole = max(1, Int(index.duration.seconds.rounded()))
        return (seconds.values.reduce(0, +) / whole, seconds.values.max() ?? 0)
    }
}
