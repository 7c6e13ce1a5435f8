// The tray's menu on the session bus. com.canonical.dbusmenu, version 3 (libdbusmenu's dbus-menu.xml).
import KineDesktop

/// Used on the bus's thread.
final class MenuObject: BusObject {
    static let path = "/MenuBar"
    static let interface = "com.canonical.dbusmenu"

    private let bus: BusConnection
    private var items: [MenuItem] = []
    private var revision: UInt32 = 1
    /// Called before the menu opens; returns its entries.
    var refresh: () -> [MenuItem] = { [] }
    /// Called for a click.
    var perform: (MenuCommand) -> Void = { _ in }

    init(_ bus: BusConnection) throws(BusError) {
        self.bus = bus
        try bus.add(self)
    }

    var properties: [String: BusValue] {
        [
            "Version": .uint32(3), "Status": .string("normal"), "TextDirection": .string("ltr"),
            "IconThemePath": .strings([]),
        ]
    }

    /// Shows these entries. Returns whether they differ from the ones before.
    @discardableResult
    func show(_ new: [MenuItem]) -> Bool {
        guard new != items else { return false }
        items = new
        revision &+= 1
        bus.emit("LayoutUpdated", [.uint32(revision), .int32(0)], from: self)
        return true
    }

    func call(_ member: String, _ arguments: [BusValue]) -> BusReply? {
        switch (member, arguments.map(\.type).joined()) {
        case ("GetLayout", "iias"):
            guard let item = item(arguments[0]) else { return Self.unknownItem }
            let depth = arguments[1].asInt32 ?? 0
            return .values([.uint32(revision), layout(item, depth: depth, arguments[2].asStrings ?? [])])
        case ("GetGroupProperties", "aias"):
            let ids = arguments[0].elements?.compactMap(\.asInt32) ?? []
            let chosen = [root] + Self.all(items)
            let names = arguments[1].asStrings ?? []
            let values = chosen.filter { ids.isEmpty || ids.contains($0.id) }
                .map { BusValue.structure([.int32($0.id), Self.properties($0, names)]) }
            return .values([.array(of: "(ia{sv})", values)])
        case ("GetProperty", "is"):
            guard let value = item(arguments[0])?.properties[arguments[1].asString ?? ""] else {
                return Self.unknownItem
            }
            return .values([.variant(value)])
        case ("Event", "isvu"): return event(arguments) ? .values([]) : Self.unknownItem
        case ("EventGroup", "a(isvu)"):
            let events = arguments[0].elements?.compactMap(\.members) ?? []
            let unknown = events.filter { !event($0) }.map { $0[0] }
            if unknown.count == events.count, !events.isEmpty { return Self.unknownItem }
            return .values([.array(of: "i", unknown)])
        case ("AboutToShow", "i"):
            let hasChanged = show(refresh())
            return item(arguments[0]) == nil ? Self.unknownItem : .values([.boolean(hasChanged)])
        case ("AboutToShowGroup", "ai"):
            let ids = arguments[0].elements ?? []
            let hasChanged = show(refresh())
            let unknown = ids.filter { item($0) == nil }
            let updated = hasChanged ? ids.filter { item($0) != nil } : []
            return .values([.array(of: "i", updated), .array(of: "i", unknown)])
        default: return nil
        }
    }

    private static let unknownItem = BusReply.failure("InvalidArgs", "The menu has no such entry or property.")

    /// An event with the types `isvu`. Returns false for an entry that the menu does not have any more.
    private func event(_ values: [BusValue]) -> Bool {
        guard values.count == 4, let item = item(values[0]) else { return false }
        if values[1].asString == "clicked", let command = item.command { perform(command) }
        return true
    }

    private var root: MenuItem { MenuItem(id: 0, label: "", children: items) }

    private func item(_ id: BusValue) -> MenuItem? {
        id == .int32(0) ? root : Self.all(items).first { .int32($0.id) == id }
    }

    /// The entries, and those below them.
    private static func all(_ items: [MenuItem]) -> [MenuItem] { items.flatMap { [$0] + all($0.children ?? []) } }

    /// `names`: the wanted properties; empty: all.
    private static func properties(_ item: MenuItem, _ names: [String]) -> BusValue {
        .properties(item.properties.filter { names.isEmpty || names.contains($0.key) })
    }

    /// An `(ia{sv}av)`. `depth`: the levels below the entry; negative: all.
    private func layout(_ item: MenuItem, depth: Int32, _ names: [String]) -> BusValue {
        let below = depth < 0 ? -1 : depth - 1
        let children = depth == 0 ? [] : (item.children ?? []).map { BusValue.variant(layout($0, depth: below, names)) }
        return .structure([.int32(item.id), Self.properties(item, names), .array(of: "v", children)])
    }
}
