// What people do with the mouse and the keyboard of an X screen, and programs with the pointer.
import CXCB
import Glibc
import KineMedia

extension Painter {
    // MARK: Pointer

    /// Moves the pointer as a mouse does.
    public func moveMouse(x: Int, y: Int) {
        xcb_test_fake_input(connection, UInt8(XCB_MOTION_NOTIFY), 0, 0, root, Int16(x), Int16(y), 0)
        finish()
    }

    /// Presses a button of the mouse, or releases it. The first is 1.
    public func setButton(_ number: Int, isPressed: Bool) {
        let type = UInt8(isPressed ? XCB_BUTTON_PRESS : XCB_BUTTON_RELEASE)
        xcb_test_fake_input(connection, type, UInt8(number), 0, root, 0, 0, 0)
        finish()
    }

    /// Says what the buttons of the mouse mean, from the first on, as `xmodmap -e "pointer = …"` does.
    public func setButtonMapping(_ meanings: [UInt8]) {
        let cookie = xcb_set_pointer_mapping(connection, UInt8(meanings.count), meanings)
        free(xcb_set_pointer_mapping_reply(connection, cookie, nil))
    }

    /// Takes the mouse for this client alone. False where another has it.
    public func grabMouse() -> Bool {
        let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
        let reply = xcb_grab_pointer_reply(
            connection, xcb_grab_pointer(connection, 0, root, 0, mode, mode, 0, 0, UInt32(XCB_CURRENT_TIME)), nil)
        defer { free(reply) }
        return reply?.pointee.status == UInt8(XCB_GRAB_STATUS_SUCCESS.rawValue)
    }

    public func releaseMouse() {
        xcb_ungrab_pointer(connection, UInt32(XCB_CURRENT_TIME))
        finish()
    }

    /// Moves the pointer as a program does, of which no device tells.
    public func warpPointer(x: Int, y: Int) {
        xcb_warp_pointer(connection, 0, root, 0, 0, 0, 0, Int16(x), Int16(y))
        finish()
    }

    /// Gives a window a pointer that is a rectangle of one colour.
    public func setCursor(_ window: UInt32, size: PixelSize, hotSpot: (x: Int, y: Int), colour: UInt32) {
        let bitmap = xcb_generate_id(connection)
        xcb_create_pixmap(connection, 1, bitmap, root, UInt16(size.width), UInt16(size.height))
        fillBitmap(bitmap, size)
        let cursor = xcb_generate_id(connection)
        // Sixteen bits a component.
        func part(_ shift: UInt32) -> UInt16 { UInt16(colour >> shift & 255) * 257 }
        xcb_create_cursor(
            connection, cursor, bitmap, bitmap, part(16), part(8), part(0), 0, 0, 0, UInt16(hotSpot.x),
            UInt16(hotSpot.y))
        xcb_change_window_attributes(connection, window, XCB_CW_CURSOR.rawValue, [cursor])
        xcb_free_pixmap(connection, bitmap)
        finish()
    }

    private func fillBitmap(_ bitmap: UInt32, _ size: PixelSize) {
        let context = xcb_generate_id(connection)
        xcb_create_gc(connection, context, bitmap, XCB_GC_FOREGROUND.rawValue, [1])
        var area = xcb_rectangle_t(x: 0, y: 0, width: UInt16(size.width), height: UInt16(size.height))
        xcb_poly_fill_rectangle(connection, bitmap, context, 1, &area)
        xcb_free_gc(connection, context)
    }

    // MARK: Keyboard

    /// A key by its place on the keyboard, as the kernel numbers it, and 8 (XKB's evdev keycodes).
    public enum Key: UInt8, Sendable {
        case escape = 9
        case tab = 23
        case r = 27
        case t = 28
        case y = 29
        case control = 37
        case a = 38
        case s = 39
        case shift = 50
        case z = 52
        case alt = 64
        case capsLock = 66
        case f5 = 71
        case numLock = 77
        case `super` = 133
    }

    /// Presses and releases a key, with others held.
    public func press(_ key: Key, with held: Key...) {
        for key in held { set(key, isPressed: true) }
        set(key, isPressed: true)
        set(key, isPressed: false)
        for key in held.reversed() { set(key, isPressed: false) }
        finish()
    }

    /// Presses a key, again if it is down already, as a held key repeats; or releases it.
    public func hold(_ key: Key, isPressed: Bool = true) {
        set(key, isPressed: isPressed)
        finish()
    }

    private func set(_ key: Key, isPressed: Bool) {
        let type = UInt8(isPressed ? XCB_KEY_PRESS : XCB_KEY_RELEASE)
        xcb_test_fake_input(connection, type, key.rawValue, 0, root, 0, 0, 0)
    }

    /// Takes a key with all modifiers for this connection, as a desktop's shortcuts do.
    public func grab(_ key: Key) {
        let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
        xcb_grab_key(connection, 0, root, UInt16(XCB_MOD_MASK_ANY.rawValue), key.rawValue, mode, mode)
        finish()
    }

    /// Takes the keyboard, as a screen locker does, or gives it back.
    public func setKeyboardGrabbed(_ isGrabbed: Bool) {
        if isGrabbed {
            let mode = UInt8(XCB_GRAB_MODE_ASYNC.rawValue)
            free(xcb_grab_keyboard_reply(connection, xcb_grab_keyboard(connection, 0, root, 0, mode, mode), nil))
        } else {
            xcb_ungrab_keyboard(connection, 0)
            finish()
        }
    }
}
