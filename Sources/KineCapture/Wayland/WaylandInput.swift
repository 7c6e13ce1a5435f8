// The mouse and the keyboard of a person, as a compositor passes them on to a window of this program.
import CWayland
import CXKB
import Glibc
import KineWayland

/// One seat's devices. Used on the connection's thread.
final class WaylandInput {
    enum Event: Equatable {
        /// The mouse is over the window, at a place in units of the surface.
        case moved(x: Double, y: Double)
        /// Buttons have the numbers of X11.
        case pressed(button: Int)
        case released(button: Int)
        case escaped
        /// Any other key.
        case key
    }

    /// The image of the mouse over the window.
    struct Cursor {
        var surface: OpaquePointer
        var hotSpot: (x: Int, y: Int)
    }

    private var seat: OpaquePointer?
    private var pointer: OpaquePointer?
    private var keyboard: OpaquePointer?
    /// By the numbers of linux/input-event-codes.h. A mapping may have it on any key.
    private var escapeKeys: Set<UInt32> = [WaylandInput.escapeKey]
    /// The mouse has come to the window, and shows its last image until it gets another one.
    private let cursor: () -> Cursor?
    private let receive: (Event) -> Void

    private static let escapeKey: UInt32 = 1
    private static let escapeSymbol: UInt32 = 0xff1b
    /// Bytes. Those of real keyboards have about 60,000.
    private static let largestKeymap = 1 << 20
    /// linux/input-event-codes.h: the buttons from the left one on.
    private static let firstButton: UInt32 = 0x110
    private static let buttonNumbers = [1, 3, 2]

    private let seatListener = Listener(
        kine_seat_listener(
            capabilities: { context, _, capabilities in WaylandInput.from(context).follow(capabilities) },
            name: { _, _, _ in }))
    private let pointerListener = Listener(
        kine_pointer_listener(
            enter: { context, pointer, serial, _, x, y in
                let input = WaylandInput.from(context)
                if let cursor = input.cursor() {
                    kine_set_cursor(
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
                WaylandInput.from(context).receive(state == 1 ? .pressed(button: number) : .released(button: number))
            },
            axis: { _, _, _, _, _ in }))
    private let keyboardListener = Listener(
        kine_keyboard_listener(
            keymap: { context, _, format, descriptor, size in
                WaylandInput.from(context).setKeymap(format: format, descriptor, size: Int(size))
            },
            enter: { _, _, _, _, _ in },
            leave: { _, _, _, _ in },
            key: { context, _, _, _, key, state in
                let input = WaylandInput.from(context)
                guard state == 1 else { return }
                input.receive(input.escapeKeys.contains(key) ? .escaped : .key)
            },
            modifiers: { _, _, _, _, _, _, _ in }))

    /// Follows the devices of the seat with that number in the registry.
    init(
        _ global: WaylandConnection.Global, of connection: WaylandConnection, cursor: @escaping () -> Cursor?,
        receive: @escaping (Event) -> Void
    ) {
        self.cursor = cursor
        self.receive = receive
        seat = kine_bind_input_seat(
            connection.registry, global.name, min(global.version, UInt32(KINE_SEAT_VERSION)), seatListener.table,
            context)
    }

    deinit {
        release(&pointer, kine_destroy_pointer)
        release(&keyboard, kine_destroy_keyboard)
        release(&seat, kine_destroy_input_seat)
    }

    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func from(_ context: UnsafeMutableRawPointer?) -> WaylandInput {
        Unmanaged<WaylandInput>.fromOpaque(context!).takeUnretainedValue()
    }

    private func release(_ object: inout OpaquePointer?, _ destroy: (OpaquePointer?) -> Void) {
        if object != nil { destroy(object) }
        object = nil
    }

    /// Devices come and go.
    private func follow(_ capabilities: UInt32) {
        if capabilities & 1 == 0 {
            release(&pointer, kine_destroy_pointer)
        } else if pointer == nil {
            pointer = kine_get_pointer(seat, pointerListener.table, context)
        }
        if capabilities & 2 == 0 {
            release(&keyboard, kine_destroy_keyboard)
        } else if keyboard == nil {
            keyboard = kine_get_keyboard(seat, keyboardListener.table, context)
        }
    }

    /// Places are in 1/256.
    private func moved(_ x: Int32, _ y: Int32) { receive(.moved(x: Double(x) / 256, y: Double(y) / 256)) }

    /// Owns the descriptor. Where the mapping cannot be read, the key is where keyboards have it.
    private func setKeymap(format: UInt32, _ descriptor: Int32, size: Int) {
        defer { close(descriptor) }
        escapeKeys = [Self.escapeKey]
        guard format == 1, let text = Self.keymap(descriptor, size: size) else { return }
        let keys = withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { keys -> [UInt32] in
            let count = kine_find_keys(text, text.count, Self.escapeSymbol, keys.baseAddress, Int32(keys.count))
            return keys.prefix(max(0, Int(count))).map(\.self)
        }
        if !keys.isEmpty { escapeKeys = Set(keys) }
    }

    /// The text of a mapping, without the zero that is part of its size; nil where the file has not so many bytes. It is read, since a
    /// mapping of a file that becomes shorter ends the process that looks at it.
    static func keymap(_ descriptor: Int32, size: Int) -> [CChar]? {
        var status = stat()
        guard 1...largestKeymap ~= size, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size >= size
        else { return nil }
        let text = [CChar](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
        }
        return text.count == size ? Array(text.prefix { $0 != 0 }) : nil
    }
}
