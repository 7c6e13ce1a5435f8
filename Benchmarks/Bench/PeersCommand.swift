// The cost of a recording that stands, beside the programs that people use today: ffmpeg's x11grab and OBS.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia

struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers", abstract: "Compares what a recording costs once it stands with ffmpeg and OBS.",
        discussion: """
            A screen of 1920×1080 at 30 frames a second, without a graphics card and without audio. OBS shows its preview, as it does \
            for a person, and records with its simple output and x264. Each recorder runs for a short and for a long time; the \
            difference is the cost of a second once the recording stands, without starting and ending. The X server's increase is \
            part of it.
            """)

    @Argument(
        help: "The scenes to record; idle and typing if none is named.",
        transform: { text in
            guard let scene = SceneKind(rawValue: text) else { throw ValidationError("There is no scene “\(text)”.") }
            return scene
        })
    var scenes: [SceneKind] = []

    @Option(help: "Rounds; each runs every recorder twice.")
    var runs = 3

    @Option(help: "Seconds between the short and the long run.")
    var seconds = 20.0

    /// Seconds of the short run: OBS takes some three of them until it records.
    private static let shortRun = 8.0

    private enum Peer: String, CaseIterable {
        case kinecast = "Kinecast"
        case ffmpeg = "ffmpeg x11grab"
        case obs = "OBS"
    }

    func validate() throws { try check(runs: runs, seconds: seconds) }

    func run() throws {
        let laboratory = try Laboratory()
        defer { laboratory.close() }
        let folder = try TemporaryDirectory()
        var rows: [[String]] = []
        for scene in scenes.isEmpty ? [.idle, .typing] : scenes {
            var outcomes: [Peer: [(short: Outcome, long: Outcome)]] = [:]
            for round in 0..<runs {
                for peer in round % 2 == 0 ? Peer.allCases : Peer.allCases.reversed() {
                    say("\(scene.rawValue), round \(round + 1) of \(runs): \(peer.rawValue)")
                    let short = try record(peer, Take(scene: scene, seconds: Self.shortRun), laboratory, folder)
                    let long = try record(
                        peer, Take(scene: scene, seconds: Self.shortRun + seconds), laboratory, folder)
                    outcomes[peer, default: []].append((short, long))
                }
            }
            func cores(_ peer: Peer) -> Double {
                (outcomes[peer] ?? []).middle { max(0, ($0.long.seconds - $0.short.seconds) / seconds) }
            }
            for (peer, rounds) in Peer.allCases.map({ ($0, outcomes[$0] ?? []) }) {
                rows.append([
                    scene.rawValue, peer.rawValue, fixed(cores(peer), 4), fixed(cores(peer) / cores(.ffmpeg), 4),
                    fixed(rounds.middle { $0.long.peak / 1_048_576 }, 0),
                    fixed(rounds.middle { $0.long.cost.wakesPerSecond }, 1),
                    fixed(rounds.middle { Double($0.long.bytes - $0.short.bytes) / seconds / 1000 }, 1),
                ])
            }
        }
        print(Machine.description(["ffmpeg", "obs-studio", "libx264-164", "xvfb"]))
        print("\n" + Tables.table("scene | recorder | >cores | >× ffmpeg | >peak MiB | >wakes/s | >kB/s", rows))
    }

    private func record(
        _ peer: Peer, _ take: Take, _ laboratory: Laboratory, _ folder: TemporaryDirectory
    ) throws -> Outcome {
        switch peer {
        case .kinecast:
            try laboratory.observe(
                take, try Tool.sibling("kinecast"),
                [
                    "record", laboratory.output, "--fps", "30", "--audio", "none", "--duration",
                    "\(fixed(take.seconds, 1))s",
                ], examines: true)
        case .ffmpeg:
            try laboratory.observe(
                take, try Tool.path(of: "ffmpeg"),
                ["-v", "error", "-nostdin"] + FFmpeg.grab(take, laboratory.displayName) + [
                    "-vf", FFmpeg.conversion, "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-bf", "0", "-g",
                    "300", laboratory.output,
                ], examines: true)
        case .obs: try recordWithOBS(take, laboratory, folder)
        }
    }

    /// OBS has no option for a length. An interrupt ends its recording, as its button does; it would ask whether it may.
    private func recordWithOBS(
        _ take: Take, _ laboratory: Laboratory, _ folder: TemporaryDirectory
    ) throws -> Outcome {
        let output = try Self.makeOBSSettings(in: folder, take.size)
        var outcome = try laboratory.observe(
            take, try Tool.path(of: "timeout"),
            [
                "--preserve-status", "--signal=INT", fixed(take.seconds, 1), "env", "XDG_CONFIG_HOME=\(folder.path)",
                "QT_QPA_PLATFORM=xcb", try Tool.path(of: "obs"), "--multi", "--collection", "Bench", "--profile",
                "Bench", "--startrecording",
            ])
        var status = stat()
        guard stat(output, &status) == 0, status.st_size > 0 else {
            throw Tool.Error.failed(
                name: "obs", ending: outcome.cost.ending, complaint: "It has written no recording.")
        }
        outcome.bytes = Int(status.st_size)
        return outcome
    }

    /// A profile, and a scene with all of the screen. Returns the path of the recording, and removes an older one.
    private static func makeOBSSettings(in folder: TemporaryDirectory, _ size: PixelSize) throws -> String {
        let root = folder.file("obs-studio")
        for directory in ["", "/basic", "/basic/profiles", "/basic/profiles/Bench", "/basic/scenes"] {
            mkdir(root + directory, 0o700)
        }
        let output = folder.file("obs.mkv")
        unlink(output)
        let files = [
            "global.ini": """
            [General]
            FirstRun=true
            ConfirmOnExit=false
            [Basic]
            Profile=Bench
            ProfileDir=Bench
            SceneCollection=Bench
            SceneCollectionFile=Bench
            """,
            // Matroska, since it plays after any end.
            "basic/profiles/Bench/basic.ini": """
            [General]
            Name=Bench
            [Output]
            Mode=Simple
            FilenameFormatting=obs
            OverwriteIfExists=true
            [SimpleOutput]
            FilePath=\(folder.path)
            RecFormat=mkv
            RecQuality=Small
            RecEncoder=x264
            [Video]
            BaseCX=\(size.width)
            BaseCY=\(size.height)
            OutputCX=\(size.width)
            OutputCY=\(size.height)
            FPSType=0
            FPSCommon=30
            """,
            "basic/scenes/Bench.json": """
            {"name": "Bench", "current_scene": "Scene", "current_program_scene": "Scene", "scene_order": [{"name": "Scene"}],
            "sources": [
            {"id": "xshm_input", "name": "Screen", "settings": {"screen": 0, "show_cursor": true}},
            {"id": "scene", "name": "Scene", "settings": {"id_counter": 1, "items": [{"name": "Screen", "id": 1, "visible": true}]}}
            ]}
            """,
        ]
        for (name, text) in files { try Tool.write(text.utf8, to: "\(root)/\(name)") }
        return output
    }
}
