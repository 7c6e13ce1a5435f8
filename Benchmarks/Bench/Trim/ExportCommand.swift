// Films of long recordings, beside ffmpeg with the same zooms and cp of the same file.
import ArgumentParser
import Foundation
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Compares what films of a recording take with ffmpeg, and with cp.",
        discussion: """
            The recording: the scene scroll at 1920×1080 and 30 frames a second with a tone, a keyframe every ten seconds, the same ten \
            seconds again and again. kinecast export makes films of it; ffmpeg decodes it, zooms by zoompan and encodes it with \
            libx264 veryfast at the recording's quantizer. Each film is removed, and all is on the disk, before the next begins.
            """)

    @Option(help: "Minutes of the recording with zooms.")
    var minutes = 10

    @Option(help: "Minutes of the recording with cuts.")
    var cutMinutes = 60

    @Option(help: "Rounds, Kinecast and the other in turn.")
    var runs = 3

    func validate() throws {
        try check(runs: runs, seconds: nil)
        guard minutes > 0, cutMinutes > 0 else { throw ValidationError("A recording has a minute at least.") }
    }

    /// One film.
    private struct Film {
        var name: String
        var arguments: [String]
        /// The program beside it, which runs in turn with Kinecast.
        var other: (name: String, program: String, arguments: [String])
        /// Seconds, and milliseconds for each encoded frame.
        var allowed: (total: Double, frame: Double)
        /// The allowed time is beyond the other's.
        var isBeyondOther = false
    }

    private static let memoryLimit = 160.0

    func run() throws {
        let folder = try TemporaryDirectory()
        let recording = try LongRecording(of: .scroll)
        let (source, hour, silent) = (folder.file("a.mp4"), folder.file("hour.mp4"), folder.file("silent.mp4"))
        _ = try recording.write(to: source, groups: minutes * 6)
        _ = try recording.write(to: hour, groups: cutMinutes * 6)
        _ = try recording.write(to: silent, groups: cutMinutes * 6, hasAudio: false)
        print(Machine.description(["ffmpeg", "libx264-164", "libavcodec59"]))
        print(
            "\n"
                + Tables.head(
                    "film | >frames | >encoded | >s | >ms a frame | >MB | >peak MiB | beside | >s | ratio | |"))
        let (film, other) = (folder.file("film.mp4"), folder.file("other.mp4"))
        let seconds = Double(minutes * 60)
        let starts = (0..<12).map { (Double($0) + 0.45) * seconds / 12 }
        var zooms = FilmEdits()
        zooms.zooms = starts.map { FilmEdits.Zoom(from: $0, to: $0 + 4, scale: 2, centre: [0.3, 0.4]) }
        var cuts = FilmEdits()
        cuts.cuts = (0..<200).map { number in
            // Between two frames.
            let frame = Double(number * cutMinutes * 60 * 30 / 200 + 7)
            return FilmEdits.Cut(from: (frame + 0.2) / 30, to: (frame + 0.8) / 30)
        }
        try write(zooms, to: folder.file("zooms.json"))
        try write(cuts, to: folder.file("cuts.json"))
        let shown = starts.map { "between(in_time,\(fixed($0, 2)),\(fixed($0 + 4, 2)))" }.joined(separator: "+")
        let zoompan = "zoompan=z='1+\(shown)':x=iw*0.05:y=ih*0.15:d=1:s=1920x1080:fps=30"
        let encode = [
            "-c:v", "libx264", "-preset", "veryfast", "-qp", "\(TakeConfiguration.Video.defaultQuality)", "-c:a",
            "copy",
        ]
        func ffmpeg(_ filter: String) -> (String, String, [String]) {
            ("ffmpeg", "ffmpeg", ["-v", "error", "-y", "-i", source, "-vf", filter] + encode + [other])
        }
        let films = [
            Film(
                name: "12 zooms of 4 s", arguments: [source, "--edits", folder.file("zooms.json")],
                other: ffmpeg(zoompan),
                allowed: (75 * seconds / 600, 14)),
            Film(
                name: "all of it, 1280×720", arguments: [source, "--size", "1280x720"],
                other: ffmpeg("scale=1280:720:flags=bicubic"), allowed: (0.8 * seconds, 0.8 * 1000 / 30)),
            Film(
                name: "200 cuts, with sound", arguments: [hour, "--edits", folder.file("cuts.json")],
                other: ("cp", "cp", [hour, other]), allowed: (120 * Double(cutMinutes) / 60, 14)),
            Film(
                name: "200 cuts, without sound", arguments: [silent, "--edits", folder.file("cuts.json")],
                other: ("cp", "cp", [silent, other]), allowed: (2, 14), isBeyondOther: true),
        ]
        for one in films {
            print(try row(one, film, other, in: folder))
            fflush(nil)
        }
    }

    private func write(_ edits: FilmEdits, to path: String) throws {
        try JSONEncoder().encode(edits).write(to: URL(filePath: path))
    }

    private struct Made: Decodable {
        var frames: Int
        var framesEncoded: Int
        var bytes: Int64
    }

    private func row(_ film: Film, _ output: String, _ other: String, in folder: TemporaryDirectory) throws -> String {
        let kinecast = try Tool.sibling("kinecast")
        var made = Made(frames: 0, framesEncoded: 0, bytes: 0)
        let costs = try inTurn(runs, film.name) { which, _ in
            sync()
            defer { for path in [output, other] { unlink(path) } }
            guard which == 0 else {
                return try cost(try Tool.path(of: film.other.program), film.other.arguments, in: folder).cost
            }
            let (cost, text) = try cost(kinecast, ["export"] + film.arguments + ["-o", output, "--json"], in: folder)
            guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("{") }) else {
                throw ValidationError(text)
            }
            made = try JSONDecoder().decode(Made.self, from: Data(line.utf8))
            return cost
        }
        let seconds = costs.map { median($0.map(\.elapsedSeconds)) }
        let frame = made.framesEncoded > 0 ? seconds[0] * 1000 / Double(made.framesEncoded) : 0
        let peak = Double(costs[0].map(\.peakResidentBytes).max() ?? 0) / 1_048_576
        let allowed = film.allowed.total + (film.isBeyondOther ? seconds[1] : 0)
        let isQuick = seconds[0] <= allowed && frame <= film.allowed.frame
        return Tables.row([
            film.name, "\(made.frames)", "\(made.framesEncoded)", fixed(seconds[0], 2), fixed(frame, 1),
            fixed(Double(made.bytes) / 1e6, 1), fixed(peak, 0), film.other.name, fixed(seconds[1], 2),
            fixed(seconds[0] / seconds[1], 3), Verdict.mark(isQuick && peak <= Self.memoryLimit),
        ])
    }

    private func cost(
        _ program: String, _ arguments: [String], in folder: TemporaryDirectory
    ) throws -> (cost: ProcessCost, text: String) {
        let path = folder.file("log")
        let log = try FileDescriptor.open(
            FilePath(path), .readWrite, options: [.create, .truncate], permissions: [.ownerReadWrite])
        defer { try? log.close() }
        let cost = try MeasuredProcess.run(
            program, arguments, environment: ProcessEnvironment.current, output: log, expectedSeconds: 600)
        return (cost, try String(contentsOfFile: path, encoding: .utf8))
    }
}
