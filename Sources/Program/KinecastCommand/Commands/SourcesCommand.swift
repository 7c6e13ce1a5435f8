// `kinecast sources` and `kinecast doctor`: lists what can be recorded here, and what is missing.
import ArgumentParser
import KineClient
import KineMedia
import KinePlatform
import KineText

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

    /// A section for each kind; each line begins with the option to type. An empty kind may still have sources if there
    /// were problems.
    static func text(_ list: SourceList) -> [String] {
        let empty = list.problems.isEmpty ? "  none" : "  none found, see below"
        return list.sections.flatMap { section in
            // Titles and names come from other programs, and are not paths.
            let rows = section.rows.map { $0.map { $0.printable(limit: .max) } }
            return ["\(section.title):"] + (rows.isEmpty ? [empty] : TextTable.lines(rows).map { "  \($0)" })
        }
    }
}

extension SourceList {
    /// The sources of one kind, in columns.
    fileprivate struct Section {
        var title: String
        var rows: [[String]]
    }

    /// The lists, in the order in which they are printed. The first column is the option to type.
    fileprivate var sections: [Section] {
        [
            Section(
                title: "Monitors",
                rows: monitors.map {
                    [
                        "--monitor \($0.name.shellWord)", Self.text($0.bounds), "at \($0.bounds.x),\($0.bounds.y)",
                        $0.isPrimary ? "primary" : "",
                    ]
                }),
            Section(
                title: "Windows",
                rows: windows.map {
                    ["--window 0x\(String($0.id, radix: 16))", Self.text($0.bounds), $0.application, $0.title]
                } + (dialogs.contains(.window) ? [Self.chosenWindow] : [])),
            Section(
                title: "Applications with windows",
                rows: Set(windows.map(\.application)).subtracting([""]).sorted().map { ["--app \($0.shellWord)"] }),
            Section(
                title: "Applications with audio", rows: applications.map { ["--audio \("app:\($0)".shellWord)"] }),
            Section(
                title: "System audio",
                rows: (outputs.isEmpty ? [] : [["--audio system", "", "the default, whichever output it is"]])
                    + outputs.map {
                        ["--audio \("output:\($0.name)".shellWord)", $0.isDefault ? "default" : "", $0.description]
                    }),
            Section(
                title: "Microphones",
                rows: microphones.map {
                    ["--mic \($0.name.shellWord)", $0.isDefault ? "default" : "", $0.description]
                }),
            Section(title: "Cameras", rows: cameras.map { ["--camera \($0.name.shellWord)", $0.path] }),
        ]
    }

    private static let chosenWindow = ["--window ask", "", "", "the one you choose in the desktop's dialog"]

    private static func text(_ rect: PixelRect) -> String { "\(rect.width)x\(rect.height)" }
}

// `kinecast doctor`: checks this machine, and says what to install or set if something does not work.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check display, audio, encoder, disk, services and limits.",
        discussion: "Exit status 69 if something is missing without which nothing can be recorded.")

    @Flag(help: "Print a JSON array on standard output.")
    var json = false

    func run() throws {
        let checks = try MainThread.shared.wait { () async throws(ClientError) in try await EngineReport.doctor() }
        if json { JSONEvents.write(checks) } else { Self.text(checks).forEach(Terminal.standardOutput.line) }
        if checks.contains(where: { !$0.ok && $0.essential }) { throw ExitCode(ExitStatus.unavailable) }
    }

    static func text(_ checks: [DoctorCheck]) -> [String] {
        let width = checks.map(\.name.count).max() ?? 0
        return checks.flatMap { check in
            let name = check.name + String(repeating: " ", count: width - check.name.count)
            let line = "\(check.ok ? "✓" : "✗") \(name)  \(check.detail)"
            return [line] + (check.remedy.map { [String(repeating: " ", count: width + 4) + "→ \($0)"] } ?? [])
        }
    }
}
