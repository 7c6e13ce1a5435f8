// `kinecast doctor`: checks this machine, and says what to install or set where something does not work.
import ArgumentParser
import KineClient
import KineMedia
import KinePlatform

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
