// The program that paints an X screen from the windows' off-screen pixels, if there is one.
import CXCB
import KineMedia

/// Detects whether a connection's screen has a compositing manager, and what it paints. Used by the capture thread.
///
/// A compositing manager owns the selection `_NET_WM_CM_Sn` of its screen (EWMH, "Compositing Managers"). The root
/// window's damage is then its painting, because windows are drawn off-screen.
final class X11CompositingManager {
    enum Change {
        /// It has started or ended.
        case presence
        /// It has painted this rectangle, in the screen's coordinates.
        case painting(PixelRect)
    }

    private let connection: X11Connection
    /// For the root window, while there is a compositing manager.
    private var damage: UInt32?

    var isPresent: Bool { damage != nil }

    init(connection: X11Connection) {
        self.connection = connection
        let selection = connection.atom("_NET_WM_CM_S\(connection.screenNumber)")
        xcb_xfixes_select_selection_input(
            connection.handle, connection.root, selection,
            XCB_XFIXES_SELECTION_EVENT_MASK_SET_SELECTION_OWNER.rawValue
                | XCB_XFIXES_SELECTION_EVENT_MASK_SELECTION_WINDOW_DESTROY.rawValue
                | XCB_XFIXES_SELECTION_EVENT_MASK_SELECTION_CLIENT_CLOSE.rawValue)
        // After the subscription, so that no later change is missed.
        follow(Self.owner(of: selection, on: connection))
    }

    /// Whether the connection's screen has one now.
    static func isPresent(on connection: X11Connection) -> Bool {
        owner(of: connection.atom("_NET_WM_CM_S\(connection.screenNumber)"), on: connection) != 0
    }

    private static func owner(of selection: xcb_atom_t, on connection: X11Connection) -> UInt32 {
        connection.reply(
            xcb_get_selection_owner(connection.handle, selection), xcb_get_selection_owner_reply
        ) { $0.pointee.owner } ?? 0
    }

    /// The meaning of an event, if it concerns the compositing manager.
    func read(_ event: X11Event) -> Change? {
        switch event.kind {
        case connection.fixesEvent + UInt8(XCB_XFIXES_SELECTION_NOTIFY):
            follow(event.read(xcb_xfixes_selection_notify_event_t.self).owner)
            return .presence
        case connection.damageEvent + UInt8(XCB_DAMAGE_NOTIFY):
            let notice = event.read(xcb_damage_notify_event_t.self)
            guard notice.damage == damage else { return nil }
            let area = notice.area
            return .painting(
                PixelRect(x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height)))
        default: return nil
        }
    }

    private func follow(_ owner: UInt32) {
        guard isPresent != (owner != 0) else { return }
        if let damage {
            xcb_damage_destroy(connection.handle, damage)
            self.damage = nil
        } else {
            let damage = xcb_generate_id(connection.handle)
            // Raw: every painting is reported in order with the windows' events, so that it is known which came first.
            xcb_damage_create(
                connection.handle, damage, connection.root, UInt8(XCB_DAMAGE_REPORT_LEVEL_RAW_RECTANGLES.rawValue))
            self.damage = damage
        }
    }
}
