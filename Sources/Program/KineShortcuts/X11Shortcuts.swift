// Keys that are grabbed on an X server. X11 protocol, GrabKey: the server sends these keys to this client alone, and no others.
import CXCB
import CXKB
import Glibc
import KineConfiguration
import KineProgram

/// The end of the grabs, or the reason why there are none; a sentence.
struct X11ShortcutFailure: Error {
    let message: String
}

/// Grabs keys until it is released. Used on one thread.
final class X11Shortcuts {
    /// A sentence for each action whose key could not be grabbed.
    private(set) var problems: [DesktopAction: String] = [:]
    /// The actions whose keys work.
    var bound: Set<DesktopAction> { Set(grabs.keys) }

    private let connection: OpaquePointer
    private let context: OpaquePointer
    private let device: Int32
    private let firstEvent: UInt8
    private let root: UInt32
    private var keys: [DesktopAction: KeyCombination] = [:]
    private var map = X11KeyMap()
    private var grabs: [DesktopAction: X11KeyMap.Grab] = [:]
    /// The grabbed keys that are down: a held key repeats.
    private var held: Set<UInt8> = []

    init(display: String) throws(X11ShortcutFailure) {
        guard kine_load_xkb() != 0 else {
            throw X11ShortcutFailure(message: "Keys need libxkbcommon-x11; install libxkbcommon-x11-0.")
        }
        var screenNumber: Int32 = 0
        let connection = xcb_connect(display, &screenNumber)
        guard let connection, xcb_connection_has_error(connection) == 0 else {
            xcb_disconnect(connection)
            throw X11ShortcutFailure(message: "No X server answers at \(display), so no key works; check DISPLAY.")
        }
        var screens = xcb_setup_roots_iterator(xcb_get_setup(connection))
        for _ in 0..<max(0, screenNumber) where screens.rem > 1 { xcb_screen_next(&screens) }
        var first: UInt8 = 0
        let device = kine_watch_mapping(connection, &first)
        guard device >= 0, let context = xkb_context_new(XKB_CONTEXT_NO_FLAGS) else {
            xcb_disconnect(connection)
            throw X11ShortcutFailure(message: "The X server at \(display) has no XKB, so no key works; use another.")
        }
        (self.connection, self.context, self.device, firstEvent) = (connection, context, device, first)
        root = screens.data.pointee.root
        readMapping()
    }

    deinit {
        xkb_context_unref(context)
        xcb_disconnect(connection)
    }

    /// For poll. After `bind`, call `process` as well: events may have come with the answers.
    var descriptor: CInt { xcb_get_file_descriptor(connection) }

    /// Grabs these keys, and no others.
    func bind(_ keys: [DesktopAction: KeyCombination]) {
        guard keys != self.keys else { return }
        self.keys = keys
        grab()
    }

    /// Returns the actions whose keys were pressed.
    func process() throws(X11ShortcutFailure) -> [DesktopAction] {
        var actions: [DesktopAction] = []
        var isOutdated = false
        repeat {
            if isOutdated, readMapping() { grab() }
            isOutdated = false
            while let event = xcb_poll_for_event(connection) {
                if isMapping(event) { isOutdated = true } else if let action = read(event) { actions.append(action) }
                free(event)
            }
        } while isOutdated
        xcb_flush(connection)
        guard xcb_connection_has_error(connection) == 0 else {
            throw X11ShortcutFailure(message: "The X server has ended, and its keys too; run kinecast tray again.")
        }
        return actions
    }

    private func isMapping(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> Bool {
        let type = event.pointee.response_type & 0x7f
        return type == UInt8(XCB_MAPPING_NOTIFY)
            || type == firstEvent && kine_read_keyboard_event(event, nil) == KINE_KEYBOARD_MAP
    }

    private func read(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> DesktopAction? {
        let type = Int32(event.pointee.response_type & 0x7f)
        guard type == XCB_KEY_PRESS || type == XCB_KEY_RELEASE else { return nil }
        let (key, state) = event.withMemoryRebound(to: xcb_key_press_event_t.self, capacity: 1) {
            ($0.pointee.detail, $0.pointee.state)
        }
        guard type == XCB_KEY_PRESS else {
            held.remove(key)
            return nil
        }
        guard held.insert(key).inserted else { return nil }
        return grabs.first { map.isPress(of: $0.value, key: key, state: state) }?.key
    }

    private func grab() {
        xcb_ungrab_key(connection, UInt8(XCB_GRAB_ANY.rawValue), root, UInt16(XCB_MOD_MASK_ANY.rawValue))
        // Keys that are down stay in `held`: their grab, and their release, come to this client all the same.
        (grabs, problems) = ([:], [:])
        for action in DesktopAction.allCases {
            guard let key = keys[action] else { continue }
            let advice = "give it another one: kinecast shortcuts set \(action.rawValue) KEY"
            if let grab = map.grab(of: key) {
                if isFree(grab) {
                    grabs[action] = grab
                } else {
                    problems[action] = "Another program holds \(key), the key of \(action.rawValue); \(advice)."
                }
            } else {
                problems[action] = "This keyboard does not give \(key), the key of \(action.rawValue); \(advice)."
            }
        }
    }

    /// Grabs the keys; none of them if another client has grabbed one (BadAccess).
    private func isFree(_ grab: X11KeyMap.Grab) -> Bool {
        let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
        let each = grab.allKeys.flatMap { key in map.ignoredStates.map { (key: key, mask: grab.mask | $0) } }
        let requests = each.map { xcb_grab_key_checked(connection, 1, root, $0.mask, $0.key, mode, mode) }
        // All answers are fetched.
        let errors = requests.compactMap { xcb_request_check(connection, $0) }
        errors.forEach { free($0) }
        if errors.isEmpty { return true }
        for (key, mask) in each { xcb_ungrab_key(connection, key, root, mask) }
        return false
    }

    /// Returns whether the mapping has changed. Keyboards that are used in turn report a new mapping each time.
    @discardableResult
    private func readMapping() -> Bool {
        guard
            let keymap = xkb_x11_keymap_new_from_device(context, connection, device, XKB_KEYMAP_COMPILE_NO_FLAGS)
        else { return false }
        defer { xkb_keymap_unref(keymap) }
        var new = X11KeyMap()
        for key in UInt8(8)...UInt8.max {
            let layouts = (0..<xkb_keymap_num_layouts_for_key(keymap, UInt32(key))).map { layout in
                Self.symbols(keymap, UInt32(key), layout)
            }
            if !layouts.isEmpty { new.symbols[key] = layouts }
        }
        let reply = xcb_get_modifier_mapping_reply(connection, xcb_get_modifier_mapping(connection), nil)
        defer { free(reply) }
        if let reply, let keys = xcb_get_modifier_mapping_keycodes(reply) {
            let count = Int(reply.pointee.keycodes_per_modifier)
            new.modifiers = (0..<8).map { row in Set((0..<count).map { keys[row * count + $0] }.filter { $0 != 0 }) }
        }
        defer { map = new }
        return new != map
    }

    private static func symbols(_ keymap: OpaquePointer, _ key: UInt32, _ layout: UInt32) -> [UInt32] {
        func symbols(_ level: UInt32) -> [UInt32] {
            var found: UnsafePointer<xkb_keysym_t>?
            let count = xkb_keymap_key_get_syms_by_level(keymap, key, layout, level, &found)
            return Array(UnsafeBufferPointer(start: found, count: Int(max(0, count))))
        }
        let plain = symbols(0)
        // KP_Space to KP_9: without Num Lock and Shift these keys move.
        let isNumberPad = plain.contains { (0xff80...0xffb9).contains($0) }
        return isNumberPad ? plain + symbols(1) : plain
    }
}
