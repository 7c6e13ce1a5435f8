// Writes AMF 0. No references are written: a publisher has no value twice.

/// Values as bytes, one after another.
public struct AMF0Encoder: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// The bytes of several values.
    public static func encode(_ values: [AMF0Value]) -> [UInt8] {
        var encoder = AMF0Encoder()
        for value in values { encoder.append(value) }
        return encoder.bytes
    }

    /// Names longer than 65,535 bytes, which the format has no room for, are cut.
    public mutating func append(_ value: AMF0Value) {
        switch value {
        case .number(let number):
            bytes.append(AMF0Marker.number)
            bytes.append(bigEndian: number.bitPattern)
        case .boolean(let flag):
            bytes.append(AMF0Marker.boolean)
            bytes.append(flag ? 1 : 0)
        case .string(let text):
            let isLong = text.utf8.count > 0xFFFF
            bytes.append(isLong ? AMF0Marker.longString : AMF0Marker.string)
            if isLong { appendLong(text) } else { appendShort(text) }
        case .object(let properties):
            bytes.append(AMF0Marker.object)
            append(properties)
        case .null: bytes.append(AMF0Marker.null)
        case .undefined: bytes.append(AMF0Marker.undefined)
        case .ecmaArray(let properties):
            bytes.append(AMF0Marker.ecmaArray)
            bytes.append(bigEndian: UInt32(truncatingIfNeeded: properties.count))
            append(properties)
        case .strictArray(let values):
            bytes.append(AMF0Marker.strictArray)
            bytes.append(bigEndian: UInt32(truncatingIfNeeded: values.count))
            for value in values { append(value) }
        case .date(let milliseconds, let timeZone):
            bytes.append(AMF0Marker.date)
            bytes.append(bigEndian: milliseconds.bitPattern)
            bytes.append(bigEndian: UInt16(bitPattern: timeZone))
        case .unsupported: bytes.append(AMF0Marker.unsupported)
        case .xmlDocument(let text):
            bytes.append(AMF0Marker.xmlDocument)
            appendLong(text)
        case .typedObject(let className, let properties):
            bytes.append(AMF0Marker.typedObject)
            appendShort(className)
            append(properties)
        }
    }

    private mutating func append(_ properties: [AMF0Value.Property]) {
        for property in properties {
            appendShort(property.name)
            append(property.value)
        }
        bytes.append(bigEndian: UInt16(0))
        bytes.append(AMF0Marker.objectEnd)
    }

    private mutating func appendShort(_ text: String) {
        let utf8 = text.utf8.prefix(0xFFFF)
        bytes.append(bigEndian: UInt16(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    private mutating func appendLong(_ text: String) {
        bytes.append(bigEndian: UInt32(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}
