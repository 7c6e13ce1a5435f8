// The names and calls of the desktop's portal for keys, and its answers. org.freedesktop.portal.GlobalShortcuts, versions 1
// and 2, org.freedesktop.host.portal.Registry, and org.freedesktop.systemd1.Manager.
import KineText

/// An action whose key works wherever the focus is.
public struct GlobalShortcut: Sendable, Equatable {
    /// The same in every session: the desktop keeps the key under this name.
    public var id: String
    /// For the desktop's dialog.
    public var description: String
    /// The proposed key, as freedesktop.org's shortcuts specification writes it: `LOGO+SHIFT+r`. The person decides.
    public var preferredTrigger: String

    public init(id: String, description: String, preferredTrigger: String) {
        self.id = id
        self.description = description
        self.preferredTrigger = preferredTrigger
    }
}

/// A running portal, and its calls.
struct GlobalShortcutsPortal: Sendable, Equatable {
    static let interface = "org.freedesktop.portal.GlobalShortcuts"
    static let systemdManager = "org.freedesktop.systemd1.Manager"
    /// Plasma up to 5.27 keeps the keys under a name with this token, also if it knows the application.
    private static let sessionToken = "kinecast"

    /// The unique name of the portal's connection. Calls use it: another portal does not know the session.
    let owner: String
    let version: UInt32
    /// The unique name of this connection.
    let ownName: String

    /// `ConfigureShortcuts` came with version 2.
    var showsDialog: Bool { version >= 2 }

    /// Since xdg-desktop-portal 1.19.4. Accepted only before any other call of the connection, and only if a desktop file
    /// has that name.
    static func register(_ application: String) -> BusCall {
        BusCall(
            Portal.name, path: Portal.path, interface: "org.freedesktop.host.portal.Registry", "Register",
            [.string(application), .properties([:])])
    }

    /// The unit whose name says to earlier portals which application a process is (systemd.io, "Desktop Environments").
    static func scope(of application: String, _ process: Int32) -> String { "app-\(application)-\(process).scope" }

    /// Moves the process into that scope of the user's systemd, if there is one.
    static func startScope(of application: String, _ process: Int32) -> BusCall {
        let processes = BusValue.array(of: "u", [.uint32(UInt32(bitPattern: process))])
        var call = BusCall(
            "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1", interface: systemdManager,
            "StartTransientUnit",
            [
                .string(scope(of: application, process)), .string("fail"),
                .array(of: "(sv)", [.structure([.string("PIDs"), .variant(processes)])]),
                .array(of: "(sa(sv))", []),
            ])
        call.startsService = false
        return call
    }

    static let readVersion = BusCall(
        Portal.name, path: Portal.path, interface: "org.freedesktop.DBus.Properties", "Get",
        [.string(interface), .string("version")])
    static let startPortal = BusDaemon.method("StartServiceByName", [.string(Portal.name), .uint32(0)])

    func createSession(_ shortcuts: [GlobalShortcut], token: String) -> BusCall {
        call(
            "CreateSession",
            [
                .properties([
                    "handle_token": .string(token), "session_handle_token": .string(Self.sessionToken),
                    // Plasma 5.27 binds these alone; others ignore them.
                    "shortcuts": Self.values(of: shortcuts),
                ])
            ])
    }

    func listShortcuts(of session: String, token: String) -> BusCall {
        call("ListShortcuts", [.objectPath(session), .properties(["handle_token": .string(token)])])
    }

    func bindShortcuts(_ shortcuts: [GlobalShortcut], of session: String, token: String) -> BusCall {
        // The dialog has no parent window.
        call(
            "BindShortcuts",
            [
                .objectPath(session), Self.values(of: shortcuts), .string(""),
                .properties(["handle_token": .string(token)]),
            ])
    }

    func configureShortcuts(of session: String) -> BusCall {
        call("ConfigureShortcuts", [.objectPath(session), .string(""), .properties([:])])
    }

    func closeSession(_ path: String) -> BusCall { BusCall(owner, path: path, interface: Portal.session, "Close") }

    private func call(_ member: String, _ arguments: [BusValue]) -> BusCall {
        BusCall(owner, path: Portal.path, interface: Self.interface, member, arguments)
    }

    private static func values(of shortcuts: [GlobalShortcut]) -> BusValue {
        .array(
            of: "(sa{sv})",
            shortcuts.map {
                let properties: [String: BusValue] = [
                    "description": .string($0.description), "preferred_trigger": .string($0.preferredTrigger),
                ]
                return .structure([.string($0.id), .properties(properties)])
            })
    }

    /// Reads the answer of `Get`.
    static func checkedVersion(_ values: [BusValue]) throws(PortalError) -> UInt32 {
        guard values.count == 1, let version = values[0].content?.asUInt32 else {
            throw PortalAnswers.wrongTypes(values)
        }
        return version
    }

    /// Reads `shortcuts` of a response or a signal: the keys by the shortcuts' ids, in the desktop's words; empty words
    /// if the person has given the shortcut no key, or the desktop does not say which.
    static func triggers(_ value: BusValue) throws(PortalError) -> [String: String] {
        guard value.type == "a(sa{sv})", let elements = value.elements else { throw PortalAnswers.wrongTypes([value]) }
        var triggers: [String: String] = [:]
        for element in elements {
            guard let members = element.members, members.count == 2, let id = members[0].asString,
                let properties = members[1].asProperties
            else { throw PortalAnswers.wrongTypes([element]) }
            triggers[id] = properties["trigger_description"]?.asString?.printable(limit: 100) ?? ""
        }
        return triggers
    }
}
