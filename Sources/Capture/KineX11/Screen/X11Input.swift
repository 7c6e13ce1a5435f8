// The raw events of mice (XI2, XI_RawMotion and following). They do not depend on the window under the pointer.
import CXCB
import Glibc

/// The raw events of a connection's server. Used by the capture thread.
final class X11Input {
    enum Event: Equatable {
        case motion
        case press(ClickStateMachine.Button)
        case release(ClickStateMachine.Button)
    }

    struct Events: OptionSet {
        let rawValue: UInt32
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

    /// The meaning of an event of the extension; nil: not relevant. The wheel is buttons 4 to 7.
    func read(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> Event? {
        let type = event.withMemoryRebound(to: xcb_ge_generic_event_t.self, capacity: 1) {
            $0.pointee.extension == connection.inputOpcode ? Int32($0.pointee.event_type) : nil
        }
        switch type {
        case XCB_INPUT_RAW_MOTION: return .motion
        case XCB_INPUT_RAW_BUTTON_PRESS: return button(event).map { .press($0) }
        case XCB_INPUT_RAW_BUTTON_RELEASE: return button(event).map { .release($0) }
        default: return nil
        }
    }

    /// The person may have swapped the buttons.
    func noteMapping() { mapping = nil }

    private func button(_ event: UnsafeMutablePointer<xcb_generic_event_t>) -> ClickStateMachine.Button? {
        let number = event.withMemoryRebound(to: xcb_input_raw_button_press_event_t.self, capacity: 1) {
            Int($0.pointee.detail)
        }
        let mapping = mapping ?? fetchMapping()
        self.mapping = mapping
        switch mapping.indices.contains(number - 1) ? Int(mapping[number - 1]) : number {
        case 1: return .left
        case 2: return .middle
        case 3: return .right
        default: return nil
        }
    }

    private func fetchMapping() -> [UInt8] {
        connection.reply(xcb_get_pointer_mapping(connection.handle), xcb_get_pointer_mapping_reply) { reply in
            let count = Int(xcb_get_pointer_mapping_map_length(reply))
            return Array(UnsafeBufferPointer(start: xcb_get_pointer_mapping_map(reply), count: count))
        } ?? []
    }
}
