// The part of AMF 0 that publishers and servers use, for the strict server alone.

public indirect enum StrictAMF: Equatable, Sendable {
    case number(Double)
    case boolean(Bool)
    case string(String)
    case object([(String, StrictAMF)])
    case array([StrictAMF])
    case null

    public static func == (a: StrictAMF, b: StrictAMF) -> Bool { a.bytes == b.bytes }

    public subscript(name: String) -> StrictAMF? {
        if case .object(let properties) = self { properties.first { $0.0 == name }?.1 } else { nil }
    }

    public var bytes: [UInt8] {
        switch self {
        case .number(let value):
            let bits = value.bitPattern
            return [0] + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
        case .boolean(let value): return [1, value ? 1 : 0]
        case .string(let text): return [2] + Self.name(text)
        case .object(let properties): return [3] + properties.flatMap { Self.name($0.0) + $0.1.bytes } + [0, 0, 9]
        case .array(let values): return [10, 0, 0, 0, UInt8(values.count)] + values.flatMap(\.bytes)
        case .null: return [5]
        }
    }

    private static func name(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count / 256), UInt8(text.utf8.count % 256)] + text.utf8
    }

    /// Reads values that fill `bytes` exactly.
    public static func read(_ bytes: [UInt8]) throws -> [StrictAMF] {
        var rest = bytes[...]
        var values: [StrictAMF] = []
        while !rest.isEmpty { values.append(try value(&rest)) }
        return values
    }

    private static func bytes(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw StrictChunkReader.Violation("AMF that ends too early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) throws -> String {
        let length = try bytes(2, &rest).reduce(0) { $0 * 256 + Int($1) }
        guard let text = String(validating: try bytes(length, &rest), as: UTF8.self) else {
            throw StrictChunkReader.Violation("a string that is not UTF-8")
        }
        return text
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) throws -> StrictAMF {
        let marker = try bytes(1, &rest).first
        switch marker {
        case 0: return .number(Double(bitPattern: try bytes(8, &rest).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        case 1: return .boolean(try bytes(1, &rest).first == 1)
        case 2: return .string(try text(&rest))
        case 3, 8:
            if marker == 8 { _ = try bytes(4, &rest) }
            var properties: [(String, StrictAMF)] = []
            while true {
                let name = try text(&rest)
                if name.isEmpty, rest.first == 9 {
                    _ = try bytes(1, &rest)
                    return .object(properties)
                }
                properties.append((name, try value(&rest)))
            }
        case 5: return .null
        case 10:
            let length = try bytes(4, &rest).reduce(0) { $0 * 256 + Int($1) }
            return .array(try (0..<length).map { _ in try value(&rest) })
        default: throw StrictChunkReader.Violation("AMF of type \(marker ?? 255)")
        }
    }
}
