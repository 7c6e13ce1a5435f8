// Objects of this process that other programs on the bus call. D-Bus Specification 0.41, "Standard Interfaces".
import CSDBus

/// The answer to a method call.
public enum BusReply: Sendable, Equatable {
    case values([BusValue])
    /// An error's name, and a sentence for the caller's log.
    case error(name: String, message: String)

    /// - Parameter name: without the beginning `org.freedesktop.DBus.Error.`.
    public static func failure(_ name: String, _ message: String) -> BusReply {
        .error(name: "org.freedesktop.DBus.Error." + name, message: message)
    }
}

/// An object with one interface, whose properties cannot be written. Used on the connection's thread.
public protocol BusObject: AnyObject {
    static var path: String { get }
    static var interface: String { get }
    var properties: [String: BusValue] { get }
    /// Carries out a method. Returns nil if there is no such method with arguments of these types.
    func call(_ member: String, _ arguments: [BusValue]) -> BusReply?
}

extension BusConnection {
    private static let properties = "org.freedesktop.DBus.Properties"
    /// The most values in a call, those in containers counted. Each costs memory many times its size in the message.
    private static let mostValues = 4096

    /// Answers calls to the object while it and the connection live.
    public func add(_ object: some BusObject) throws(BusError) {
        try serve(type(of: object).path) { [weak object, unowned self] message in
            if let object { try? reply(Self.answer(to: message, of: object), to: message) }
        }
    }

    /// Sends a signal of the object. Has no effect once the connection is closed.
    public func emit(_ member: String, _ values: [BusValue] = [], from object: some BusObject) {
        let kind = type(of: object)
        try? emit(kind.path, kind.interface, member, values)
    }

    package func emit(
        _ path: String, _ interface: String, _ member: String, _ values: [BusValue]
    ) throws(BusError) {
        guard !isClosed else { throw .closed }
        var created: OpaquePointer?
        try BusMessage.check(
            "sd_bus_message_new_signal", sd_bus_message_new_signal(bus, &created, path, interface, member))
        try send(created, values)
    }

    /// - Parameter call: the message to answer.
    package func reply(_ reply: BusReply, to call: OpaquePointer) throws(BusError) {
        var created: OpaquePointer?
        switch reply {
        case .values(let values):
            try BusMessage.check(
                "sd_bus_message_new_method_return", sd_bus_message_new_method_return(call, &created))
            try send(created, values)
        case .error(let name, let message):
            let result = name.withCString { name in
                message.withCString { message in
                    var error = sd_bus_error(name: name, message: message, _need_free: 0)
                    return sd_bus_message_new_method_error(call, &created, &error)
                }
            }
            try BusMessage.check("sd_bus_message_new_method_error", result)
            try send(created, [])
        }
    }

    /// Appends the values to a new message, sends it and releases it.
    private func send(_ message: OpaquePointer?, _ values: [BusValue]) throws(BusError) {
        guard let message else { throw .malformed }
        defer { sd_bus_message_unref(message) }
        try BusMessage.append(values, to: message)
        try BusMessage.check("sd_bus_send", sd_bus_send(bus, message, nil))
    }

    private static func answer<Object: BusObject>(to message: OpaquePointer, of object: Object) -> BusReply {
        guard let arguments = try? BusMessage.values(of: message, limit: mostValues) else {
            return .failure("LimitsExceeded", "The call has more arguments than it may have.")
        }
        let path = text(sd_bus_message_get_path(message))
        guard path == Object.path else { return .failure("UnknownObject", "There is no object \(path).") }
        let interface = text(sd_bus_message_get_interface(message))
        let member = text(sd_bus_message_get_member(message))
        let reply: BusReply? =
            switch interface {
            case properties: property(member, arguments, of: object)
            // A caller may leave the interface out ("Message Types", METHOD_CALL).
            case Object.interface, "": object.call(member, arguments)
            default: nil
            }
        return reply ?? .failure("UnknownMethod", "\(interface) has no method \(member) with these arguments.")
    }

    private static func property<Object: BusObject>(
        _ member: String, _ arguments: [BusValue], of object: Object
    ) -> BusReply? {
        let texts = arguments.compactMap(\.asString)
        guard let interface = texts.first, interface == Object.interface || interface.isEmpty else { return nil }
        switch (member, texts.count) {
        case ("GetAll", 1): return .values([.properties(object.properties)])
        case ("Get", 2):
            guard let value = object.properties[texts[1]] else {
                return .failure("UnknownProperty", "\(Object.interface) has no property \(texts[1]).")
            }
            return .values([.variant(value)])
        case ("Set", 2): return .failure("PropertyReadOnly", "\(texts[1]) cannot be written.")
        default: return nil
        }
    }
}
