// Reads AMF 0 from a peer that is not trusted. Depth and number of values are limited, references included: each can make a
// small message huge.

/// The values of one message. References point at complex values of the same message (AMF 0, section 2.9).
public struct AMF0Decoder: Sendable {
    public enum Error: Swift.Error, Hashable {
        /// The message ends within a value.
        case truncated
        /// A type that no peer sends in AMF 0: movie clips, record sets, the switch to AMF 3.
        case unknownType(UInt8)
        case badReference(Int)
        case tooDeep
        case tooManyValues
    }

    /// Objects and arrays within one another.
    public static let depthLimit = 32
    /// Values in one message. Each reference counts as all the values that it points at.
    public static let valueLimit = 4096

    private struct Complex: Sendable {
        var value: AMF0Value
        var values: Int
        var depth: Int
    }

    private var reader: ByteReader
    /// What references may point at, in order of appearance; nil while a value is still being read.
    private var complex: [Complex?] = []
    private var values = 0

    public init(_ bytes: some Sequence<UInt8>) { reader = ByteReader(Array(bytes)[...]) }

    /// All the values of a message.
    public static func decode(_ bytes: some Sequence<UInt8>) throws(Error) -> [AMF0Value] {
        var decoder = AMF0Decoder(bytes)
        var values: [AMF0Value] = []
        while let value = try decoder.next() { values.append(value) }
        return values
    }

    /// The next value; nil at the end.
    public mutating func next() throws(Error) -> AMF0Value? {
        guard reader.count > 0 else { return nil }
        return try value(depth: 0).value
    }

    /// A value, and how many levels it has itself.
    private mutating func value(depth: Int) throws(Error) -> (value: AMF0Value, depth: Int) {
        guard depth < Self.depthLimit else { throw .tooDeep }
        try count(1)
        let marker: UInt8 = try integer()
        switch marker {
        case AMF0Marker.number: return (.number(Double(bitPattern: try integer())), 1)
        case AMF0Marker.boolean: return (.boolean(try integer(UInt8.self) != 0), 1)
        case AMF0Marker.string: return (.string(try text(Int(try integer(UInt16.self)))), 1)
        case AMF0Marker.longString: return (.string(try text(Int(try integer(UInt32.self)))), 1)
        case AMF0Marker.xmlDocument: return (.xmlDocument(try text(Int(try integer(UInt32.self)))), 1)
        case AMF0Marker.null: return (.null, 1)
        case AMF0Marker.undefined: return (.undefined, 1)
        case AMF0Marker.unsupported: return (.unsupported, 1)
        case AMF0Marker.date:
            let milliseconds = Double(bitPattern: try integer())
            return (.date(milliseconds: milliseconds, timeZone: Int16(bitPattern: try integer())), 1)
        case AMF0Marker.reference: return try reference(depth: depth)
        case AMF0Marker.object, AMF0Marker.ecmaArray, AMF0Marker.strictArray, AMF0Marker.typedObject:
            return try complexValue(marker, depth: depth)
        default: throw .unknownType(marker)
        }
    }

    private mutating func complexValue(
        _ marker: UInt8, depth: Int
    ) throws(Error) -> (value: AMF0Value, depth: Int) {
        let index = complex.count
        complex.append(nil)
        let before = values
        let result: (value: AMF0Value, depth: Int)
        switch marker {
        case AMF0Marker.strictArray:
            // The length is only claimed: no memory is reserved for it.
            let length = Int(try integer(UInt32.self))
            guard length <= Self.valueLimit else { throw .tooManyValues }
            var elements: [AMF0Value] = []
            var deepest = 0
            for _ in 0..<length {
                let element = try value(depth: depth + 1)
                elements.append(element.value)
                deepest = max(deepest, element.depth)
            }
            result = (.strictArray(elements), deepest + 1)
        default:
            let className = marker == AMF0Marker.typedObject ? try text(Int(try integer(UInt16.self))) : ""
            // An ECMA array's length is only a hint; its end is marked, as an object's (section 2.10).
            if marker == AMF0Marker.ecmaArray { _ = try integer(UInt32.self) }
            let (properties, deepest) = try properties(depth: depth)
            let value: AMF0Value =
                switch marker {
                case AMF0Marker.ecmaArray: .ecmaArray(properties)
                case AMF0Marker.typedObject: .typedObject(className: className, properties)
                default: .object(properties)
                }
            result = (value, deepest + 1)
        }
        complex[index] = Complex(value: result.value, values: values - before + 1, depth: result.depth)
        return result
    }

    private mutating func properties(depth: Int) throws(Error) -> ([AMF0Value.Property], deepest: Int) {
        var properties: [AMF0Value.Property] = []
        var deepest = 0
        while true {
            let name = try text(Int(try integer(UInt16.self)))
            if name.isEmpty, reader.peek() == AMF0Marker.objectEnd {
                _ = try integer(UInt8.self)
                return (properties, deepest)
            }
            let (value, height) = try value(depth: depth + 1)
            properties.append(AMF0Value.Property(name, value))
            deepest = max(deepest, height)
        }
    }

    private mutating func reference(depth: Int) throws(Error) -> (value: AMF0Value, depth: Int) {
        let index = Int(try integer(UInt16.self))
        guard complex.indices.contains(index), let target = complex[index] else { throw .badReference(index) }
        guard depth + target.depth <= Self.depthLimit else { throw .tooDeep }
        try count(target.values)
        return (target.value, target.depth)
    }

    private mutating func count(_ added: Int) throws(Error) {
        values += added
        guard values <= Self.valueLimit else { throw .tooManyValues }
    }

    private mutating func integer<Integer: FixedWidthInteger>(
        _ type: Integer.Type = Integer.self
    ) throws(Error) -> Integer {
        guard let value = reader.integer(Integer.self) else { throw .truncated }
        return value
    }

    /// Invalid UTF-8 is replaced: text in another encoding is still a message.
    private mutating func text(_ length: Int) throws(Error) -> String {
        guard let bytes = reader.bytes(length) else { throw .truncated }
        return String(decoding: bytes, as: UTF8.self)
    }
}
