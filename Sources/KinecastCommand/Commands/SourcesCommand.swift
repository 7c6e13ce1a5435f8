// `kinecast sources`: what there is to record, by the names that the options take.
import ArgumentParser
import KineClient
import KineControl
import KineMedia
import KinePlatform

struct SourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources", abstract: "List monitors, windows, applications that play audio, and microphones.")

    @Flag(help: "Print one JSON object on standard output.")
    var json = false

    func run() throws {
        let list = try MainThread.shared.wait { () async throws(ClientError) in try await EngineReport.sources() }
        if json { return JSONEvents.write(list) }
        Self.text(list).forEach(Terminal.standardOutput.line)
        for problem in list.problems { Terminal.standardError.line("kinecast: \(problem)") }
    }

    /// A section for each kind, each line beginning with the option as it is to be typed.
    static func text(_ list: SourceList) -> [String] {
        var sections: [(title: String, rows: [[String]])] = []
        sections.append(
            (
                "Monitors",
                list.monitors.map {
                    [
                        "--screen \($0.name.shellWord)", size($0.bounds), "at \($0.bounds.x),\($0.bounds.y)",
                        $0.isPrimary ? "primary" : "",
                    ]
                }
            ))
        sections.append(
            (
                "Windows",
                list.windows.map {
                    ["--window 0x\(String($0.id, radix: 16))", size($0.bounds), $0.application, $0.title]
                }
            ))
        sections.append(
            (
                "Applications that play audio", list.applications.map { ["--audio \("app:\($0)".shellWord)"] }
            ))
        sections.append(
            (
                "System audio",
                list.outputs.map {
                    ["--audio system", $0.isDefault ? "this one" : "(when it is the default)", $0.description]
                }
            ))
        sections.append(
            (
                "Microphones",
                list.microphones.map { ["--mic \($0.name.shellWord)", $0.isDefault ? "default" : "", $0.description] }
            ))
        return sections.flatMap { title, rows in
            ["\(title):"] + (rows.isEmpty ? ["  none"] : TextTable.lines(rows).map { "  \($0)" })
        }
    }

    private static func size(_ rect: PixelRect) -> String { "\(rect.width)x\(rect.height)" }
}
