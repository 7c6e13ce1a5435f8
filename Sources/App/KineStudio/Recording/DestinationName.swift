// A place to broadcast to, without its address.

/// `live`, or `@` and a name of the user's file of destinations.
struct DestinationName: Codable, Equatable, Sendable {
    /// As in a request.
    let text: String

    init?(_ text: String) {
        guard text == "live" || text.hasPrefix("@") && Self.isName(text.dropFirst()) else { return nil }
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

    /// Whether the files of destinations and profiles can have this name.
    static func isName(_ text: some StringProtocol) -> Bool {
        (1...99).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }
}
