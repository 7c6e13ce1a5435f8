// A desktop's tray on a test's bus: items register with it, and a panel reads and clicks them.
import CoreTesting
import Glibc
import KineDesktop
import KinePlatform

/// `org.kde.StatusNotifierWatcher`.
package final class StandInTray: Sendable {
    private let service: BusService

    /// Items that are still to be refused.
    private let refusals: Monitor<Int>

    package init(_ bus: TestBus, refusals: Int = 0) throws {
        let refusals = Monitor(refusals)
        self.refusals = refusals
        service = try BusService(bus, name: "org.kde.StatusNotifierWatcher", paths: ["/StatusNotifierWatcher"]) {
            call in
            let isRefused = refusals.signal { left -> Bool in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            guard call.member == "RegisterStatusNotifierItem", call.arguments.count == 1, !isRefused else {
                return .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
            }
            return .values([])
        }
    }

    /// Waits for an item. Returns the unique name of its connection.
    package func waitForItem() throws -> String {
        var sender: String?
        try CoreTesting.wait("an item in the tray") {
            let registration = service.calls.first { $0.arguments == [.string(TrayPanel.itemPath)] }
            sender = registration?.sender
            return sender != nil
        }
        guard let sender else { throw WaitedInVain(description: "an item in the tray") }
        return sender
    }

    /// Waits for the last refusal, and then says that there is a host.
    package func announceHost() throws {
        try CoreTesting.wait("the refusals") { refusals.withLock { $0 == 0 } }
        service.emit("/StatusNotifierWatcher", "org.kde.StatusNotifierWatcher", "StatusNotifierHostRegistered", [])
    }

    /// How often an item has registered.
    package var registrations: Int { service.calls.count { $0.arguments == [.string(TrayPanel.itemPath)] } }

    /// Leaves the bus, as a crash would.
    package func end() { service.end() }
}

/// A panel that shows one item. Used by one thread.
package final class TrayPanel {
    package struct Entry: Equatable {
        package var id: Int32
        /// Nil: a line.
        package var label: String?
        package var isEnabled: Bool
        package var children: [Entry]
    }

    static let itemPath = "/StatusNotifierItem"
    private static let itemInterface = "org.kde.StatusNotifierItem"
    private static let menuInterface = "com.canonical.dbusmenu"

    private let client: BusClient
    private let owner: String

    /// - Parameter owner: the unique name of the item's connection.
    package init(_ bus: TestBus, itemOf owner: String) throws {
        client = try BusClient(bus)
        self.owner = owner
    }

    /// Waits until an item is there.
    package convenience init(_ bus: TestBus, _ tray: StandInTray) throws {
        try self.init(bus, itemOf: tray.waitForItem())
    }

    package func properties() throws -> [String: BusValue] {
        let values = try client.call(
            owner, Self.itemPath, "org.freedesktop.DBus.Properties", "GetAll", [.string(Self.itemInterface)])
        return values.first?.asProperties ?? [:]
    }

    /// The file of the item's icon, found as panels do, in the theme that every other one falls back on.
    package func icon() throws -> String? {
        let properties = try properties()
        guard let themes = properties["IconThemePath"]?.asString, let name = properties["IconName"]?.asString else {
            return nil
        }
        let path = "\(themes)/hicolor/symbolic/apps/\(name).svg"
        return access(path, R_OK) == 0 ? path : nil
    }

    /// Calls a method of the item.
    @discardableResult
    package func item(_ member: String, _ arguments: [BusValue]) throws -> [BusValue] {
        try client.call(owner, Self.itemPath, Self.itemInterface, member, arguments)
    }

    /// Calls a method of the item's menu.
    @discardableResult
    package func menu(_ member: String, _ arguments: [BusValue]) throws -> [BusValue] {
        let path = try properties()["Menu"]?.asString ?? ""
        return try client.call(owner, path, Self.menuInterface, member, arguments)
    }

    /// Opens the menu. Returns its entries.
    package func entries() throws -> [Entry] {
        try menu("AboutToShow", [.int32(0)])
        let layout = try menu("GetLayout", [.int32(0), .int32(-1), .strings([])])
        guard layout.count == 2, let root = Self.entry(layout[1]) else { return [] }
        return root.children
    }

    private static func entry(_ layout: BusValue) -> Entry? {
        guard let parts = layout.members, parts.count == 3, let id = parts[0].asInt32,
            let properties = parts[1].asProperties
        else { return nil }
        return Entry(
            id: id, label: properties["type"] == .string("separator") ? nil : properties["label"]?.asString,
            isEnabled: properties["enabled"]?.asBoolean ?? true,
            children: (parts[2].elements ?? []).compactMap(\.content).compactMap(entry))
    }

    /// Waits until the menu has an enabled entry of that name, and clicks it.
    package func click(_ label: String) throws {
        var found: Entry?
        try wait("the entry \(label)") {
            found = $0.first { $0.label == label && $0.isEnabled }
            return found != nil
        }
        try menu("Event", [.int32(found?.id ?? 0), .string("clicked"), .variant(.string("")), .uint32(0)])
    }

    /// Waits until the menu's entries satisfy the condition.
    package func wait(_ what: String, until condition: ([Entry]) -> Bool) throws {
        try CoreTesting.wait(what) { condition(try entries()) }
    }
}
