// A place to broadcast to, without its address; of a live page also how far its link leads.
import KineText
import KineWire

/// `live`, `live:network` or `live:public`; `@` and a name of the user's file of destinations; or `service:` and the id of
/// another service.
struct DestinationName: Codable, Equatable, Sendable {
    /// Bytes.
    private static let longest = 100
    private static let prefix = "service:"

    /// As in a request.
    let text: String

    init?(_ text: String) {
        let isNamed = text.hasPrefix("@") && text.utf8.count <= Self.longest && text.dropFirst().isPlainName
        self.text = text
        guard reach != nil || isNamed || service != nil else { return nil }
    }

    /// How far a live page's link leads; nil for other destinations. `live` is this computer, unless kinecast.conf says
    /// otherwise.
    var reach: LinkReach? {
        switch text {
        case "live": .computer
        case "live:network": .network
        case "live:public": .public
        default: nil
        }
    }

    /// The id of a service with settings.
    var service: String? {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let id = text.dropFirst(Self.prefix.count)
        return id.utf8.count <= Self.longest && id.isPlainName ? String(id) : nil
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let name = DestinationName(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the name of a destination")
        }
        self = name
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// The option of `kinecast broadcast`.
    var argument: String {
        if let service { return "--service=\(service)" }
        return reach == nil ? "--to=\(text)" : "--service=live"
    }
}

/// What leads viewers to a live page on this machine: a tunnel, a proxy or a name.
struct PublicLink: Codable, Equatable, Sendable {
    /// The address that viewers open.
    var address: String
    /// The port of this machine to which it leads; absent: 8080.
    var port: Int?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        address = try container.decode(String.self, forKey: .address)
        port = try container.decodeIfPresent(Int.self, forKey: .port)
        guard port.map({ 1...65535 ~= $0 }) != false else {
            throw DecodingError.dataCorruptedError(forKey: .port, in: container, debugDescription: "not a port")
        }
    }
}
