// What the bus itself is asked: who has a name. D-Bus Specification, "Message Bus Messages".

package enum BusDaemon {
    package static let name = "org.freedesktop.DBus"
    package static let path = "/org/freedesktop/DBus"

    struct OwnerChange {
        var name: String
        /// Nobody has the name any more.
        var isGone: Bool
    }

    /// The rule for `ownerChange`.
    static func ownerRule(of name: String) -> String {
        "type='signal',sender='\(Self.name)',interface='\(Self.name)',member='NameOwnerChanged',arg0='\(name)'"
    }

    static func ownerChange(_ signal: BusSignal) -> OwnerChange? {
        let texts = signal.arguments.compactMap(\.asString)
        guard texts.count == 3 else { return nil }
        return OwnerChange(name: texts[0], isGone: texts[2].isEmpty)
    }

    package static func method(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(name, path: path, interface: name, member, arguments)
    }
}
