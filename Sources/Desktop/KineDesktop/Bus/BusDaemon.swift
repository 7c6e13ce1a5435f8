// Requests to the bus itself: which connection owns a name. D-Bus Specification, "Message Bus Messages".
import Glibc
import KinePlatform
import KineText

package enum BusDaemon {
    package static let name = "org.freedesktop.DBus"
    package static let path = "/org/freedesktop/DBus"

    package static func method(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(name, path: path, interface: name, member, arguments)
    }
}

extension BusConnection {
    /// Calls `changed` when another connection gets the name, with its unique name; nil: none has it.
    package func matchOwner(of name: String, changed: @escaping (String?) -> Void) {
        let bus = BusDaemon.name
        match("type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',arg0='\(name)'") { signal in
            let texts = signal.arguments.compactMap(\.asString)
            guard signal.sender == bus, texts.count == 3, texts[0] == name else { return }
            changed(texts[2].isEmpty ? nil : texts[2])
        }
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
        // The bytes that a value of an address may have unescaped.
        func unix(_ path: String) -> String? {
            exists(path) ? "unix:path=\(path.percentEncoded(except: "-_/.*"))" : nil
        }
        return BusAddresses(
            session: variable("DBUS_SESSION_BUS_ADDRESS") ?? variable("XDG_RUNTIME_DIR").flatMap { unix("\($0)/bus") },
            system: variable("DBUS_SYSTEM_BUS_ADDRESS") ?? unix("/run/dbus/system_bus_socket"))
    }
}
