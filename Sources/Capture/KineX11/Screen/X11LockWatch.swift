// Notices lockers of X11 that no service knows: i3lock, slock, xsecurelock, xscreensaver.
import CXCB
import KineMedia
import KinePlatform

/// Watches for windows without a window manager that cover all monitors while a client has the keyboard: both for more than a second are a
/// locked screen. xscreensaver has a window for each monitor. A game that does the same cannot be told from a locker.
public final class X11LockWatch: Sendable {
    private let end = WakeSignal()

    /// - Parameters:
    ///   - display: the server's name; nil: DISPLAY. Without a server nothing is reported.
    ///   - report: called in a thread of its own with each change; the screen counts as unlocked at first.
    public init(display: String? = nil, report: @escaping @Sendable (_ isLocked: Bool) -> Void) {
        let end = end
        _ = try? DedicatedThread(starting: "lock") {
            guard let connection = try? X11Connection(display: display) else { return }
            Loop(connection, report).run(until: end)
        }
    }

    deinit { end.signal() }
}

/// Used by one thread.
private final class Loop {
    private let connection: X11Connection
    private let report: (Bool) -> Void
    private var state = LockerStateMachine()
    /// The windows that cover a monitor each, or more, and their places.
    private var covering: [UInt32: PixelRect] = [:]
    /// As they were when a window was looked at last: lockers follow the monitors' changes with their windows.
    private var monitors: [PixelRect] = []
    /// Never mapped: a grab for it fails, and the error says whether another client has the keyboard.
    private let probe: UInt32

    init(_ connection: X11Connection, _ report: @escaping (Bool) -> Void) {
        self.connection = connection
        self.report = report
        probe = xcb_generate_id(connection.handle)
        xcb_create_window(
            connection.handle, 0, probe, connection.root, 0, 0, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue),
            0,
            0, nil)
        connection.select(UInt32(XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue), of: connection.root)
        for window in connection.children(of: connection.root) { check(window) }
    }

    func run(until end: WakeSignal) {
        while true {
            connection.forEachEvent { handle($0) }
            if connection.isBroken { return }
            let now = MonotonicClock.now()
            if let isLocked = state.poll(isCovered: isCovered, hasGrab: { isKeyboardGrabbed }, at: now) {
                report(isLocked)
            }
            let next = !isCovered ? nil : now + LockerStateMachine.interval
            if WakeSignal.poll([end.descriptor, connection.descriptor], until: next)[0] { return }
        }
    }

    private func handle(_ event: X11Event) {
        switch Int32(event.kind) {
        case XCB_MAP_NOTIFY: check(event.read(xcb_map_notify_event_t.self).window)
        case XCB_CONFIGURE_NOTIFY:
            let fields = event.read(xcb_configure_notify_event_t.self)
            if fields.override_redirect != 0 { check(fields.window) }
        case XCB_UNMAP_NOTIFY: covering[event.read(xcb_unmap_notify_event_t.self).window] = nil
        case XCB_DESTROY_NOTIFY: covering[event.read(xcb_destroy_notify_event_t.self).window] = nil
        case XCB_REPARENT_NOTIFY: covering[event.read(xcb_reparent_notify_event_t.self).window] = nil
        default: break
        }
    }

    private func check(_ window: UInt32) {
        let isUnmanaged = connection.attributes(of: window).map {
            $0.override_redirect != 0 && $0.map_state == UInt8(XCB_MAP_STATE_VIEWABLE.rawValue)
        }
        guard isUnmanaged == true, let place = connection.geometry(of: window)?.rect,
            let screen = connection.geometry(of: connection.root)?.rect
        else {
            covering[window] = nil
            return
        }
        monitors = X11Layout.monitors(connection).map(\.bounds)
        if monitors.isEmpty { monitors = [screen] }
        let covers = monitors.contains { $0.intersection(place) == $0 }
        let isLocker = covers && X11Layout.names(of: window, connection).application != X11RegionOverlay.application
        covering[window] = isLocker ? place : nil
    }

    private var isCovered: Bool {
        !covering.isEmpty
            && monitors.allSatisfy { monitor in covering.values.contains { monitor.intersection($0) == monitor } }
    }

    private var isKeyboardGrabbed: Bool {
        let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
        let cookie = xcb_grab_keyboard(connection.handle, 0, probe, UInt32(XCB_CURRENT_TIME), mode, mode)
        return connection.reply(cookie, xcb_grab_keyboard_reply) { $0.pointee.status }
            == UInt8(XCB_GRAB_STATUS_ALREADY_GRABBED.rawValue)
    }
}

/// Decides whether a locker has the screen. Pure. Times are nanoseconds of one clock.
struct LockerStateMachine {
    /// The time between two looks at the keyboard while a window covers the screen.
    static let interval: Int64 = 250_000_000
    /// Menus and drags have the keyboard for moments.
    private static let shortestLock: Int64 = 1_000_000_000

    private var grabbedSince: Int64?
    private var isLocked = false

    /// Returns the new state if it has changed.
    mutating func poll(isCovered: Bool, hasGrab: () -> Bool, at now: Int64) -> Bool? {
        grabbedSince = isCovered && hasGrab() ? grabbedSince ?? now : nil
        let isLocked = grabbedSince.map { now - $0 >= Self.shortestLock } ?? false
        guard isLocked != self.isLocked else { return nil }
        self.isLocked = isLocked
        return isLocked
    }
}
