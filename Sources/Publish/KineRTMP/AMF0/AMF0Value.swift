// A value of Adobe's Action Message Format 0, the format of RTMP's commands ("Action Message Format -- AMF 0", 2007).
// AMF0Decoder reads it, AMF0Encoder writes it.

/// One value. The decoder resolves the format's references. It reads types that RTMP's commands do not use as the
/// nearest of these.
public enum AMF0Value: Equatable, Sendable {
    /// A name and its value. Names may repeat; the order is kept.
    public struct Property: Equatable, Sendable {
        public var name: String
        public var value: AMF0Value

        public init(_ name: String, _ value: AMF0Value) {
            self.name = name
            self.value = value
        }
    }

    /// Also a date, as milliseconds since 1970 in UTC.
    case number(Double)
    case boolean(Bool)
    /// Written as a long string if it has more than 65,535 bytes. Also XML.
    case string(String)
    /// Also an object with a class, whose name is omitted.
    case object([Property])
    /// Also an undefined or unsupported value.
    case null
    case ecmaArray([Property])
    case strictArray([AMF0Value])

    /// The number; nil for any other type.
    public var number: Double? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The string; nil for any other type.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value of the first property with this name, of an object or an ECMA array.
    public subscript(name: String) -> AMF0Value? {
        switch self {
        case .object(let properties), .ecmaArray(let properties): properties.first { $0.name == name }?.value
        default: nil
        }
    }
}

/// The byte before a value that gives its type (AMF 0, section 2.1).
enum AMF0Marker {
    static let number: UInt8 = 0x00
    static let boolean: UInt8 = 0x01
    static let string: UInt8 = 0x02
    static let object: UInt8 = 0x03
    static let null: UInt8 = 0x05
    static let undefined: UInt8 = 0x06
    static let reference: UInt8 = 0x07
    static let ecmaArray: UInt8 = 0x08
    static let objectEnd: UInt8 = 0x09
    static let strictArray: UInt8 = 0x0A
    static let date: UInt8 = 0x0B
    static let longString: UInt8 = 0x0C
    static let unsupported: UInt8 = 0x0D
    static let xmlDocument: UInt8 = 0x0F
    static let typedObject: UInt8 = 0x10
}

/// Encodes values one after another.
public enum AMF0Encoder {
    /// Names longer than 65,535 bytes, which the format does not allow, are cut.
    public static func encode(_ values: [AMF0Value]) -> [UInt8] { values.reduce(into: []) { $0.append($1) } }
}

extension [UInt8] {
    fileprivate mutating func append(_ value: AMF0Value) {
        switch value {
        case .number(let number):
            append(AMF0Marker.number)
            append(bigEndian: number.bitPattern)
        case .boolean(let flag):
            append(AMF0Marker.boolean)
            append(flag ? 1 : 0)
        case .string(let text) where text.utf8.count > 0xFFFF:
            append(AMF0Marker.longString)
            append(bigEndian: UInt32(truncatingIfNeeded: text.utf8.count))
            append(contentsOf: text.utf8)
        case .string(let text):
            append(AMF0Marker.string)
            append(short: text)
        case .object(let properties):
            append(AMF0Marker.object)
            append(properties)
        case .null: append(AMF0Marker.null)
        case .ecmaArray(let properties):
            append(AMF0Marker.ecmaArray)
            append(bigEndian: UInt32(truncatingIfNeeded: properties.count))
            append(properties)
        case .strictArray(let values):
            append(AMF0Marker.strictArray)
            append(bigEndian: UInt32(truncatingIfNeeded: values.count))
            for value in values { append(value) }
        }
    }

    private mutating func append(_ properties: [AMF0Value.Property]) {
        for property in properties {
            append(short: property.name)
            append(property.value)
        }
        append(bigEndian: UInt16(0))
        append(AMF0Marker.objectEnd)
    }

    private mutating func append(short text: String) {
        let utf8 = text.utf8.prefix(0xFFFF)
        append(bigEndian: UInt16(utf8.count))
        append(contentsOf: utf8)
    }
}
