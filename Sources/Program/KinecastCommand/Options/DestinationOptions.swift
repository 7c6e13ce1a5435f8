// The options of destinations. Those that stand for a setting are declared here and described in DestinationSetting.swift.
import ArgumentParser
import KineChoices
import KineMedia
import KineProgram
import KineServices
import KineText

struct DestinationOptions: ParsableArguments {
    @OptionGroup var choice: DestinationChoice

    @Option(.listen) var listen: ListenAddress?
    @Option(.tlsCert) var tlsCert: String?
    @Option(.tlsKey) var tlsKey: String?
    @Option(.publicURL) var publicUrl: String?
    @Option(.title) var title: String?
    @Flag(.playerLink) var playerLink = false

    @Flag(
        help: ArgumentHelp(
            "Only check whether the \(DestinationSetting.servers.name) servers would accept the stream, and say what "
                + "they are."))
    var check = false

    @Option(.maxReconnects) var maxReconnects: Int?
    @Option(.caFile) var caFile: String?
    @Option(help: DestinationSetting.minBitrate.help, transform: BitrateOption.parse) var minBitrate: BitrateOption?

    @Option(
        help: ArgumentHelp(
            "The highest bitrate for the destinations, such as 4500k.",
            discussion: "If not given, what their services expect: RTMP 6M at 1920x1080 and 30 frames a second.",
            valueName: "RATE"), transform: BitrateOption.parse)
    var maxBitrate: BitrateOption?

    @Flag(
        help:
            "Refuse to broadcast if this machine cannot confine the broadcasters completely; kinecast doctor says whether it can."
    )
    var requireSandbox = false

    func validate() throws {
        if (tlsCert == nil) != (tlsKey == nil) {
            throw ValidationError("TLS needs both --tls-cert and --tls-key; give both or neither.")
        }
        if let maxReconnects, maxReconnects < 0 {
            throw ValidationError("--max-reconnects is a number of attempts; give 0 or more.")
        }
        for row in DestinationSetting.all where row.files != nil && row.value(self) == "" {
            throw ValidationError("The name of the file for --\(row.name) is empty; give one or leave it out.")
        }
        if let least = minBitrate, let most = maxBitrate, least.bitsPerSecond > most.bitsPerSecond {
            throw ValidationError("--min-bitrate is more than --max-bitrate; lower it.")
        }
        if check, choice.isEmpty {
            throw ValidationError("--check needs a destination; add \(DestinationSetting.servers.example).")
        }
        if let listen, listen.isName {
            let port = listen.port == 0 ? "PORT" : "\(listen.port)"
            throw ValidationError(
                "--listen takes an address of this machine, not a name; give 0.0.0.0:\(port) to listen on all of its "
                    + "addresses, and the name with --public-url.")
        }
        // What takes no address is known before addresses are read.
        for owner in DestinationSetting.owners where owner.services.allSatisfy(\.urlSchemes.isEmpty) {
            if let refusal = refusal(owner, []) { throw ValidationError(refusal) }
        }
    }

    /// The owner's services among the destinations.
    private func services(of owner: DestinationSetting.Owner, _ addresses: [DestinationAddress]) -> [ServiceManifest] {
        owner.services.filter { service in
            choice.service.contains(service.id) || addresses.contains { service.urlSchemes.contains($0.scheme) }
                || choice.isEmpty && service.id == DestinationPlan.defaultService
        }
    }

    /// A sentence if one of the owner's options is given, and none of its services is among the destinations.
    private func refusal(_ owner: DestinationSetting.Owner, _ addresses: [DestinationAddress]) -> String? {
        let rows = DestinationSetting.all.filter { $0.owner == owner && !$0.isShared }
        let isGiven = rows.contains { $0.value(self) != nil }
        guard isGiven, services(of: owner, addresses).isEmpty else { return nil }
        let options = Quantity.list(rows.map { "--\($0.name)" })
        return "\(options) are for \(owner.name), which is not among the destinations; add \(owner.example)."
    }

    /// The requested addresses, services and settings. Reads the files and variables that hold addresses. `absolute`
    /// makes a file's path absolute, since an extension runs in another directory.
    func plan(reader: DestinationReader, absolute: (String) throws -> String) throws -> DestinationPlan {
        var settings = try choice.settings()
        let addresses = try choice.addresses(reader)
        for owner in DestinationSetting.owners {
            if let refusal = refusal(owner, addresses) { throw CommandFailure.usage(refusal) }
        }
        for row in DestinationSetting.all {
            guard let typed = row.value(self) else { continue }
            let value = try row.files == nil ? typed : absolute(typed)
            for service in services(of: row.owner, addresses) {
                settings.append(Setting(key: "\(service.id).\(row.name)", value: value))
            }
        }
        return DestinationPlan(addresses: addresses, services: choice.service, settings: settings)
    }

    /// The lowest bitrate for the encoder, in bits a second: the option, else the lowest setting of a destination.
    func minimumBitrate(_ destinations: [TakeConfiguration.Destination]) -> Int {
        let told = destinations.compactMap { destination in
            destination.setupInfo["min-bitrate"].flatMap(BitrateOption.init(argument:))?.bitsPerSecond
        }
        return minBitrate?.bitsPerSecond ?? told.min() ?? TakeConfiguration.Video.defaultMinimumBitrate
    }
}

extension ListenAddress: ExpressibleByArgument {
    public init?(argument: String) {
        // An empty setting is the default; an option that is given has a value.
        guard !argument.isEmpty else { return nil }
        self.init(argument)
    }
}
