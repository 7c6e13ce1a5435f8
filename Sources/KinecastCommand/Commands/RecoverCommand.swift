// `kinecast recover`: finishes a file whose writer died, in place. `kinecast dismiss`: takes such a take off the list.
import ArgumentParser
import Glibc
import KineContainers
import KineControl
import KinePlatform
import SystemPackage

struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Finish a recording whose engine died, in place.")

    @Argument(help: ArgumentHelp("The recording.", valueName: "FILE"), completion: .file(extensions: ["mp4"]))
    var file: String

    @Flag(help: "Print a line of JSON on standard output.")
    var json = false

    func run() throws {
        let saved: RecoveredFile
        do {
            saved = try MP4Recovery.recover(file)
        } catch {
            throw CommandFailure(status: Self.exitStatus(error), message: "\(error).")
        }
        Self.forget(file)
        let text = Self.text(file, saved)
        if json { JSONEvents.write(JSONEvent.recovered(file, saved, size: nil, message: text, exitStatus: 0)) }
        Terminal.standardError.line(text)
    }

    /// The file is recovered, so its take leaves the list. The engine may have been given another path to the same file.
    static func forget(_ file: String) {
        guard let registry = try? TakeRegistry.standard() else { return }
        if let typed = try? OutputPath.workingDirectory().pushing(FilePath(file)).lexicallyNormalized() {
            registry.forget(output: typed.string)
        }
        guard let resolved = realpath(file, nil) else { return }
        defer { free(resolved) }
        let recovered = String(cString: resolved)
        for take in registry.list().dead {
            guard let output = take.output, let other = realpath(output, nil) else { continue }
            defer { free(other) }
            if String(cString: other) == recovered { registry.forget(output: output) }
        }
    }

    static func exitStatus(_ error: MP4Recovery.Error) -> Int32 {
        switch error {
        case .storage(let error): error.isCreationFailure ? ExitStatus.cannotCreate : ExitStatus.storageFailed
        case .notARecording, .nothingRecorded: ExitStatus.usage
        }
    }

    static func text(_ file: String, _ saved: RecoveredFile) -> String {
        let amount = "\(HumanText.length(saved.duration)), \(HumanText.bytes(saved.bytes)), \(saved.pictures) pictures"
        if saved.wasAlreadyFinished { return "\(file) is finished already: \(amount); nothing was changed." }
        let lost = saved.skippedBytes > 0 ? "; \(HumanText.bytes(saved.skippedBytes)) at the end were damaged" : ""
        return "Recovered \(file): \(amount)\(lost)."
    }
}

struct DismissCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Take a take whose engine died off the list; its file stays as it is.")

    @Argument(
        help: ArgumentHelp(
            "The take: its id, or enough of its beginning. Without it, the only one that died.", valueName: "TAKE"))
    var take: String?

    func run() throws {
        do {
            let take = try TakeRegistry.standard().dismiss(take)
            let file = take.output.map { "; \($0) stays as it is" } ?? ""
            Terminal.standardError.line("Take \(take.id) is off the list\(file).")
        } catch {
            throw CommandFailure(status: ExitStatus.unavailable, message: error.description)
        }
    }
}
