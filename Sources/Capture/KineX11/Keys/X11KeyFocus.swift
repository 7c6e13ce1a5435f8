// The window with the keyboard focus: its owner, and whether keys go there.
import CXCB
import KineCapture

/// Follows the focused window of a connection's server. Used by the keys' thread.
final class X11KeyFocus {
    struct Owner: Equatable {
        let window: UInt32
        let process: Int32
    }

    /// The focused window at one moment.
    struct Look {
        /// It differs from the last look.
        var isOther = false
        /// Its keys may be shown, because it is in the frames.
        var isShown = false
        /// Nil if unknown, and for a terminal: a password typed there cannot be distinguished from other text.
        var owner: Owner?
        /// The focused window, or the innermost one around it that names its application; 0: there is none; 1: the window
        /// under the pointer has the focus.
        var window: UInt32 = 0
    }

    enum Change: Equatable {
        /// `isGrabbed`: a program has grabbed the keyboard meanwhile.
        case moved(isGrabbed: Bool)
        /// A program has grabbed the keyboard, regardless of the focus, or has released it.
        case grabbed(Bool)
        /// A key went to the focused window, so no program has grabbed the keyboard.
        case arrived
    }

    /// Whether there are windows whose keys are never shown.
    let isRestricted: Bool
    private let connection: X11Connection
    private let frame: X11WindowRule?
    private let excluded: [X11WindowRule]
    /// The events that the owner needs of the root window.
    private let rootEvents: UInt32
    /// The window whose focus events are received.
    private var watched: UInt32 = 0
    /// The most levels: a program's window lies in the window manager's, and contains its own windows.
    private static let deepest = 16

    /// - Parameters:
    ///   - frame: the only windows whose keys are shown; nil: all windows.
    ///   - excluded: windows whose keys are not shown.
    ///   - rootEvents: what to select on the root window.
    init(
        connection: X11Connection, within frame: X11WindowRule?, excluding excluded: [X11WindowRule],
        rootEvents: UInt32 = 0
    ) {
        self.connection = connection
        self.rootEvents = rootEvents
        self.frame = frame
        self.excluded = excluded
        isRestricted = frame != nil || !excluded.isEmpty
        if rootEvents != 0 { connection.select(rootEvents, of: connection.root) }
    }

    /// An event's meaning for the focus, if any.
    func read(_ event: X11Event) -> Change? {
        let type = Int32(event.kind)
        if type == XCB_KEY_PRESS { return .arrived }
        guard type == XCB_FOCUS_IN || type == XCB_FOCUS_OUT else { return nil }
        switch UInt32(event.read(xcb_focus_in_event_t.self).mode) {
        case XCB_NOTIFY_MODE_GRAB.rawValue: return .grabbed(true)
        case XCB_NOTIFY_MODE_UNGRAB.rawValue: return .grabbed(false)
        case let mode: return .moved(isGrabbed: mode == XCB_NOTIFY_MODE_WHILE_GRABBED.rawValue)
        }
    }

    func look() -> Look {
        let focused =
            connection.reply(xcb_get_input_focus(connection.handle), xcb_get_input_focus_reply) { $0.pointee.focus }
            ?? 0
        let isOther = focused != watched
        if isOther {
            select(0, of: watched)
            watched = focused
            // Keys for the focused window go no further, so no other client loses them.
            select(XCB_EVENT_MASK_FOCUS_CHANGE.rawValue | XCB_EVENT_MASK_KEY_PRESS.rawValue, of: focused)
        }
        var look = lookAt(focused)
        look.isOther = isOther
        return look
    }

    /// 0 and 1 mean no window and the window under the pointer.
    private func select(_ events: UInt32, of window: UInt32) {
        guard window > 1 else { return }
        connection.select(window == connection.root ? events | rootEvents : events, of: window)
    }

    /// Examines a window and the windows that contain it.
    private func lookAt(_ focused: UInt32) -> Look {
        if focused <= 1 { return Look(window: focused) }
        var look = Look(isShown: frame == nil, window: focused)
        var application: String?
        var process: Int32?
        var window = focused
        for _ in 0..<Self.deepest {
            guard window > 1 else { return Look() }
            if window == connection.root {
                if let application, let process, look.isShown, !Terminals.contain(application) {
                    look.owner = Owner(window: focused, process: process)
                }
                return look
            }
            let names = X11Layout.names(of: window, connection)
            let isMeant = { [connection, window] (rule: X11WindowRule) in
                rule.matches(
                    window, title: names.title.text, application: names.application,
                    processes: X11Layout.processes(of: window, connection))
            }
            if excluded.contains(where: isMeant) { return Look() }
            if let frame, isMeant(frame) { look.isShown = true }
            if application == nil, !names.application.isEmpty {
                look.window = window
                application = names.application
                process = X11Layout.process(of: window, connection)
            }
            window = connection.parent(of: window) ?? 0
        }
        return Look()
    }
}
