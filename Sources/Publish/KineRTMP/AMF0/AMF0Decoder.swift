// Reads AMF 0 from an untrusted peer. The depth and the number of values are limited, including references, since
// either can make a small message huge.

/// The values of one message. References point at complex values of the same message (AMF 0, section 2.9).
public struct AMF0Decoder: Sendable {
    public enum Error: Swift.Error, Hashable {
        /// The message ends within a value.
        case truncated
        /// A type that no peer sends: movie clips, record sets, the switch to AMF 3.
        case unknownType(UInt8)
        case badReference(Int)
        case tooDeep
        case tooManyValues
    }

    /// The deepest nesting of objects and arrays.
    public static let depthLimit = 32
    /// Values in one message. Each reference counts as all the values that it refers to.
    public static let valueLimit = 4096

    private struct Complex: Sendable {
        var value: AMF0Value
        var values: Int
        var depth: Int
    }

    private var reader: ByteReader
    /// The values that references may refer to, in order of appearance; nil while a value is still being read.
    private var complex: [Complex?] = []
    private var values = 0

    /// All the values of a message.
    public static func decode(_ bytes: some Sequence<UInt8>) throws(Error) -> [AMF0Value] {
        var decoder = AMF0Decoder(reader: ByteReader(Array(bytes)[...]))
        var values: [AMF0Value] = []
        while decoder.reader.count > 0 { values.append(try decoder.value(depth: 0).value) }
        return values
    }

    private init(reader: ByteReader) { self.reader = reader }

    /// Reads a value. Returns it with the number of its levels.
    private mutating func value(depth: Int) throws(Error) -> (value: AMF0Value, depth: Int) {
        guard depth < Self.depthLimit else { throw .tooDeep }
        try count(1)
        let marker: UInt8 = try integer()
        switch marker {
        case AMF0Marker.number: return (.number(Double(bitPattern: try integer())), 1)
        case AMF0Marker.boolean: return (.boolean(try integer(UInt8.self) != 0), 1)
        case AMF0Marker.string: return (.string(try text(UInt16.self)), 1)
        case AMF0Marker.longString, AMF0Marker.xmlDocument: return (.string(try text(UInt32.self)), 1)
        case AMF0Marker.null, AMF0Marker.undefined, AMF0Marker.unsupported: return (.null, 1)
        case AMF0Marker.date:
            let milliseconds = Double(bitPattern: try integer())
            _ = try integer(UInt16.self)  // the time zone, which is reserved (section 2.13)
            return (.number(milliseconds), 1)
        case AMF0Marker.reference: return try reference(depth: depth)
        case AMF0Marker.object, AMF0Marker.ecmaArray, AMF0Marker.strictArray, AMF0Marker.typedObject:
            let (index, before) = (complex.count, values)
            complex.append(nil)
            let (value, deepest) = try complexValue(marker, depth: depth + 1)
            complex[index] = Complex(value: value, values: values - before + 1, depth: deepest + 1)
            return (value, deepest + 1)
        default: throw .unknownType(marker)
        }
    }

    /// `depth`: the depth of the values in it. `deepest`: the levels of the deepest of them.
    private mutating func complexValue(
        _ marker: UInt8, depth: Int
    ) throws(Error) -> (value: AMF0Value, deepest: Int) {
        if marker == AMF0Marker.strictArray { return try strictArray(depth: depth) }
        let isArray = marker == AMF0Marker.ecmaArray
        // The length is only a hint; the end is marked as in an object (section 2.10).
        if isArray { _ = try integer(UInt32.self) }
        if marker == AMF0Marker.typedObject { _ = try text(UInt16.self) }
        let (properties, deepest) = try properties(depth: depth)
        return (isArray ? .ecmaArray(properties) : .object(properties), deepest)
    }

    private mutating func strictArray(depth: Int) throws(Error) -> (value: AMF0Value, deepest: Int) {
        // The length may be wrong, so no memory is reserved for it.
        let length = Int(try integer(UInt32.self))
        guard length <= Self.valueLimit else { throw .tooManyValues }
        var elements: [AMF0Value] = []
        var deepest = 0
        for _ in 0..<length {
            let (element, height) = try value(depth: depth)
            elements.append(element)
            deepest = max(deepest, height)
        }
        return (.strictArray(elements), deepest)
    }

    private mutating func properties(depth: Int) throws(Error) -> ([AMF0Value.Property], deepest: Int) {
        var properties: [AMF0Value.Property] = []
        var deepest = 0
        while true {
            let name = try text(UInt16.self)
            if name.isEmpty, reader.peek() == AMF0Marker.objectEnd {
                _ = try integer(UInt8.self)
                return (properties, deepest)
            }
            let (value, height) = try value(depth: depth)
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

    /// Text after its length in bytes. Invalid UTF-8 is replaced: text in another encoding is still a message.
    private mutating func text<Length: FixedWidthInteger>(_ length: Length.Type) throws(Error) -> String {
        guard let bytes = reader.bytes(Int(try integer(length))) else { throw .truncated }
        return String(decoding: bytes, as: UTF8.self)
    }
}
