// The requests to an X server for selections: a window that is never shown, atoms, properties, and events.
import CXCB
import Glibc

/// A connection with a window. Used on one thread.
final class XServer {
    enum Atom: Int, CaseIterable {
        case clipboard, manager, targets, timestamp, multiple, saveTargets, incremental, atomPair, null
        case utf8String, plainUTF8, text, group, data, time, save

        fileprivate var name: String {
            switch self {
            case .clipboard: "CLIPBOARD"
            case .manager: "CLIPBOARD_MANAGER"
            case .targets: "TARGETS"
            case .timestamp: "TIMESTAMP"
            case .multiple: "MULTIPLE"
            case .saveTargets: "SAVE_TARGETS"
            case .incremental: "INCR"
            case .atomPair: "ATOM_PAIR"
            case .null: "NULL"
            case .utf8String: "UTF8_STRING"
            case .plainUTF8: "text/plain;charset=utf-8"
            case .text: "TEXT"
            case .group: Clipboard.groupType
            case .data: "KINECAST_DATA"
            case .time: "KINECAST_TIME"
            case .save: "KINECAST_SAVE"
            }
        }
    }

    struct Property {
        var type: xcb_atom_t
        var format: UInt8
        var bytes: [UInt8]
        /// The property is longer than the limit.
        var isCut: Bool
    }

    /// Atoms that every server has (X Protocol, appendix B).
    static let atomType = xcb_atom_t(XCB_ATOM_ATOM.rawValue)
    static let integerType = xcb_atom_t(XCB_ATOM_INTEGER.rawValue)
    static let latinString = xcb_atom_t(XCB_ATOM_STRING.rawValue)

    let handle: OpaquePointer
    let window: xcb_window_t
    private let atoms: [xcb_atom_t]

    /// Nil if the display does not answer.
    init?(display: String) {
        var number: Int32 = 0
        guard let connection = xcb_connect(display, &number) else { return nil }
        guard xcb_connection_has_error(connection) == 0 else {
            xcb_disconnect(connection)
            return nil
        }
        handle = connection
        var screens = xcb_setup_roots_iterator(xcb_get_setup(connection))
        for _ in 0..<max(0, number) where screens.rem > 1 { xcb_screen_next(&screens) }
        window = xcb_generate_id(connection)
        var events = XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue
        xcb_create_window(
            connection, UInt8(XCB_COPY_FROM_PARENT), window, screens.data.pointee.root, -1, -1, 1, 1, 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0, XCB_CW_EVENT_MASK.rawValue, &events)
        let cookies = Atom.allCases.map { xcb_intern_atom(connection, 0, UInt16($0.name.utf8.count), $0.name) }
        atoms = cookies.map { cookie in
            guard let reply = xcb_intern_atom_reply(connection, cookie, nil) else { return 0 }
            defer { free(reply) }
            return reply.pointee.atom
        }
    }

    deinit { xcb_disconnect(handle) }

    subscript(atom: Atom) -> xcb_atom_t { atoms[atom.rawValue] }

    var descriptor: Int32 { xcb_get_file_descriptor(handle) }
    var isBroken: Bool { xcb_connection_has_error(handle) != 0 }

    /// The most bytes of one piece of a property: requests have a limit. Longer ones need several (ICCCM 2.7.2).
    var pieceLimit: Int { min(256 << 10, Int(xcb_get_maximum_request_length(handle)) * 4 - 256) }

    func owner(of selection: Atom) -> xcb_window_t {
        guard let reply = xcb_get_selection_owner_reply(handle, xcb_get_selection_owner(handle, self[selection]), nil)
        else { return 0 }
        defer { free(reply) }
        return reply.pointee.owner
    }

    func set(_ property: xcb_atom_t, of window: xcb_window_t, type: xcb_atom_t, bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        xcb_change_property(
            handle, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, property, type, 8, UInt32(bytes.count), bytes)
    }

    func set(_ property: xcb_atom_t, of window: xcb_window_t, type: xcb_atom_t, words: [UInt32]) {
        xcb_change_property(
            handle, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, property, type, 32, UInt32(words.count), words)
    }

    /// Reads at most `limit` bytes of a property.
    func get(_ property: xcb_atom_t, of window: xcb_window_t, deleting: Bool, limit: Int) -> Property? {
        let cookie = xcb_get_property(
            handle, deleting ? 1 : 0, window, property, UInt32(XCB_GET_PROPERTY_TYPE_ANY.rawValue), 0,
            UInt32(limit / 4 + 1))
        guard let reply = xcb_get_property_reply(handle, cookie, nil) else { return nil }
        defer { free(reply) }
        let value = UnsafeRawBufferPointer(
            start: xcb_get_property_value(reply), count: Int(xcb_get_property_value_length(reply)))
        return Property(
            type: reply.pointee.type, format: reply.pointee.format, bytes: Array(value),
            isCut: reply.pointee.bytes_after > 0)
    }

    /// Requests a selection; a SelectionNotify answers.
    func convert(_ selection: Atom, to target: Atom, in property: Atom, at time: xcb_timestamp_t) {
        xcb_convert_selection(handle, window, self[selection], self[target], self[property], time)
    }

    /// Subscribes to (or stops) PropertyNotify of another client's window.
    func watch(_ other: xcb_window_t, _ isWatched: Bool) {
        var events = isWatched ? XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue : 0
        xcb_change_window_attributes(handle, other, XCB_CW_EVENT_MASK.rawValue, &events)
    }

    /// Answers a request for a selection. `property`: 0 refuses.
    func notify(_ request: xcb_selection_request_event_t, property: xcb_atom_t) {
        var event = xcb_selection_notify_event_t()
        event.response_type = UInt8(XCB_SELECTION_NOTIFY)
        event.time = request.time
        event.requestor = request.requestor
        event.selection = request.selection
        event.target = request.target
        event.property = property
        // An event has 32 bytes, more than its struct.
        var bytes = [UInt8](repeating: 0, count: 32)
        withUnsafeBytes(of: event) { for (index, byte) in $0.enumerated() { bytes[index] = byte } }
        bytes.withUnsafeBytes {
            _ = xcb_send_event(
                handle, 0, request.requestor, 0, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
    }
}
