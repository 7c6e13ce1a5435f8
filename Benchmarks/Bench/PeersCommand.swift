// Compares the running cost of a recording with that of ffmpeg's x11grab and OBS.
import ArgumentParser
import Glibc
import KineMeasure
import KineMedia
import KinePlatform

struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers", abstract: "Compares what a recording costs once it stands with ffmpeg and OBS.",
        discussion: """
            A screen of 1920×1080 at 30 frames a second, without a graphics card and without audio. OBS shows its preview, as it does \
            for a person, and records with its simple output, x264 and its own defaults. Each recorder runs for a short and for a \
            long time; the difference is what a second costs once the recording stands, without starting and ending. The X server's \
            increase is counted with it.
            """)

    @Argument(help: "The scenes to record: idle, typing, scroll, video or motion; idle and typing if none is named.")
    var scenes: [String] = []

    @Option(help: "Rounds; each runs every recorder twice.")
    var runs = 3

    @Option(help: "Seconds between the short and the long run.")
    var seconds = 20.0

    /// Seconds of the short run: OBS takes about three of them to start recording.
    private static let shortRun = 8.0
    private static let size = PixelSize(width: 1920, height: 1080)

    private enum Peer: String, CaseIterable {
        case kinecast = "Kinecast"
        case ffmpeg = "ffmpeg x11grab"
        case obs = "OBS"
    }

    /// The cost per second of a running recording.
    private struct Rate {
        var cores: Double
        var peakBytes: Int
        var wakes: Double
        var bytes: Double
    }

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs must be at least 1.") }
        guard seconds >= 5 else { throw ValidationError("--seconds must be at least 5.") }
        for scene in scenes where SceneKind(rawValue: scene) == nil {
            throw ValidationError("There is no scene “\(scene)” to compare.")
        }
    }

    func run() throws {
        let laboratory = try Laboratory(size: Self.size, withAudio: false)
        defer { laboratory.close() }
        let folder = try TemporaryDirectory()
        print(Machine.description(packages: ["ffmpeg", "obs-studio", "libx264-164", "xvfb"]))
        print("\n| scene | recorder | cores | × ffmpeg | peak MiB | wakes/s | kB/s |\n|---|---|--:|--:|--:|--:|--:|")
        for scene in scenes.isEmpty ? [.idle, .typing] : scenes.compactMap(SceneKind.init) {
            var rates: [Peer: [Rate]] = [:]
            for round in 0..<runs {
                for peer in round % 2 == 0 ? Peer.allCases : Peer.allCases.reversed() {
                    let rate = try rate(of: peer, scene, laboratory, folder)
                    rates[peer, default: []].append(rate)
                    BroadcastCommand.complain(
                        "\(scene.rawValue) \(round + 1), \(peer.rawValue): \(fixed(rate.cores, 4))")
                }
            }
            func middle(_ peer: Peer, _ value: (Rate) -> Double) -> Double { median((rates[peer] ?? []).map(value)) }
            for peer in Peer.allCases {
                print(
                    Tables.row([
                        scene.rawValue, peer.rawValue, fixed(middle(peer, \.cores), 4),
                        fixed(middle(peer, \.cores) / middle(.ffmpeg, \.cores), 4),
                        fixed(middle(peer) { Double($0.peakBytes) / 1_048_576 }, 0), fixed(middle(peer, \.wakes), 1),
                        fixed(middle(peer, \.bytes) / 1000, 1),
                    ]))
            }
        }
    }

    private func rate(
        of peer: Peer, _ scene: SceneKind, _ laboratory: Laboratory, _ folder: TemporaryDirectory
    ) throws -> Rate {
        let short = try record(peer, scene, Self.shortRun, laboratory, folder)
        let long = try record(peer, scene, Self.shortRun + seconds, laboratory, folder)
        return Rate(
            cores: max(0, (long.seconds - short.seconds) / seconds), peakBytes: long.cost.peakResidentBytes,
            wakes: long.cost.wakesPerSecond, bytes: Double(long.bytes - short.bytes) / seconds)
    }

    private func record(
        _ peer: Peer, _ scene: SceneKind, _ length: Double, _ laboratory: Laboratory, _ folder: TemporaryDirectory
    ) throws -> Outcome {
        let take = Take(scene: scene, framesPerSecond: 30, seconds: length, audio: false, size: Self.size)
        switch peer {
        case .kinecast: return try laboratory.record(take, with: .kinecast(without: nil))
        case .ffmpeg: return try laboratory.record(take, with: .ffmpeg(rateFactor: 23, decimate: false))
        case .obs:
            let output = try Self.makeOBSSettings(in: folder)
            // OBS has no option for a length; an interrupt ends the recording as its button does.
            var outcome = try laboratory.observe(
                take, named: "OBS", try Tool.path(of: "timeout"),
                [
                    "--preserve-status", "--signal=INT", fixed(length, 1), "env", "XDG_CONFIG_HOME=\(folder.path)",
                    "QT_QPA_PLATFORM=xcb", try Tool.path(of: "obs"), "--multi", "--collection", "Bench", "--profile",
                    "Bench", "--startrecording",
                ])
            var status = stat()
            guard stat(output, &status) == 0, status.st_size > 0 else {
                throw Laboratory.RecorderFailed(
                    recorder: "OBS", ending: outcome.cost.ending, printed: ProcFiles.read(laboratory.logPath))
            }
            outcome.bytes = Int(status.st_size)
            return outcome
        }
    }

    /// Writes a profile and a scene of the whole screen. Removes an earlier recording, and returns its path.
    private static func makeOBSSettings(in folder: TemporaryDirectory) throws -> String {
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
            [Basic]
            Profile=Bench
            ProfileDir=Bench
            SceneCollection=Bench
            SceneCollectionFile=Bench
            """,
            // A container that plays after any end.
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
