// Where to broadcast, as it is typed.
import ArgumentParser
import KineRelay

struct DestinationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Broadcast to this address, through the service that takes its kind; may be repeated.",
            discussion: """
                @NAME is the address of that name in ~/.config/kinecast/destinations, whose lines are NAME URL; env:VARIABLE \
                is the one that the variable holds. Both keep a stream key out of the list of processes and the shell's history.
                """,
            valueName: "URL"))
    var to: [String] = []

    @Option(
        help: ArgumentHelp(
            "Broadcast to the addresses in this file, one to a line; - is standard input. Only its owner may read it.",
            valueName: "FILE"),
        completion: .file())
    var toFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "Broadcast through this service, by its id in kinecast services; may be repeated.", valueName: "ID"),
        completion: .custom { _, _, _ in InstalledServices.ids() })
    var service: [String] = []

    @Option(
        help: ArgumentHelp(
            "Tell the services something, as kinecast services lists it; may be repeated.",
            discussion: """
                KEY=@FILE takes the value from a file, which keeps it out of the list of processes. ID.KEY=VALUE tells only \
                the service of that id.
                """,
            valueName: "KEY=VALUE"))
    var set: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where the live page listens. Without it, on a free port for this machine only; 0.0.0.0:PORT lets others in.",
            valueName: "ADDR:PORT"))
    var listen: ListenOption?

    @Option(
        help: ArgumentHelp("The live page's TLS certificate, in PEM.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "crt"]))
    var cert: String?

    @Option(
        help: ArgumentHelp("The private key to --cert, in PEM.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "key"]))
    var key: String?

    @Flag(help: "Only try whether the RTMP servers would take the stream, and say what they are.")
    var test = false

    @Option(
        help: ArgumentHelp(
            "RTMP: attempts in a row to connect again. Without it, for as long as the broadcast runs.", valueName: "N"))
    var retry: Int?

    @Option(
        help: ArgumentHelp("RTMPS: certificates to trust beside the system's, in PEM.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "crt"]))
    var ca: String?

    @Option(
        help: ArgumentHelp(
            "RTMP: the least that the bitrate may fall to on a slow network: 400k, 1M, or bits a second.",
            valueName: "RATE"))
    var minBitrate: BitrateOption?

    func validate() throws {
        _ = try sources()
        _ = try settings()
        if (cert == nil) != (key == nil) {
            throw ValidationError("TLS needs both --cert and --key; give both or neither.")
        }
        if let retry, retry < 0 {
            throw ValidationError("--retry is a number of attempts, 0 or more.")
        }
        if let empty = [("--ca", ca), ("--to-file", toFile.first(where: \.isEmpty))].first(where: { $0.1 == "" }) {
            throw ValidationError("The name of the file for \(empty.0) is empty; give one or leave it out.")
        }
        if toFile.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input can be read once; give --to-file - once.")
        }
        if test, to.isEmpty, toFile.isEmpty {
            throw ValidationError("--test needs an address; add --to rtmp://HOST/APP/KEY.")
        }
        if listen != nil || cert != nil, !asksForLivePage {
            throw ValidationError(
                "--listen, --cert and --key are for the live page, which is not among the destinations; "
                    + "add --service \(DestinationPlan.defaultService).")
        }
    }

    /// What the installed services are to be asked for. Reads the files and variables that hold addresses. `absolute` makes
    /// the paths of `--cert`, `--key` and `--ca` absolute: an extension runs in another directory.
    func plan(reader: DestinationReader, absolute: (String) throws -> String) throws -> DestinationPlan {
        var settings = try settings()
        let addresses = try reader.addresses(sources(), files: toFile)
        let live = DestinationPlan.defaultService
        if let listen { settings.append(Setting(key: "\(live).listen", value: listen.description)) }
        if let cert { settings.append(Setting(key: "\(live).cert", value: try absolute(cert))) }
        if let key { settings.append(Setting(key: "\(live).key", value: try absolute(key))) }
        let rtmp = BuiltInServices.rtmp
        if retry != nil || ca != nil || minBitrate != nil, !service.contains(rtmp.id),
            !addresses.contains(where: { rtmp.urlSchemes.contains($0.scheme) })
        {
            throw CommandFailure(
                status: ExitStatus.usage,
                message: "--retry, --ca and --min-bitrate are for RTMP, which is not among the destinations; "
                    + "add --to rtmp://HOST/APP/KEY.")
        }
        if let retry { settings.append(Setting(key: "\(rtmp.id).retry", value: "\(retry)")) }
        if let ca { settings.append(Setting(key: "\(rtmp.id).ca", value: try absolute(ca))) }
        if let minBitrate {
            settings.append(Setting(key: "\(rtmp.id).min-bitrate", value: "\(minBitrate.bitsPerSecond)"))
        }
        return DestinationPlan(addresses: addresses, services: service, settings: settings)
    }

    private var asksForLivePage: Bool {
        to.isEmpty && toFile.isEmpty && service.isEmpty || service.contains(DestinationPlan.defaultService)
    }

    // Neither may repeat what was typed: there may be a secret in it.

    private func sources() throws -> [DestinationSource] {
        try to.map { text in
            guard let source = DestinationSource(text) else {
                throw ValidationError(
                    "What --to was given is no address; write one such as rtmp://HOST/APP/KEY, @NAME or env:VARIABLE.")
            }
            return source
        }
    }

    /// The variables that hold addresses.
    func variables() throws -> [String] {
        try sources().compactMap { if case .variable(let name) = $0 { name } else { nil } }
    }

    private func settings() throws -> [Setting] {
        try set.map { text in
            guard let setting = Setting(text) else {
                throw ValidationError("What --set was given has no KEY and =; write KEY=VALUE or KEY=@FILE.")
            }
            return setting
        }
    }
}

/// `0.0.0.0:8080`, `[::1]:8080`, or a port alone, which is this machine's only.
struct ListenOption: ExpressibleByArgument, Equatable, CustomStringConvertible {
    var host: String
    var port: Int

    init?(argument: String) {
        let colon = argument.lastIndex(of: ":")
        let digits = colon.map { argument[argument.index(after: $0)...] } ?? argument[...]
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }), let port = Int(digits), port < 65536
        else { return nil }
        let host = colon.map { argument[..<$0] } ?? ""
        // An IPv6 address has colons of its own, so it stands in brackets (RFC 3986, section 3.2.2).
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        guard isBracketed || !host.contains(":"), !host.contains(where: \.isWhitespace) else { return nil }
        self.host = host.isEmpty ? "127.0.0.1" : String(host)
        self.port = port
    }

    var description: String { "\(host):\(port)" }
}
