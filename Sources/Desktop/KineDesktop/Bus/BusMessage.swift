// Reads and writes the values of sd-bus's messages. Variadic calls are not used: Swift cannot make them.
import CSDBus
import Glibc
import SystemPackage

/// The values of a `sd_bus_message`.
package enum BusMessage {
    /// The deepest nesting that is read (the specification's own limit for containers is 64).
    private static let depthLimit = 64

    /// Throws if libsystemd returned a negative number.
    @discardableResult
    package static func check(_ call: String, _ result: Int32) throws(BusError) -> Int32 {
        guard result >= 0 else { throw .system(call: call, Errno(rawValue: -result)) }
        return result
    }

    package static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
        for value in values { try append(value, to: message) }
    }

    private static func append(_ value: BusValue, to message: OpaquePointer) throws(BusError) {
        switch value {
        case .byte(let number): try append(number, "y", message)
        case .boolean(let flag): try append(flag ? 1 : 0 as Int32, "b", message)
        case .int16(let number): try append(number, "n", message)
        case .uint16(let number): try append(number, "q", message)
        case .int32(let number): try append(number, "i", message)
        case .uint32(let number): try append(number, "u", message)
        case .int64(let number): try append(number, "x", message)
        case .uint64(let number): try append(number, "t", message)
        case .double(let number): try append(number, "d", message)
        case .descriptor(let descriptor): try append(descriptor.rawValue, "h", message)
        case .string(let text), .objectPath(let text), .signature(let text):
            let type = value.type
            try check("append", text.withCString { sd_bus_message_append_basic(message, letter(type), $0) })
        case .variant(let content): try container("v", content.type, [content], message)
        case .structure(let members): try container("r", members.map(\.type).joined(), members, message)
        case .array(let element, let elements): try container("a", element, elements, message)
        case .entry(let key, let content): try container("e", key.type + content.type, [key, content], message)
        }
    }

    private static func append<Number: BitwiseCopyable>(_ number: Number, _ type: String, _ message: OpaquePointer)
        throws(BusError)
    {
        var number = number
        try check("append", sd_bus_message_append_basic(message, letter(type), &number))
    }

    private static func container(
        _ type: String, _ contents: String, _ values: [BusValue], _ message: OpaquePointer
    ) throws(BusError) {
        try check("open", sd_bus_message_open_container(message, letter(type), contents))
        try append(values, to: message)
        try check("close", sd_bus_message_close_container(message))
    }

    /// - Parameter limit: throws if there are more values, those in containers counted.
    package static func values(of message: OpaquePointer, limit: Int = .max) throws(BusError) -> [BusValue] {
        var left = limit
        return try values(of: message, depth: 0, &left)
    }

    /// The values up to the end of the current container.
    private static func values(
        of message: OpaquePointer, depth: Int, _ left: inout Int
    ) throws(BusError) -> [BusValue] {
        guard depth < depthLimit else { throw .malformed }
        var values: [BusValue] = []
        while true {
            var type = CChar(0)
            var contents: UnsafePointer<CChar>?
            guard try check("peek", sd_bus_message_peek_type(message, &type, &contents)) > 0 else { return values }
            guard left > 0 else { throw .malformed }
            left -= 1
            let inner = contents.map { String(cString: $0) } ?? ""
            switch Character(UnicodeScalar(UInt8(bitPattern: type))) {
            case "v":
                guard let content = try enter(message, type, inner, depth, &left).first else { throw .malformed }
                values.append(.variant(content))
            case "r": values.append(.structure(try enter(message, type, inner, depth, &left)))
            case "a": values.append(.array(of: inner, try enter(message, type, inner, depth, &left)))
            case "e":
                let pair = try enter(message, type, inner, depth, &left)
                guard pair.count == 2 else { throw .malformed }
                values.append(.entry(pair[0], pair[1]))
            case let basic: values.append(try read(basic, type, message))
            }
        }
    }

    private static func enter(
        _ message: OpaquePointer, _ type: CChar, _ contents: String, _ depth: Int, _ left: inout Int
    ) throws(BusError) -> [BusValue] {
        try check("enter", sd_bus_message_enter_container(message, type, contents))
        let values = try values(of: message, depth: depth + 1, &left)
        try check("exit", sd_bus_message_exit_container(message))
        return values
    }

    private static func read(
        _ name: Character, _ type: CChar, _ message: OpaquePointer
    ) throws(BusError) -> BusValue {
        func number<Number: FixedWidthInteger>(_: Number.Type) throws(BusError) -> Number {
            var number = Number.zero
            try check("read", sd_bus_message_read_basic(message, type, &number))
            return number
        }
        switch name {
        case "y": return .byte(try number(UInt8.self))
        case "b": return .boolean(try number(Int32.self) != 0)
        case "n": return .int16(try number(Int16.self))
        case "q": return .uint16(try number(UInt16.self))
        case "i": return .int32(try number(Int32.self))
        case "u": return .uint32(try number(UInt32.self))
        case "x": return .int64(try number(Int64.self))
        case "t": return .uint64(try number(UInt64.self))
        case "d": return .double(Double(bitPattern: try number(UInt64.self)))
        case "s": return .string(try text(type, message))
        case "o": return .objectPath(try text(type, message))
        case "g": return .signature(try text(type, message))
        case "h":
            // The message closes its own descriptor when it is released.
            let copy = fcntl(try number(Int32.self), F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw .system(call: "fcntl", Errno(rawValue: errno)) }
            return .descriptor(BusDescriptor(adopting: copy))
        default: throw .malformed
        }
    }

    private static func text(_ type: CChar, _ message: OpaquePointer) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try check("read", sd_bus_message_read_basic(message, type, &text))
        guard let text else { throw .malformed }
        return String(cString: text)
    }

    private static func letter(_ type: String) -> CChar { CChar(bitPattern: type.utf8.first ?? 0) }
}

/// The failure of a call, or of the connection.
///
/// Never ends a take: the take continues without the desktop.
public enum BusError: Error, Equatable, Sendable {
    /// libsystemd is not installed.
    case noLibrary
    /// The environment names no bus, or no bus answers there.
    case unreachable(Errno)
    /// The other side answered with an error; its name, such as `org.freedesktop.DBus.Error.AccessDenied`, and its words.
    case refused(name: String, message: String)
    /// A call of libsystemd failed.
    case system(call: String, Errno)
    /// The values of a message are too many, nested too deeply, or have a type that is not in the specification.
    case malformed
    /// The connection has ended.
    case closed
}
