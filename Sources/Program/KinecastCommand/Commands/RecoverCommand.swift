// `kinecast recover`: completes a file whose engine died, in place. `kinecast dismiss`: forgets such a take.
import ArgumentParser
import KineClient
import KineText
import SystemPackage

struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Finish a recording whose engine died, in place.")

    @Argument(help: ArgumentHelp("The recording.", valueName: "FILE"), completion: .file(extensions: ["mp4"]))
    var file: String

    @Flag(help: "Print a line of JSON on standard output.")
    var json = false

    func run() throws {
        let saved = try MainThread.shared.wait { [file] () async throws(ClientError) in
            try await KnownTakes.recover(file)
        }
        let text = TakeSentences.recovery(of: file, saved)
        if json {
            let path = try OutputPath.workingDirectory().pushing(FilePath(escaped: file)).escaped
            JSONEvents.write(JSONEvent.recovered(path, saved, size: nil, message: text, exitStatus: 0))
        }
        Terminal.standardError.line(text)
    }
}

struct DismissCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Forget a take whose engine died; its file stays as it is.")

    @Argument(
        help: ArgumentHelp(
            "The take's id, or the beginning of it. Not needed if only one has died.", valueName: "TAKE"))
    var take: String?

    func run() throws {
        let dismissed = try MainThread.shared.wait { [take] () async throws(ClientError) in
            try await KnownTakes.dismiss(take)
        }
        Terminal.standardError.line(TakeSentences.dismissal(of: dismissed))
    }
}
