// Values in messages on a bus. D-Bus Specification 0.41, "Type System".
import Glibc

/// A value of a D-Bus message.
public indirect enum BusValue: Sendable, Equatable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// Sending duplicates it. A received one is closed when its last reference is released.
    case descriptor(BusDescriptor)
    case variant(BusValue)
    case structure([BusValue])
    /// `of`: the type of all elements.
    case array(of: String, [BusValue])
    /// An element of an array: a key and its value.
    case entry(BusValue, BusValue)

    /// An array of strings, `as`.
    public static func strings(_ strings: [String]) -> BusValue { .array(of: "s", strings.map(BusValue.string)) }

    /// String keys with values of any type, `a{sv}`.
    public static func properties(_ properties: [String: BusValue]) -> BusValue {
        .array(
            of: "{sv}",
            properties.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .variant($0.value)) })
    }

    /// The D-Bus signature of the type.
    public var type: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .variant: "v"
        case .structure(let members): "(\(members.map(\.type).joined()))"
        case .array(let element, _): "a\(element)"
        case .entry(let key, let value): "{\(key.type)\(value.type)}"
        }
    }

    // The contents of each type that is read; nil for a value of another type.

    public var asBoolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    public var asUInt32: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    public var asInt32: Int32? { if case .int32(let value) = self { value } else { nil } }
    public var asDescriptor: BusDescriptor? { if case .descriptor(let value) = self { value } else { nil } }
    /// The content of a variant.
    public var content: BusValue? { if case .variant(let value) = self { value } else { nil } }

    /// The text of a string or an object path.
    public var asString: String? {
        switch self {
        case .string(let value), .objectPath(let value): value
        default: nil
        }
    }

    public var asStrings: [String]? {
        guard case .array("s", let elements) = self else { return nil }
        return elements.compactMap(\.asString)
    }

    /// The values of `a{sv}`, out of their variants.
    public var asProperties: [String: BusValue]? {
        guard case .array("{sv}", let elements) = self else { return nil }
        var properties: [String: BusValue] = [:]
        for case .entry(.string(let key), .variant(let value)) in elements { properties[key] = value }
        return properties
    }

    public var elements: [BusValue]? { if case .array(_, let elements) = self { elements } else { nil } }
    public var members: [BusValue]? { if case .structure(let members) = self { members } else { nil } }
}

/// A file descriptor from a message. Closed with this object.
public final class BusDescriptor: Sendable, Equatable {
    public let rawValue: Int32

    public init(adopting rawValue: Int32) { self.rawValue = rawValue }

    deinit { close(rawValue) }

    public static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }
}
