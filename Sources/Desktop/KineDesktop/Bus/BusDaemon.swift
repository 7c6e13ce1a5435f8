// Requests to the bus itself: which connection owns a name. D-Bus Specification, "Message Bus Messages".
import Glibc
import KinePlatform

package enum BusDaemon {
    package static let name = "org.freedesktop.DBus"
    package static let path = "/org/freedesktop/DBus"

    package struct OwnerChange {
        package var name: String
        /// The unique name of the connection that has it now, if one does.
        package var owner: String?

        package var isGone: Bool { owner == nil }
    }

    /// The match rule for the signals that `ownerChange` reads.
    package static func ownerRule(of name: String) -> String {
        "type='signal',sender='\(Self.name)',interface='\(Self.name)',member='NameOwnerChanged',arg0='\(name)'"
    }

    package static func ownerChange(_ signal: BusSignal) -> OwnerChange? {
        let texts = signal.arguments.compactMap(\.asString)
        guard texts.count == 3 else { return nil }
        return OwnerChange(name: texts[0], owner: texts[2].isEmpty ? nil : texts[2])
    }

    package static func method(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(name, path: path, interface: name, member, arguments)
    }
}

/// The addresses of the user's bus and the system's (D-Bus Specification, "Server Addresses"); nil: there is none.
///
/// The environment is read once: getenv is not safe while another thread sets variables.
public struct BusAddresses: Sendable, Equatable {
    public var session: String?
    public var system: String?

    public init(session: String?, system: String?) {
        self.session = session
        self.system = system
    }

    /// Finds them as libsystemd does: in the environment, else at systemd's usual paths.
    public static func find(
        _ variable: (String) -> String? = ProcessEnvironment.value,
        exists: (String) -> Bool = { access($0, F_OK) == 0 }
    ) -> BusAddresses {
        func unix(_ path: String) -> String? { exists(path) ? "unix:path=\(escaped(path))" : nil }
        return BusAddresses(
            session: variable("DBUS_SESSION_BUS_ADDRESS") ?? variable("XDG_RUNTIME_DIR").flatMap { unix("\($0)/bus") },
            system: variable("DBUS_SYSTEM_BUS_ADDRESS") ?? unix("/run/dbus/system_bus_socket"))
    }

    /// Escapes a value of an address: writes other bytes than these in hexadecimal.
    static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-_/.*".contains(character) {
                return String(character)
            }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
