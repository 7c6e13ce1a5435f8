// `kinecast sources`: lists what can be recorded, by the names that the options take.
import ArgumentParser
import KineClient
import KinePlatform
import KineWire

struct SourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "List monitors, windows, applications that play audio, microphones and cameras.")

    @Flag(help: "Print one JSON object on standard output.")
    var json = false

    func run() throws {
        let list = try MainThread.shared.wait { () async throws(ClientError) in try await EngineReport.sources() }
        if json { return JSONEvents.write(list) }
        Self.text(list).forEach(Terminal.standardOutput.line)
        list.problems.forEach(Terminal.standardError.problem)
    }

    /// A section for each kind, each line beginning with the option as it is to be typed. A kind that could not be asked for may have
    /// sources.
    static func text(_ list: SourceList) -> [String] {
        let empty = list.problems.isEmpty ? "  none" : "  none found, see below"
        return list.sections.flatMap { section in
            // Titles and names are other programs', and no paths.
            let rows = section.rows.map { $0.map { $0.printable(limit: .max) } }
            return ["\(section.title):"] + (rows.isEmpty ? [empty] : TextTable.lines(rows).map { "  \($0)" })
        }
    }
}
