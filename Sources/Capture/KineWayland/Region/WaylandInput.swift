// A person's mouse and keyboard, as a compositor sends them to a window of this program.
import CWayland
import CXKB
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// One seat's devices. Used on the connection's thread.
final class WaylandInput: CallbackTarget {
    enum Event: Equatable {
        /// The mouse is over the window, at a position in surface units.
        case moved(x: Double, y: Double)
        /// Buttons have X11's numbers.
        case pressed(button: Int)
        case released(button: Int)
        case escaped
        case key
    }

    /// The mouse image over the window.
    struct Cursor {
        var surface: OpaquePointer
        var hotSpot: (x: Int, y: Int)
    }

    private var seat: OpaquePointer?
    private var pointer: OpaquePointer?
    private var keyboard: OpaquePointer?
    /// Numbers of linux/input-event-codes.h. A keymap may have Escape on any key.
    private var escapeKeys: Set<UInt32> = [WaylandInput.escapeKey]
    /// Called when the mouse enters the window; without an image, it keeps its last one.
    private let cursor: () -> Cursor?
    private let receive: (Event) -> Void

    private static let escapeKey: UInt32 = 1
    private static let escapeSymbol: UInt32 = 0xff1b
    /// Bytes. Real keyboards have about 60,000.
    private static let largestKeymap = 1 << 20
    /// linux/input-event-codes.h: the buttons from the left one on.
    private static let firstButton: UInt32 = 0x110
    private static let buttonNumbers = [1, 3, 2]

    private let seatListener = Listener(
        wl_seat_add_listener,
        wl_seat_listener(
            capabilities: { context, _, capabilities in WaylandInput.from(context).follow(capabilities) },
            name: { _, _, _ in }))
    private let pointerListener = Listener(
        wl_pointer_add_listener,
        wl_pointer_listener(
            enter: { context, pointer, serial, _, x, y in
                let input = WaylandInput.from(context)
                if let cursor = input.cursor() {
                    wl_pointer_set_cursor(
                        pointer, serial, cursor.surface, Int32(cursor.hotSpot.x), Int32(cursor.hotSpot.y))
                }
                input.moved(x, y)
            },
            leave: { _, _, _, _ in },
            motion: { context, _, _, x, y in WaylandInput.from(context).moved(x, y) },
            button: { context, _, _, _, button, state in
                let numbers = WaylandInput.buttonNumbers
                guard let index = Int(exactly: Int64(button) - Int64(WaylandInput.firstButton)),
                    numbers.indices.contains(index)
                else { return }
                let number = numbers[index]
                let isPressed = state == WL_POINTER_BUTTON_STATE_PRESSED.rawValue
                WaylandInput.from(context).receive(isPressed ? .pressed(button: number) : .released(button: number))
            },
            axis: { _, _, _, _, _ in },
            // Later versions send these.
            frame: { _, _ in }, axis_source: { _, _, _ in }, axis_stop: { _, _, _, _ in },
            axis_discrete: { _, _, _, _ in }, axis_value120: { _, _, _, _ in }))
    private let keyboardListener = Listener(
        wl_keyboard_add_listener,
        wl_keyboard_listener(
            keymap: { context, _, format, descriptor, size in
                WaylandInput.from(context).setKeymap(format: format, descriptor, size: Int(size))
            },
            enter: { _, _, _, _, _ in },
            leave: { _, _, _, _ in },
            key: { context, _, _, _, key, state in
                let input = WaylandInput.from(context)
                guard state == WL_KEYBOARD_KEY_STATE_PRESSED.rawValue else { return }
                input.receive(input.escapeKeys.contains(key) ? .escaped : .key)
            },
            modifiers: { _, _, _, _, _, _, _ in },
            // Later versions send this.
            repeat_info: { _, _, _, _ in }))

    /// Follows the devices of that seat.
    init(
        _ global: WaylandConnection.Global, of connection: WaylandConnection, cursor: @escaping () -> Cursor?,
        receive: @escaping (Event) -> Void
    ) {
        self.cursor = cursor
        self.receive = receive
        seat = seatListener.attach(to: connection.bind(global, upTo: 3), callbackData)
    }

    deinit {
        release(&pointer, wl_pointer_release)
        release(&keyboard, wl_keyboard_release)
        // wl_seat has a release request only since version 5.
        if let seat { wl_seat_destroy(seat) }
    }

    /// - Parameter request: the device's release request.
    private func release(_ device: inout OpaquePointer?, _ request: (OpaquePointer?) -> Void) {
        if let object = device.take() { request(object) }
    }

    /// Follows the seat's devices, which come and go.
    private func follow(_ capabilities: UInt32) {
        if capabilities & WL_SEAT_CAPABILITY_POINTER.rawValue == 0 {
            release(&pointer, wl_pointer_release)
        } else if pointer == nil {
            pointer = pointerListener.attach(to: wl_seat_get_pointer(seat), callbackData)
        }
        if capabilities & WL_SEAT_CAPABILITY_KEYBOARD.rawValue == 0 {
            release(&keyboard, wl_keyboard_release)
        } else if keyboard == nil {
            keyboard = keyboardListener.attach(to: wl_seat_get_keyboard(seat), callbackData)
        }
    }

    private func moved(_ x: wl_fixed_t, _ y: wl_fixed_t) {
        receive(.moved(x: wl_fixed_to_double(x), y: wl_fixed_to_double(y)))
    }

    /// Owns the descriptor. If the keymap cannot be read, uses Escape's usual key.
    private func setKeymap(format: UInt32, _ descriptor: Int32, size: Int) {
        defer { close(descriptor) }
        escapeKeys = [Self.escapeKey]
        guard format == WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1.rawValue, let text = Self.keymap(descriptor, size: size) else {
            return
        }
        let keys = withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { keys -> [UInt32] in
            let count = kine_find_keys(text, text.count, Self.escapeSymbol, keys.baseAddress, Int32(keys.count))
            return keys.prefix(max(0, Int(count))).map(\.self)
        }
        if !keys.isEmpty { escapeKeys = Set(keys) }
    }

    /// The text of a keymap, without its terminating zero; nil if the file is shorter than `size`. Read, not mapped: a
    /// mapped file that becomes shorter would end this process.
    static func keymap(_ descriptor: Int32, size: Int) -> [CChar]? {
        guard 1...largestKeymap ~= size, let status = try? FileDescriptor(rawValue: descriptor).stat(),
            status.type == .regular, status.size >= size
        else { return nil }
        let text = [CChar](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
        }
        return text.count == size ? Array(text.prefix { $0 != 0 }) : nil
    }
}
