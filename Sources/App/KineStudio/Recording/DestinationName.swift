// A place to broadcast to, without its address.
import KinePlatform

/// `live`, or `@` and a name of the user's file of destinations.
struct DestinationName: Codable, Equatable, Sendable {
    /// Bytes.
    private static let longest = 100

    /// As in a request.
    let text: String

    init?(_ text: String) {
        let isNamed = text.hasPrefix("@") && text.utf8.count <= Self.longest && text.dropFirst().isPlainName
        guard text == "live" || isNamed else { return nil }
        self.text = text
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
    var argument: String { text == "live" ? "--service=live" : "--to=\(text)" }
}
