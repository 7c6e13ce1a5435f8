// The options of `broadcast` that stand for a setting of services: how each is read and explained, when it is refused, and
// which setting it gives.
import ArgumentParser
import KineChoices
import KineServices

/// An option, the services that it is for, and their setting, which has the option's name.
struct DestinationSetting: Sendable {
    /// Services that have the same options, which are refused in one sentence.
    struct Owner: Equatable, Sendable {
        var services: [ServiceManifest]
        var name: String
        /// Adds one of the services to the destinations.
        var example: String
    }

    static let livePage = Owner(
        services: [BuiltInServices.live], name: "the live page", example: "--service \(BuiltInServices.live.id)")
    static let servers = Owner(
        services: [BuiltInServices.rtmp, BuiltInServices.youtube, BuiltInServices.twitch], name: "RTMP",
        example: "--to rtmp://HOST/APP/KEY")
    static let owners = [livePage, servers]

    var owner: Owner
    /// Without dashes.
    var name: String
    /// The extensions of the file that the option names; nil: it names none.
    var files: [String]?
    /// Whether the option also has an effect without these services.
    var isShared = false
    var help: ArgumentHelp
    /// The setting's value; nil if the option is not given.
    var value: @Sendable (DestinationOptions) -> String?

    /// In the order in which sentences name the options.
    static let all: [Self] = [listen, tlsCert, tlsKey, title, publicURL, playerLink, maxReconnects, caFile, minBitrate]

    // The types are written, since the closures read properties that these rows declare.
    static let listen: Self = .init(
        owner: livePage, name: "listen",
        help: ArgumentHelp(
            "Where the live page listens; 0.0.0.0:PORT lets others in. If not given, a free port for this machine only.",
            discussion: "A port alone is for this machine only, such as for a proxy. An IPv6 address needs brackets.",
            valueName: "ADDR:PORT")
    ) { $0.listen?.description }

    static let tlsCert: Self = .init(
        owner: livePage, name: "tls-cert", files: ["pem", "crt"],
        help: ArgumentHelp("The live page's TLS certificate, in PEM.", valueName: "FILE")
    ) { $0.tlsCert }

    static let tlsKey: Self = .init(
        owner: livePage, name: "tls-key", files: ["pem", "key"],
        help: ArgumentHelp("The private key to --tls-cert, in PEM.", valueName: "FILE")
    ) { $0.tlsKey }

    static let title: Self = .init(
        owner: livePage, name: "title", help: ArgumentHelp("The live page's title.", valueName: "TEXT")
    ) { $0.title }

    static let publicURL: Self = .init(
        owner: livePage, name: "public-url",
        help: ArgumentHelp(
            "The address that viewers open, if a name, a reverse proxy or a tunnel leads to the live page.",
            discussion:
                "Scheme, host, port and path, such as https://live.example.org/screen/. The link begins with it.",
            valueName: "URL")
    ) { $0.publicUrl }

    static let playerLink: Self = .init(
        owner: livePage, name: "player-link",
        help: "Print a second link to the live stream, for players that take only a plain address, such as VLC."
    ) { $0.playerLink ? "yes" : nil }

    static let maxReconnects: Self = .init(
        owner: servers, name: "max-reconnects",
        help: ArgumentHelp(
            "RTMP: give up after so many failed attempts in a row to reconnect. If not given, never.", valueName: "N")
    ) { $0.maxReconnects?.description }

    static let caFile: Self = .init(
        owner: servers, name: "ca-file", files: ["pem", "crt"],
        help: ArgumentHelp("RTMPS: certificates to trust in addition to the system's, in PEM.", valueName: "FILE")
    ) { $0.caFile }

    /// Also limits the encoder, whatever the destinations are.
    static let minBitrate: Self = .init(
        owner: servers, name: "min-bitrate", isShared: true,
        help: ArgumentHelp(
            "The lowest bitrate that a slow network can bring the destinations down to, such as 1M. (default: 400k)",
            valueName: "RATE")
    ) { $0.minBitrate?.bitsPerSecond.description }
}

extension Option {
    /// An option of the table.
    init<Parsed: ExpressibleByArgument>(_ row: DestinationSetting) where Value == Parsed? {
        self.init(name: .customLong(row.name), help: row.help, completion: row.files.map { .file(extensions: $0) })
    }
}

extension Flag where Value == Bool {
    init(wrappedValue: Bool, _ row: DestinationSetting) {
        self.init(wrappedValue: wrappedValue, name: .customLong(row.name), help: row.help)
    }
}
