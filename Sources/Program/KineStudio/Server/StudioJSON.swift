// JSON to and from pages, on one line.
import FoundationEssentials

enum StudioJSON {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The values have no number that JSON lacks, so encoding does not fail.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }

    /// Whether the bytes are a JSON object, whatever is in it.
    static func isObject(_ bytes: [UInt8]) -> Bool { decode(SomeObject.self, bytes) != nil }

    private struct SomeObject: Decodable {
        private enum Keys: CodingKey {}

        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Keys.self) }
    }

    /// Nil: the bytes are not JSON, or a value is missing or of another type.
    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
