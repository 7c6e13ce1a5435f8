// The X server's keyboard mapping and modifiers, by libxkbcommon.
import CXCB
import CXKB
import KineCapture

/// The core keyboard of a connection's server. Used by one thread.
final class X11Keyboard {
    private let connection: X11Connection
    private let context: OpaquePointer
    private let device: Int32
    private let firstEvent: UInt8
    private var keymap: OpaquePointer
    private var state: OpaquePointer

    init(connection: X11Connection) throws(VideoSourceError) {
        guard kine_load_xkb() != 0 else { throw .missingLibrary(package: "libxkbcommon-x11-0") }
        self.connection = connection
        var first: UInt8 = 0
        device = kine_watch_keyboard(connection.handle, &first)
        firstEvent = first
        guard device >= 0, let context = xkb_context_new(XKB_CONTEXT_NO_FLAGS),
            let (keymap, state) = Self.mapping(context, connection, device)
        else { throw .noInputEvents }
        self.context = context
        self.keymap = keymap
        self.state = state
    }

    deinit {
        xkb_state_unref(state)
        xkb_keymap_unref(keymap)
        xkb_context_unref(context)
    }

    private static func mapping(
        _ context: OpaquePointer, _ connection: X11Connection, _ device: Int32
    ) -> (keymap: OpaquePointer, state: OpaquePointer)? {
        guard
            let keymap = xkb_x11_keymap_new_from_device(
                context, connection.handle, device, XKB_KEYMAP_COMPILE_NO_FLAGS)
        else { return nil }
        guard let state = xkb_x11_state_new_from_device(keymap, connection.handle, device) else {
            xkb_keymap_unref(keymap)
            return nil
        }
        return (keymap, state)
    }

    /// Follows the modifiers and the mapping. Returns whether the event belongs to the keyboard.
    func note(_ event: X11Event) -> Bool {
        guard event.kind == firstEvent else { return false }
        if kine_read_keyboard_event(event, state) == KINE_KEYBOARD_MAP,
            let (keymap, state) = Self.mapping(context, connection, device)
        {
            xkb_state_unref(self.state)
            xkb_keymap_unref(self.keymap)
            (self.keymap, self.state) = (keymap, state)
        }
        return true
    }

    /// The meaning of a pressed key now; nil: it has none of its own.
    func stroke(of key: UInt32) -> KeyStroke? {
        var symbols: UnsafePointer<xkb_keysym_t>?
        let layout = xkb_state_key_get_layout(state, key)
        guard xkb_keymap_key_get_syms_by_level(keymap, key, layout, 0, &symbols) == 1, let symbol = symbols?.pointee
        else { return nil }
        var modifiers: KeyStroke.Modifiers = []
        if isActive(XKB_MOD_NAME_CTRL) { modifiers.insert(.control) }
        if isActive(XKB_MOD_NAME_SHIFT) { modifiers.insert(.shift) }
        if isActive(XKB_MOD_NAME_LOGO) { modifiers.insert(.super) }
        // In some layouts Alt chooses other characters: then it is not a shortcut.
        if isActive(XKB_MOD_NAME_ALT, unlessItChooses: key) { modifiers.insert(.alt) }
        return KeyStroke(
            keysym: symbol, character: Unicode.Scalar(xkb_keysym_to_utf32(symbol)).map(Character.init),
            text: text(of: key), modifiers)
    }

    private func isActive(_ name: String, unlessItChooses key: UInt32? = nil) -> Bool {
        let index = xkb_keymap_mod_get_index(keymap, name)
        guard index != .max, xkb_state_mod_index_is_active(state, index, XKB_STATE_MODS_EFFECTIVE) > 0 else {
            return false
        }
        return key.map { xkb_state_mod_index_is_consumed2(state, $0, index, XKB_CONSUMED_MODE_GTK) <= 0 } ?? true
    }

    private func text(of key: UInt32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let base = buffer.baseAddress, xkb_state_key_get_utf8(state, key, base, buffer.count) > 0 else {
                return ""
            }
            return String(cString: base)
        }
    }
}
