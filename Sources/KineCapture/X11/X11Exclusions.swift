// Windows that must not be seen in the frames of a screen: where they are, and where they were a moment ago.
import CXCB
import Glibc
import KineMedia

/// A window, or several, that must not be seen.
public enum X11WindowRule: Hashable, Sendable {
    case id(UInt32)
    /// Every window whose title holds this text. Case does not matter.
    case titled(String)
    /// Every window of the application with this WM_CLASS. Case does not matter.
    case application(String)

    /// Whether the rule means a window with this title and this WM_CLASS; empty: it has none.
    func matches(_ window: UInt32, title: String, application: String) -> Bool {
        switch self {
        case .id(let id): window == id
        case .titled(let text): !title.isEmpty && title.lowercased().contains(text.lowercased())
        case .application(let name): !application.isEmpty && application.lowercased() == name.lowercased()
        }
    }
}

/// Follows the windows of a connection's screen that match some rules. Used by the capture thread.
///
/// The server sends events and replies in the order of what happened. So when a frame's pixels have come, each place that a window has
/// had until then is known, and is covered for a while yet. Only of a window that was not known before, the places are not: where windows
/// were searched for since the pixels were asked for, they are read again.
final class X11Exclusions {
    private let connection: X11Connection
    private let rules: [X11WindowRule]
    /// The places of the windows that match and are shown, in the screen's coordinates, by the root's child that they are or lie in.
    private var windows: [UInt32: PixelRect] = [:]
    /// Places that a window has left. A compositing manager shows it there until it has faded, and without one its pixels stay until
    /// what lies below is painted.
    private var left: [(place: PixelRect, until: Int64)] = []
    /// Places that are covered since the last look, or no more.
    private var changed: [PixelRect] = []
    /// The windows whose properties are watched.
    private var watched: Set<UInt32> = []
    private var mustSearch = true
    /// How often windows were searched for.
    private(set) var searches = 0
    /// Names that a rule may match.
    private let names: Set<UInt32>

    /// Nanoseconds for which a place stays covered after its window.
    static let afterglow: Int64 = 500_000_000
    /// Window managers put a window into a frame of theirs, some into two.
    private static let deepest = 3
    private static let shade: UInt32 = 0xff28_2828

    init(_ rules: [X11WindowRule], connection: X11Connection) {
        self.rules = rules
        self.connection = connection
        names = [
            connection.atom("_NET_WM_NAME"), UInt32(XCB_ATOM_WM_NAME.rawValue), UInt32(XCB_ATOM_WM_CLASS.rawValue),
        ]
        // All that is to be told of the root window: the source needs its own changes too.
        select(
            UInt32(XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue),
            of: connection.root)
    }

    private func select(_ events: UInt32, of window: UInt32) {
        var mask = events
        xcb_change_window_attributes(connection.handle, window, UInt32(XCB_CW_EVENT_MASK.rawValue), &mask)
    }

    // MARK: Events

    /// The instant of CLOCK_MONOTONIC at which a place needs no cover any more; nil: none is left.
    var deadline: Int64? { left.map(\.until).min() }
    var hasChanged: Bool { !changed.isEmpty }

    func note(_ event: UnsafeMutablePointer<xcb_generic_event_t>, at now: Int64) {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_CONFIGURE_NOTIFY:
            event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) {
                let e = $0.pointee
                guard windows[e.window] != nil else { return }
                // The border lies around the size, and the place is the border's.
                let border = 2 * Int(e.border_width)
                place(
                    e.window,
                    at: PixelRect(
                        x: Int(e.x), y: Int(e.y), width: Int(e.width) + border, height: Int(e.height) + border), now)
            }
        case XCB_UNMAP_NOTIFY:
            event.withMemoryRebound(to: xcb_unmap_notify_event_t.self, capacity: 1) {
                place($0.pointee.window, at: nil, now)
            }
        case XCB_DESTROY_NOTIFY:
            event.withMemoryRebound(to: xcb_destroy_notify_event_t.self, capacity: 1) {
                place($0.pointee.window, at: nil, now)
                watched.remove($0.pointee.window)
            }
        case XCB_CREATE_NOTIFY, XCB_MAP_NOTIFY, XCB_REPARENT_NOTIFY: mustSearch = true
        case XCB_PROPERTY_NOTIFY:
            event.withMemoryRebound(to: xcb_property_notify_event_t.self, capacity: 1) {
                if names.contains($0.pointee.atom) { mustSearch = true }
            }
        default: break
        }
    }

    /// A window is there now, or nowhere.
    private func place(_ window: UInt32, at place: PixelRect?, _ now: Int64) {
        let before = windows[window]
        guard before != place else { return }
        windows[window] = place
        if let before {
            left.append((before, now + Self.afterglow))
            changed.append(before)
        }
        if let place { changed.append(place) }
    }

    /// Uncovers what needs it no more.
    func expire(at now: Int64) {
        guard left.contains(where: { $0.until <= now }) else { return }
        changed += left.filter { $0.until <= now }.map(\.place)
        left.removeAll { $0.until <= now }
    }

    // MARK: Search

    /// Looks at all windows again if one may match now that did not. Returns whether it did: its replies may have brought events.
    func search(at now: Int64) -> Bool {
        guard mustSearch else { return false }
        mustSearch = false
        searches += 1
        let children = children(of: connection.root)
        var found: Set<UInt32> = []
        for child in children where matches(child, child, depth: 1) && X11Layout.isShown(child, connection) {
            guard let geometry = connection.geometry(of: child) else { continue }
            found.insert(child)
            let (rect, border) = geometry
            place(
                child,
                at: PixelRect(x: rect.x, y: rect.y, width: rect.width + 2 * border, height: rect.height + 2 * border),
                now)
        }
        for window in windows.keys where !found.contains(window) { place(window, at: nil, now) }
        return true
    }

    private func children(of window: UInt32) -> [UInt32] {
        connection.reply(xcb_query_tree(connection.handle, window), xcb_query_tree_reply) { reply in
            let count = Int(xcb_query_tree_children_length(reply))
            return Array(UnsafeBufferPointer(start: xcb_query_tree_children(reply), count: count))
        } ?? []
    }

    /// Whether a window, or a program's window in it, must not be seen. `child` is the root's.
    private func matches(_ window: UInt32, _ child: UInt32, depth: Int) -> Bool {
        // Before its properties are read: a change after that is then told.
        if watched.insert(window).inserted { select(UInt32(XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue), of: window) }
        let (title, application) = X11Layout.names(of: window, connection)
        if rules.contains(where: { $0.matches(window, title: title, application: application) }) { return true }
        // A program's own window has a class; what lies in it is the program's affair.
        guard application.isEmpty, depth < Self.deepest else { return false }
        return children(of: window).contains { matches($0, child, depth: depth + 1) }
    }

    // MARK: Covers

    /// Adds the places that are covered since the last call, or no more, for a frame that begins at `origin` of the screen.
    func addDamage(to region: inout DamageRegion, origin: (x: Int, y: Int)) {
        for place in changed { region.insert(place.offset(x: -origin.x, y: -origin.y)) }
        changed.removeAll()
    }

    /// Paints over what must not be seen, in the pixels of `area` of a frame that begins at `origin` of the screen.
    func cover(_ pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect, origin: (x: Int, y: Int)) {
        for place in Array(windows.values) + left.map(\.place) {
            let common = place.offset(x: -origin.x, y: -origin.y).intersection(area)
            guard !common.isEmpty else { continue }
            for y in common.y..<common.maxY {
                (pixels + (y - area.y) * stride + (common.x - area.x) * 4).assumingMemoryBound(to: UInt32.self)
                    .update(repeating: Self.shade, count: common.width)
            }
        }
    }
}
