// A place to broadcast to, without its address.
import KinePlatform

/// `live`, or `@` and a name of the user's file of destinations.
struct DestinationName: Codable, Equatable, Sendable {
    /// `live`, or the name behind an `@`.
    let text: String

    init?(_ text: String) {
        let isNamed = text.hasPrefix("@") && text.count > 1 && text.utf8.count <= 100
        guard text == "live" || isNamed && text.dropFirst().utf8.allSatisfy(Self.isAllowed) else { return nil }
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

    /// The live page, and the names in the user's file of destinations. Its addresses are not read: they have keys.
    static var known: [DestinationName] {
        let file = UserDirectories.configuration()?.appending("kinecast/destinations")
        let bytes = file.flatMap { PrivateDirectory.contents(of: $0, limit: 64 << 10) } ?? []
        let names = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .compactMap { $0.split(whereSeparator: \.isWhitespace).first }
        return ([DestinationName("live")] + names.map { DestinationName("@\($0)") }).compactMap(\.self)
    }

    /// As in the file `destinations`.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
