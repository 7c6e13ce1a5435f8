// Writes AMF 0, without references: a publisher sends no value twice.

/// Encodes values one after another.
public enum AMF0Encoder {
    /// Names longer than 65,535 bytes, which the format has no room for, are cut.
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
