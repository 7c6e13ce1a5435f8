// Finds the windows that rules select by ID, title, application or process, among all on a screen.
import CXCB
import KineCapture
import KineMedia

/// Finds the root's children that match the rules, or contain matching windows, and notices when others may match. Used
/// by the capture thread.
final class X11WindowSearch {
    struct Found {
        /// The root's child.
        let window: UInt32
        /// With its border, in the screen's coordinates.
        let bounds: PixelRect
    }

    private let connection: X11Connection
    private let rules: [X11WindowRule]
    private let exceptions: [X11WindowRule]
    /// The windows whose properties are watched.
    private var watched: Set<UInt32> = []
    /// All root's children that were ever examined.
    private(set) var examined: Set<UInt32> = []
    private var isNeeded = true
    /// The number of searches.
    private(set) var count = 0
    /// The rules and exceptions that some window matched in the last search, whether shown or not.
    private var matched: Set<X11WindowRule> = []
    private var unreadable: [UInt32] = []
    /// The properties that the rules need.
    private let names: Set<UInt32>

    /// Window managers put a window into their own frame, some into two.
    private static let deepest = 3
    /// The class of GNOME's frames, which belong to a separate program (mutter 44 and later).
    private static let frames = "mutter-x11-frames"

    /// - Parameters:
    ///   - rules: the windows to find.
    ///   - exceptions: windows to leave out even if one of `rules` matches them.
    init(_ rules: [X11WindowRule], except exceptions: [X11WindowRule] = [], connection: X11Connection) {
        self.rules = rules
        self.exceptions = exceptions
        self.connection = connection
        names = [
            connection.atom("_NET_WM_NAME"), UInt32(XCB_ATOM_WM_NAME.rawValue), UInt32(XCB_ATOM_WM_CLASS.rawValue),
            connection.atom("_NET_WM_PID"),
        ]
        connection.select(Self.rootEvents, of: connection.root)
    }

    /// All events of the root window that any object needs: the source needs its own changes too.
    static let rootEvents = UInt32(
        XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue)

    /// Notes whether other windows may match after this event.
    func note(_ event: X11Event) {
        switch Int32(event.kind) {
        case XCB_DESTROY_NOTIFY: watched.remove(event.read(xcb_destroy_notify_event_t.self).window)
        case XCB_CREATE_NOTIFY, XCB_MAP_NOTIFY, XCB_REPARENT_NOTIFY:
            // The window is in the same place in all three.
            if !connection.isOwn(event.read(xcb_map_notify_event_t.self).window) { isNeeded = true }
        case XCB_PROPERTY_NOTIFY:
            let notice = event.read(xcb_property_notify_event_t.self)
            if notice.window != connection.root, names.contains(notice.atom) { isNeeded = true }
        default: break
        }
    }

    /// Searches all windows again if others may match; nil: no change. Its replies may bring events. Returns the shown
    /// windows from the lowest to the highest.
    ///
    /// - Parameter last: windows that matched. They still do once nothing in them has a name: a window manager's frame shows the pixels of
    ///   the program's window after that has ended, and may be moved before it goes.
    func run(keeping last: Set<UInt32> = []) -> [Found]? {
        guard isNeeded else { return nil }
        isNeeded = false
        count += 1
        (matched, unreadable) = ([], [])
        var applications: Set<UInt32> = []
        let children = connection.children(of: connection.root)
        examined.formUnion(children)
        let looks = children.map { ($0, look(at: $0, depth: 1, &applications)) }
        return looks.compactMap { child, look in
            let isMeant =
                switch look {
                case .meant: true
                case .empty where last.contains(child): true
                // A menu or a tip.
                case .empty, .nameless: applications.contains(connection.client(of: child))
                case .other: false
                }
            guard isMeant, X11Layout.isShown(child, connection), let geometry = connection.geometry(of: child)
            else { return nil }
            return Found(window: child, bounds: geometry.rect.enlarged(by: geometry.border))
        }
    }

    /// The findings of the last search for these rules or exceptions.
    func findings(of rules: [X11WindowRule]) -> ExclusionFindings {
        var findings = ExclusionFindings()
        findings.unmatched = rules.filter { !matched.contains($0) }
        if rules.contains(where: \.isTitle) { findings.unreadable = unreadable }
        return findings
    }

    private enum Look {
        case meant
        /// Neither a title nor an application.
        case empty
        /// No application.
        case nameless
        case other
    }

    /// Examines a window and those inside it. Adds to `applications` the clients that a rule selects by application or process.
    private func look(at window: UInt32, depth: Int, _ applications: inout Set<UInt32>) -> Look {
        // Before its properties are read, so that no later change is missed.
        if watched.insert(window).inserted {
            connection.select(UInt32(XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue), of: window)
        }
        let (title, application) = X11Layout.names(of: window, connection)
        if !title.isWhole { unreadable.append(window) }
        let matching = { [connection] (rule: X11WindowRule) in
            rule.matches(
                window, title: title.text, application: application,
                processes: X11Layout.processes(of: window, connection))
        }
        let (excepted, meant) = (exceptions.filter(matching), rules.filter(matching))
        matched.formUnion(excepted + meant)
        if !excepted.isEmpty { return .other }
        if !meant.isEmpty {
            if meant.contains(where: \.meansClient) { applications.insert(connection.client(of: window)) }
            return .meant
        }
        // A program's own window has a class; windows inside it are the program's own matter.
        guard application.isEmpty || application.lowercased() == Self.frames else { return .other }
        var result = title.text.isEmpty ? Look.empty : .nameless
        guard depth < Self.deepest else { return result }
        for child in connection.children(of: window) {
            switch look(at: child, depth: depth + 1, &applications) {
            case .meant: return .meant
            case .other: result = .other
            case .nameless: if case .empty = result { result = .nameless }
            case .empty: break
            }
        }
        return result
    }
}

/// Reads the values of X properties (ICCCM, 4.1.2, and EWMH).
public enum X11Properties {
    /// The windows in a `_NET_CLIENT_LIST`, or a list of atoms: 32 bits each, native order. Ignores an incomplete one.
    public static func windows(_ value: [UInt8]) -> [UInt32] {
        stride(from: 0, to: value.count - value.count % 4, by: 4).map { start in
            value[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        }
    }

    /// The windows with exactly this title, or else those whose titles contain it. Case does not matter.
    static func windows(titled text: String, in windows: [X11Inventory.Window]) -> [X11Inventory.Window] {
        let wanted = text.lowercased()
        let same = windows.filter { $0.title.lowercased() == wanted }
        return same.isEmpty ? windows.filter { $0.title.lowercased().contains(wanted) } : same
    }

    /// The application in a `WM_CLASS`: two zero-terminated strings, the instance and the class.
    public static func application(_ value: [UInt8], _ encoding: X11Text.Encoding) -> String {
        X11Text(value.split(separator: 0).last.map(Array.init) ?? [], encoding).text
    }

    /// The process in a `_NET_WM_PID`: 32 bits.
    public static func process(_ value: [UInt8]) -> Int32? {
        guard value.count == 4 else { return nil }
        let number = value.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) }
        return number > 0 ? number : nil
    }

    /// The name of the product in an `EDID` (VESA E-EDID 1.4, 3.10.3): one of the four descriptors of 18 bytes has the tag
    /// FC and then ASCII, which a line feed ends.
    public static func model(_ value: [UInt8]) -> String? {
        guard value.count >= 128, value.starts(with: [0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]) else {
            return nil
        }
        for start in stride(from: 54, to: 126, by: 18) where value[start..<start + 5].elementsEqual([0, 0, 0, 0xFC, 0])
        {
            let text = value[start + 5..<start + 18].prefix { $0 != 0x0A }
            let name = String(decoding: text.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
            return name.allSatisfy { $0 == " " } ? nil : name
        }
        return nil
    }
}
