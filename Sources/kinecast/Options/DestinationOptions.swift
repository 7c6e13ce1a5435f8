// Where to broadcast, as it is typed.
import ArgumentParser
import KineRelay

struct DestinationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Broadcast to this address, through the service that takes its kind; may be repeated.", valueName: "URL"))
    var to: [String] = []

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

    func validate() throws {
        _ = try addresses()
        _ = try settings()
        if (cert == nil) != (key == nil) {
            throw ValidationError("TLS needs both --cert and --key; give both or neither.")
        }
        if listen != nil || cert != nil, !asksForLivePage {
            throw ValidationError(
                "--listen, --cert and --key are for the live page, which is not among the destinations; "
                    + "add --service \(DestinationPlan.defaultService).")
        }
    }

    /// What the installed services are to be asked for. `absolute` makes the paths of `--cert` and `--key`
    /// absolute: an extension runs in another directory.
    func plan(absolute: (String) throws -> String) throws -> DestinationPlan {
        var settings = try settings()
        let live = DestinationPlan.defaultService
        if let listen { settings.append(Setting(key: "\(live).listen", value: listen.description)) }
        if let cert { settings.append(Setting(key: "\(live).cert", value: try absolute(cert))) }
        if let key { settings.append(Setting(key: "\(live).key", value: try absolute(key))) }
        return DestinationPlan(addresses: try addresses(), services: service, settings: settings)
    }

    private var asksForLivePage: Bool {
        to.isEmpty && service.isEmpty || service.contains(DestinationPlan.defaultService)
    }

    // Neither may repeat what was typed: there may be a secret in it.

    private func addresses() throws -> [DestinationAddress] {
        try to.map { text in
            guard let address = DestinationAddress(text) else {
                throw ValidationError("What --to was given is no address; write one such as rtmp://HOST/APP/KEY.")
            }
            return address
        }
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
