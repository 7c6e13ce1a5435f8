// A clipboard manager, written from the freedesktop.org specification: at SAVE_TARGETS it copies what the asker owns.
import CXCB
import Glibc
import KineMeasure
import KinePlatform
import Synchronization

/// Owns CLIPBOARD_MANAGER on a thread of its own, until the display goes. What it has saved is in `text`.
final class ClipboardManager: Sendable {
    private let contents = Monitor<(isThere: Bool, text: String?)>((false, nil))

    var text: String? { contents.withLock { $0.text } }

    /// Returns when it owns the selection.
    init(_ display: String) throws {
        let contents = contents
        _ = try DedicatedThread(starting: "manager") {
            guard let connection = xcb_connect(display, nil), xcb_connection_has_error(connection) == 0 else { return }
            defer { xcb_disconnect(connection) }
            let window = xcb_generate_id(connection)
            let root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data.pointee.root
            xcb_create_window(
                connection, 0, window, root, 0, 0, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0, 0, nil)
            func atom(_ name: String) -> xcb_atom_t {
                guard
                    let reply = xcb_intern_atom_reply(
                        connection, xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name), nil)
                else { return 0 }
                defer { free(reply) }
                return reply.pointee.atom
            }
            let (manager, clipboard, utf8) = (atom("CLIPBOARD_MANAGER"), atom("CLIPBOARD"), atom("UTF8_STRING"))
            let data = atom("SAVED")
            xcb_set_selection_owner(connection, window, manager, 0)
            free(xcb_get_selection_owner_reply(connection, xcb_get_selection_owner(connection, manager), nil))
            contents.signal { $0.isThere = true }
            var asked: xcb_selection_request_event_t?
            while let event = xcb_wait_for_event(connection) {
                defer { free(event) }
                switch Int32(event.pointee.response_type & 0x7f) {
                case XCB_SELECTION_REQUEST:
                    asked = UnsafeRawPointer(event).load(as: xcb_selection_request_event_t.self)
                    xcb_convert_selection(connection, window, clipboard, utf8, data, 0)
                case XCB_SELECTION_NOTIFY:
                    let cookie = xcb_get_property(connection, 1, window, data, 0, 0, 65536)
                    if let reply = xcb_get_property_reply(connection, cookie, nil) {
                        let bytes = UnsafeRawBufferPointer(
                            start: xcb_get_property_value(reply), count: Int(xcb_get_property_value_length(reply)))
                        contents.signal { $0.text = String(decoding: bytes, as: UTF8.self) }
                        free(reply)
                    }
                    guard let request = asked else { break }
                    var bytes = [UInt8](repeating: 0, count: 32)
                    var answer = xcb_selection_notify_event_t()
                    answer.response_type = UInt8(XCB_SELECTION_NOTIFY)
                    answer.requestor = request.requestor
                    answer.selection = request.selection
                    answer.target = request.target
                    answer.property = request.property
                    withUnsafeBytes(of: answer) { for (index, byte) in $0.enumerated() { bytes[index] = byte } }
                    bytes.withUnsafeBytes {
                        _ = xcb_send_event(
                            connection, 0, request.requestor, 0, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
                    }
                default: break
                }
                xcb_flush(connection)
            }
        }
        guard contents.wait(until: MonotonicClock.now() + Tool.timeout, for: { $0.isThere ? true : nil }) != nil else {
            throw Tool.Error.failed(name: "the manager", ending: .unknown, complaint: "")
        }
    }
}
