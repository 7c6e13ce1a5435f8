// Measures what a service's expectations of its encoded frames cost the engine: those of kinecast-rtmp, beside none.
import ArgumentParser
import KineMeasure
import KineMedia
import KinePlatform

struct ExpectationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expectations", abstract: "Compares the engine's CPU for kinecast-rtmp and for kinecast-live.",
        discussion: """
            Takes of a private screen, 1920×1080 at 30 frames a second: to kinecast-live, which expects nothing of its
            pictures, and to kinecast-rtmp with nginx as its server, which expects a limited bitrate and five pictures a
            second of a still screen. CPU is the engine's own, without its start.
            """)

    @Option(help: "Seconds of each run.")
    var seconds = 12.0

    @Option(help: "Rounds, the two in turn.")
    var runs = 5

    /// A page of text that stands still, and one with a video in it.
    private static let scenes: [SceneKind] = [.idle, .video]
    private static let framesPerSecond = 30

    func validate() throws {
        guard seconds >= 2, runs > 0 else { throw ValidationError("--seconds must be 2 or more, --runs 1 or more.") }
    }

    func run() throws {
        var lines = [
            "| screen | live: median (least to most), % of a core | rtmp | ratio |", "|---|--:|--:|--:|",
        ]
        for scene in Self.scenes {
            var shares: [String: [Double]] = [:]
            for round in 0..<runs {
                BroadcastCommand.complain("\(scene.rawValue), round \(round + 1) of \(runs)")
                for service in round.isMultiple(of: 2) ? ["live", "rtmp"] : ["rtmp", "live"] {
                    shares[service, default: []].append(try measure(scene, service: service))
                }
            }
            let live = (shares["live"] ?? []).sorted()
            let rtmp = (shares["rtmp"] ?? []).sorted()
            let cells = [scene.rawValue, spread(live), spread(rtmp), fixed(median(rtmp) / median(live), 2)]
            lines.append(Tables.row(cells))
        }
        print(Machine.description(packages: ["libx264-164", "xvfb", "nginx-light", "libnginx-mod-rtmp"]))
        print("\n" + lines.joined(separator: "\n"))
    }

    private func spread(_ sorted: [Double]) -> String {
        "\(fixed(median(sorted), 2)) (\(fixed(sorted[0], 2)) to \(fixed(sorted[sorted.count - 1], 2)))"
    }

    /// Per cent of a core that the engine needed.
    private func measure(_ scene: SceneKind, service: String) throws -> Double {
        let folder = try TemporaryDirectory()
        let stage = try Stage(
            .scene(scene), size: PixelSize(width: 1920, height: 1080), framesPerSecond: Self.framesPerSecond)
        defer { stage.end() }
        var configuration = stage.configuration(output: nil, framesPerSecond: Self.framesPerSecond)
        let server = service == "rtmp" ? try MediaServer() : nil
        configuration.destinations = [
            .init(service: service, setupInfo: server.map { ["url": $0.address("key")] } ?? [:], label: service)
        ]
        let take = try EngineTake(configuration, environment: stage.environment(folder), folder: folder)
        try take.run(for: 2)
        let before = ProcFiles.processorNanoseconds(of: take.process.pid) ?? 0
        let begun = MonotonicClock.now()
        try take.run(for: seconds)
        let used = (ProcFiles.processorNanoseconds(of: take.process.pid) ?? 0) - before
        let share = 100 * Double(used) / Double(MonotonicClock.now() - begun)
        try take.stop()
        return share
    }
}
