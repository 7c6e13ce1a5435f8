// The tray's item on the session bus, and its registration with the desktop. freedesktop.org, StatusNotifierItem.
import Glibc
import KineDesktop
import KineText
import SystemPackage

/// Used on the bus's thread.
final class StatusItem: BusObject {
    /// The item beside the menu: its icon, its state and its texts.
    struct Appearance: Equatable {
        var condition = TrayState.Condition.idle
        /// One line without an end, and below it sentences.
        var summary = ""
        var details: [String] = []
    }

    static let path = "/StatusNotifierItem"
    static let interface = "org.kde.StatusNotifierItem"
    private static let watcher = "org.kde.StatusNotifierWatcher"

    private let bus: BusConnection
    private let themes: FilePath?
    private var appearance = Appearance()
    /// Nil until the bus has said whether a host runs.
    private(set) var hasHost: Bool?
    /// Called for the tooltip, whose time passes without an event.
    var current: () -> Appearance = { Appearance() }

    /// - Parameter themes: the directory of icon themes with its icons; without one, the desktop looks in its own.
    init(_ bus: BusConnection, themes: FilePath?) throws(BusError) {
        (self.bus, self.themes) = (bus, themes)
        try bus.add(self)
        bus.matchOwner(of: Self.watcher) { [weak self] owner in
            guard let self else { return }
            if owner == nil { hasHost = false } else { register() }
        }
        // kded may have the name before the object.
        bus.match("type='signal',interface='\(Self.watcher)',member='StatusNotifierHostRegistered'") { [weak self] _ in
            if self?.hasHost == false { self?.register() }
        }
        register()
    }

    /// The watcher takes a path for an object of the caller's.
    private func register() {
        var call = BusCall(
            Self.watcher, path: "/StatusNotifierWatcher", interface: Self.watcher, "RegisterStatusNotifierItem",
            [.string(Self.path)])
        call.startsService = false
        bus.call(call) { [weak self] answer in self?.hasHost = (try? answer.get()) != nil }
    }

    /// Shows this. `minutePassed`: the tooltip has another time.
    func show(_ new: Appearance, minutePassed: Bool) {
        let old = appearance
        appearance = new
        if new.condition != old.condition {
            for signal in ["NewIcon", "NewAttentionIcon", "NewTitle"] { bus.emit(signal, from: self) }
            if Self.status(new) != Self.status(old) { bus.emit("NewStatus", [.string(Self.status(new))], from: self) }
        }
        if minutePassed || new.condition != old.condition || new.details != old.details {
            bus.emit("NewToolTip", from: self)
        }
    }

    /// Never `Passive`: desktops hide such items, and with it the entry that starts a recording.
    private static func status(_ appearance: Appearance) -> String {
        appearance.condition == .problem ? "NeedsAttention" : "Active"
    }

    var properties: [String: BusValue] {
        let shown = current()
        let name = Self.icon(shown.condition)
        // StatusNotifierItem, "Icons": a(iiay). Names have precedence, so no pixels are sent.
        let noImage = BusValue.array(of: "(iiay)", [])
        let toolTip: [BusValue] = [
            .string(name), noImage, .string("Kinecast: \(shown.summary)"),
            .string(shown.details.map(\.escapedMarkup).joined(separator: "\n")),
        ]
        return [
            "Category": .string("ApplicationStatus"), "Id": .string("org.kinecast.Kinecast"),
            "Title": .string("Kinecast: \(shown.condition)"), "Status": .string(Self.status(shown)),
            "WindowId": .int32(0), "ItemIsMenu": .boolean(true), "Menu": .objectPath(MenuObject.path),
            "IconThemePath": .string(themes?.escaped ?? ""), "IconName": .string(name), "IconPixmap": noImage,
            "OverlayIconName": .string(""), "OverlayIconPixmap": noImage,
            "AttentionIconName": .string(shown.condition == .problem ? name : ""), "AttentionIconPixmap": noImage,
            "AttentionMovieName": .string(""), "ToolTip": .structure(toolTip),
        ]
    }

    /// The name of the file in packaging/icons, without ".svg".
    static func icon(_ condition: TrayState.Condition) -> String {
        condition == .idle ? "org.kinecast.Kinecast-symbolic" : "org.kinecast.Kinecast-\(condition)-symbolic"
    }

    /// The directory of icon themes with the icons: the installed one, or the one in the build's checkout.
    static func themes(above executable: FilePath) -> FilePath? {
        var place = executable
        while place.removeLastComponent() {
            for themes in ["share/icons", "packaging/icons"].map({ place.appending($0) }) {
                let icon = themes.appending("hicolor/symbolic/apps/\(icon(.idle)).svg")
                if access(icon.cString, R_OK) == 0 { return themes }
            }
        }
        return nil
    }

    func call(_ member: String, _ arguments: [BusValue]) -> BusReply? {
        switch (member, arguments.map(\.type).joined()) {
        case ("Activate", "ii"):
            // Plasma then opens the menu.
            .failure("NotSupported", "A click opens the menu.")
        // The desktop shows the menu itself. A slip of the hand must not pause a take.
        case ("ContextMenu", "ii"), ("SecondaryActivate", "ii"), ("Scroll", "is"): .values([])
        default: nil
        }
    }
}
