// The options that name destinations, for a new take and for a running one.
import ArgumentParser
import KineChoices
import KineServices
import KineText

struct DestinationChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Broadcast to this address; may be repeated.",
            discussion: """
                @NAME is the address of that name in ~/.config/kinecast/destinations, whose lines are NAME URL; env:VARIABLE \
                is the one in that variable. Both keep a stream key out of the list of processes and the shell's history.
                """,
            valueName: "URL"))
    var to: [String] = []

    @Option(
        help: ArgumentHelp(
            "Broadcast to the addresses in this file, one to a line; - is standard input. Nobody else may read the file.",
            valueName: "FILE"),
        completion: .file())
    var toFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with the stream key for the only --to, which is then given without it. Nobody else may read the file.",
            valueName: "FILE"),
        completion: .file())
    var streamKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "Broadcast through this service, by the id that kinecast services lists; may be repeated.", valueName: "ID"),
        completion: .custom { _, _, _ in InstalledServices.ids() })
    var service: [String] = []

    @Option(
        help: ArgumentHelp(
            "A setting for the services, as kinecast services lists them; may be repeated.",
            discussion: """
                KEY=@FILE takes the value from a file, which keeps it out of the list of processes. ID.KEY=VALUE is for the \
                service of that id only.
                """,
            valueName: "KEY=VALUE"))
    var set: [String] = []

    func validate() throws {
        _ = try sources()
        _ = try settings()
        let files = [("--to-file", toFile.first(where: \.isEmpty)), ("--stream-key-file", streamKeyFile)]
        if let empty = files.first(where: { $0.1 == "" }) {
            throw ValidationError("The name of the file for \(empty.0) is empty; give one or leave it out.")
        }
        if toFile.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once; give --to-file - once.")
        }
    }

    /// Whether no destination is named.
    var isEmpty: Bool { to.isEmpty && toFile.isEmpty && service.isEmpty }

    /// Reads the files and variables that hold addresses.
    func addresses(_ reader: DestinationReader) throws -> [DestinationAddress] {
        let addresses = try reader.addresses(sources(), files: toFile)
        guard let streamKeyFile else { return addresses }
        return [try reader.address(addresses, withKeyIn: streamKeyFile)]
    }

    /// The requested destinations, without the options that stand for a setting.
    func plan(_ reader: DestinationReader) throws -> DestinationPlan {
        DestinationPlan(addresses: try addresses(reader), services: service, settings: try settings())
    }

    /// The sources in `--to`. The error does not repeat the text, which may be a secret; nor does `settings`.
    private func sources() throws -> [DestinationSource] {
        try to.map { text in
            guard let source = DestinationSource(text) else {
                throw ValidationError(
                    "The value of --to is not an address; write one such as rtmp://HOST/APP/KEY, @NAME or env:VARIABLE."
                )
            }
            return source
        }
    }

    /// One warning about all typed stream keys; nil if none was typed. This process overwrites them in its arguments,
    /// but the shell's history and earlier process lists still have them.
    func typedKeyWarning() throws -> String? {
        let isTyped = try sources().contains {
            if case .address(let address) = $0 { address.holdsSecret } else { false }
        }
        guard isTyped, streamKeyFile == nil else { return nil }
        return
            "A stream key typed into --to stays in the shell's history, and for a moment the list of processes shows it; keep "
            + "the address in ~/.config/kinecast/destinations and give --to @NAME, or in a variable and give "
            + "--to env:VARIABLE."
    }

    /// The names of the variables that hold addresses.
    func variables() throws -> [String] {
        try sources().compactMap { if case .variable(let name) = $0 { name } else { nil } }
    }

    func settings() throws -> [Setting] {
        try set.map { text in
            guard let setting = Setting(text) else {
                throw ValidationError("The value of --set has no KEY=; write KEY=VALUE or KEY=@FILE.")
            }
            return setting
        }
    }
}
