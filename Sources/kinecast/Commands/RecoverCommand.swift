// `kinecast recover`: finishes a file whose writer died, in place.
import ArgumentParser
import KineContainers
import KineRelay

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
        let text = Self.text(file, saved)
        if json { JSONEvents.write(JSONEvent.recovered(file, saved, size: nil, message: text, exitStatus: 0)) }
        Terminal.standardError.line(text)
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
