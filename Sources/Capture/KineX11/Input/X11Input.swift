// The raw events of mice and keyboards (XI2, XI_RawKeyPress and following). They do not depend on the window under the pointer.
import CXCB
import KineCapture
import KineMedia

/// The raw events of a connection's server. Used by one thread.
final class X11Input {
    enum Event: Equatable {
        case motion
        case press(PointerButton)
        case release(PointerButton)
        /// Right and down are positive.
        case scroll(x: Int, y: Int)
        /// A key was pressed, by its code.
        case key(UInt8)
    }

    struct Events: OptionSet {
        let rawValue: UInt32
        static let keys = Events(rawValue: XCB_INPUT_XI_EVENT_MASK_RAW_KEY_PRESS.rawValue)
        static let motion = Events(rawValue: XCB_INPUT_XI_EVENT_MASK_RAW_MOTION.rawValue)
        static let buttons = Events(
            rawValue: XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_PRESS.rawValue
                | XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_RELEASE.rawValue)
    }

    private let connection: X11Connection
    private var selected: Events = []
    /// The meaning of each mouse button, from the first on; nil: not requested yet. Left-handed people swap them.
    private var mapping: [UInt8]?

    /// Nil if the server has no XI2.
    init?(connection: X11Connection) {
        guard connection.inputOpcode != nil else { return nil }
        self.connection = connection
    }

    /// Subscribes to these events, and to no others.
    func select(_ events: Events) {
        guard events != selected else { return }
        selected = events
        kine_select_raw_events(connection.handle, connection.root, events.rawValue)
    }

    /// The meaning of an event of the extension; nil: not relevant.
    func read(_ event: X11Event) -> Event? {
        let fields = event.read(xcb_ge_generic_event_t.self)
        guard fields.extension == connection.inputOpcode else { return nil }
        switch Int32(fields.event_type) {
        case XCB_INPUT_RAW_MOTION: return .motion
        case XCB_INPUT_RAW_KEY_PRESS:
            return .key(UInt8(truncatingIfNeeded: event.read(xcb_input_raw_key_press_event_t.self).detail))
        case XCB_INPUT_RAW_BUTTON_PRESS: return press(of: meaning(event))
        case XCB_INPUT_RAW_BUTTON_RELEASE: return Self.buttons[meaning(event)].map { .release($0) }
        default: return nil
        }
    }

    /// The person may have swapped the buttons.
    func noteMapping() { mapping = nil }

    private static let buttons: [Int: PointerButton] = [1: .left, 2: .middle, 3: .right]

    /// The wheel is buttons 4 to 7.
    private func press(of button: Int) -> Event? {
        switch button {
        case 4: .scroll(x: 0, y: -1)
        case 5: .scroll(x: 0, y: 1)
        case 6: .scroll(x: -1, y: 0)
        case 7: .scroll(x: 1, y: 0)
        default: Self.buttons[button].map { .press($0) }
        }
    }

    /// The number of a button's event, as the person has mapped it.
    private func meaning(_ event: X11Event) -> Int {
        let number = Int(event.read(xcb_input_raw_button_press_event_t.self).detail)
        let mapping = mapping ?? fetchMapping()
        self.mapping = mapping
        return mapping.indices.contains(number - 1) ? Int(mapping[number - 1]) : number
    }

    private func fetchMapping() -> [UInt8] {
        connection.reply(xcb_get_pointer_mapping(connection.handle), xcb_get_pointer_mapping_reply) { reply in
            let count = Int(xcb_get_pointer_mapping_map_length(reply))
            return Array(UnsafeBufferPointer(start: xcb_get_pointer_mapping_map(reply), count: count))
        } ?? []
    }
}
