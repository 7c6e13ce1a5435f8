// The options of destinations and their settings.
import ArgumentParser
import KineChoices
import KineMedia
import KineProgram
import KineServices
import KineText

struct DestinationOptions: ParsableArguments {
    @OptionGroup var choice: DestinationChoice

    @Option(
        help: ArgumentHelp(
            "Where the live page listens; 0.0.0.0:PORT lets others in. If not given, a free port for this machine only.",
            discussion: "A port alone is for this machine only, such as for a proxy. An IPv6 address needs brackets.",
            valueName: "ADDR:PORT"))
    var listen: ListenOption?

    @Option(
        help: ArgumentHelp("The live page's TLS certificate, in PEM.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "crt"]))
    var tlsCert: String?

    @Option(
        help: ArgumentHelp("The private key to --tls-cert, in PEM.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "key"]))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "The address that viewers open, if a name, a reverse proxy or a tunnel leads to the live page.",
            discussion:
                "Scheme, host, port and path, such as https://live.example.org/screen/. The link begins with it.",
            valueName: "URL"))
    var publicUrl: String?

    @Option(help: ArgumentHelp("The live page's title.", valueName: "TEXT"))
    var title: String?

    @Flag(help: "Print a second link to the live stream, for players that take only a plain address, such as VLC.")
    var playerLink = false

    @Flag(help: "Only check whether the RTMP servers would accept the stream, and say what they are.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "RTMP: give up after so many failed attempts in a row to reconnect. If not given, never.",
            valueName: "N"))
    var maxReconnects: Int?

    @Option(
        help: ArgumentHelp("RTMPS: certificates to trust in addition to the system's, in PEM.", valueName: "FILE"),
        completion: .file(extensions: ["pem", "crt"]))
    var caFile: String?

    @Option(
        help: ArgumentHelp(
            "The lowest bitrate that a slow network can bring the destinations down to, such as 1M. (default: 400k)",
            valueName: "RATE"), transform: BitrateOption.parse)
    var minBitrate: BitrateOption?

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
        if caFile == "" {
            throw ValidationError("The name of the file for --ca-file is empty; give one or leave it out.")
        }
        if let least = minBitrate, let most = maxBitrate, least.bitsPerSecond > most.bitsPerSecond {
            throw ValidationError("--min-bitrate is more than --max-bitrate; lower it.")
        }
        if check, choice.to.isEmpty, choice.toFile.isEmpty {
            throw ValidationError("--check needs an address; add --to rtmp://HOST/APP/KEY.")
        }
        if let listen, listen.address.isName {
            let port = listen.address.port == 0 ? "PORT" : "\(listen.address.port)"
            throw ValidationError(
                "--listen takes an address of this machine, not a name; give 0.0.0.0:\(port) to listen on all of its "
                    + "addresses, and the name with --public-url.")
        }
        if listen != nil || tlsCert != nil || publicUrl != nil || title != nil || playerLink, !asksForLivePage {
            throw ValidationError(
                "--listen, --tls-cert, --tls-key, --title, --public-url and --player-link are for the live page, which is "
                    + "not among the destinations; add --service \(DestinationPlan.defaultService).")
        }
    }

    /// The requested addresses, services and settings. Reads the files and variables that hold addresses. `absolute`
    /// makes a file's path absolute, since an extension runs in another directory.
    func plan(reader: DestinationReader, absolute: (String) throws -> String) throws -> DestinationPlan {
        var settings = try choice.settings()
        func add(_ key: String, _ value: String?) {
            if let value { settings.append(Setting(key: key, value: value)) }
        }
        let addresses = try choice.addresses(reader)
        let live = DestinationPlan.defaultService
        add("\(live).listen", listen?.address.description)
        add("\(live).public-url", publicUrl)
        add("\(live).player-link", playerLink ? "yes" : nil)
        add("\(live).title", title)
        add("\(live).tls-cert", try tlsCert.map(absolute))
        add("\(live).tls-key", try tlsKey.map(absolute))
        let rtmp = BuiltInServices.rtmp
        let hasRTMP =
            choice.service.contains(rtmp.id) || addresses.contains(where: { rtmp.urlSchemes.contains($0.scheme) })
        if maxReconnects != nil || caFile != nil, !hasRTMP {
            throw CommandFailure.usage(
                "--max-reconnects and --ca-file are for RTMP, which is not among the destinations; "
                    + "add --to rtmp://HOST/APP/KEY.")
        }
        add("\(rtmp.id).max-reconnects", maxReconnects.map { "\($0)" })
        add("\(rtmp.id).ca-file", try caFile.map(absolute))
        if hasRTMP { add("\(rtmp.id).min-bitrate", minBitrate.map { "\($0.bitsPerSecond)" }) }
        return DestinationPlan(addresses: addresses, services: choice.service, settings: settings)
    }

    /// The lowest bitrate for the encoder, in bits a second: the option, else the lowest setting of a destination.
    func minimumBitrate(_ destinations: [TakeConfiguration.Destination]) -> Int {
        let told = destinations.compactMap { destination in
            destination.setupInfo["min-bitrate"].flatMap(BitrateOption.init(argument:))?.bitsPerSecond
        }
        return minBitrate?.bitsPerSecond ?? told.min() ?? TakeConfiguration.Video.defaultMinimumBitrate
    }

    private var asksForLivePage: Bool {
        choice.isEmpty || choice.service.contains(DestinationPlan.defaultService)
    }
}

/// An address to listen on. `ListenAddress` parses it, like the live page's setting `listen`.
struct ListenOption: ExpressibleByArgument, Equatable {
    var address: ListenAddress

    init?(argument: String) {
        guard !argument.isEmpty, let address = ListenAddress(argument) else { return nil }
        self.address = address
    }
}
