// The contents of a desktop notification. Desktop Notifications Specification 1.2.
import KineText

/// The contents of a notification. Texts are plain: markup is escaped when they are sent.
public struct Notification: Sendable, Equatable {
    /// A button.
    public struct Action: Sendable, Equatable {
        /// The key in `Desktop.Event.action`.
        public var key: String
        public var title: String

        public init(key: String, title: String) {
            self.key = key
            self.title = title
        }
    }

    /// The key of a click on the notification itself (specification, "Actions").
    public static let defaultAction = "default"

    public enum Urgency: UInt8, Sendable {
        /// GNOME and others show it only in the list, without a banner over the screen.
        case low = 0
        case normal = 1
        case critical = 2
    }

    public enum Sound: Sendable, Equatable {
        case none
        /// The desktop's own sound for notifications, if it has one.
        case standard
        /// A name of the freedesktop sound naming specification.
        case named(String)
    }

    /// The name of the program that the desktop shows as the sender.
    public var sender: String
    /// A file's absolute path, or a name in the icon theme.
    public var icon: String
    /// The sender's desktop file, without ".desktop".
    public var desktopEntry: String?
    public var title: String
    public var text: String
    public var actions: [Action]
    public var urgency: Urgency
    /// Whether it stays after one of its buttons is pressed, until it is closed.
    public var isResident: Bool
    public var sound = Sound.none
    /// Whether it stays until it is closed; otherwise the desktop decides when it expires.
    public var staysUntilClosed = true

    public init(
        sender: String, icon: String, desktopEntry: String? = nil, title: String, text: String, actions: [Action],
        urgency: Urgency, isResident: Bool
    ) {
        self.sender = sender
        self.icon = icon
        self.desktopEntry = desktopEntry
        self.title = title
        self.text = text
        self.actions = actions
        self.urgency = urgency
        self.isResident = isResident
    }
}

/// The capabilities of a notification server, by the names of its `GetCapabilities`.
public struct NotificationCapabilities: Sendable, Equatable {
    /// It shows buttons.
    public var hasActions = false
    /// It reads the text as markup: `&` and `<` must be escaped.
    public var readsMarkup = false
    /// It keeps notifications until they are closed.
    public var keeps = false

    public init(_ names: [String] = []) {
        hasActions = names.contains("actions")
        readsMarkup = names.contains("body-markup")
        keeps = names.contains("persistence")
    }
}

extension Notification {
    /// The arguments of `Notify`. `id`: the notification to replace; 0: none.
    func arguments(replacing id: UInt32, _ capabilities: NotificationCapabilities) -> [BusValue] {
        var hints: [String: BusValue] = [
            "urgency": .byte(urgency.rawValue), "resident": .boolean(isResident), "transient": .boolean(false),
        ]
        switch sound {
        case .none: hints["suppress-sound"] = .boolean(true)
        case .standard: break
        case .named(let name): hints["sound-name"] = .string(name)
        }
        if let desktopEntry { hints["desktop-entry"] = .string(desktopEntry) }
        let actions = capabilities.hasActions ? actions.flatMap { [$0.key, $0.title] } : []
        return [
            .string(sender), .uint32(id), .string(icon), .string(title),
            .string(capabilities.readsMarkup ? text.escapedMarkup : text), .strings(actions), .properties(hints),
            .int32(staysUntilClosed ? 0 : -1),  // never, or as the server chooses
        ]
    }
}
