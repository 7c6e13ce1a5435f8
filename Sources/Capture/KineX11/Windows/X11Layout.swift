// Finds monitors and windows on an X screen, by RandR and the window manager's list.
import CXCB
import KineCapture
import KineMedia

enum X11Layout {
    /// The part of the root window for `target`, clipped to the screen.
    ///
    /// - Parameter followed: the target's monitor since the last call; nil before the first, and for other targets.
    static func area(
        of target: X11ScreenSource.Target, following followed: inout FollowedMonitor?, on connection: X11Connection,
        rootBounds: PixelRect
    ) throws(VideoSourceError) -> PixelRect {
        let wanted: PixelRect
        switch target {
        case .screen(nil), .application(_, nil), .window:
            wanted = rootBounds
        case .screen(let name?), .application(_, let name?):
            guard connection.hasMonitors else { throw .noMonitors(display: connection.name) }
            let all = monitors(connection)
            var monitor = followed ?? FollowedMonitor(name)
            defer { followed = monitor }
            guard let index = monitor.find(among: all.map { ($0.name, $0.bounds) }) else {
                throw .noMonitor(name, existing: all.map(\.name))
            }
            wanted = all[index].bounds
        case .region(let rect):
            wanted = rect
        }
        let area = wanted.intersection(rootBounds)
        guard !area.isEmpty else { throw .outsideScreen(wanted, screen: rootBounds.size) }
        return area
    }

    static func monitors(_ connection: X11Connection) -> [SourceList.Monitor] {
        guard connection.hasMonitors else { return [] }
        return connection.reply(
            xcb_randr_get_monitors(connection.handle, connection.root, 1), xcb_randr_get_monitors_reply
        ) { reply in
            var found: [SourceList.Monitor] = []
            var iterator = xcb_randr_get_monitors_monitors_iterator(reply)
            while iterator.rem > 0 {
                let info = iterator.data.pointee
                let outputs = UnsafeBufferPointer<xcb_randr_output_t>(
                    start: xcb_randr_monitor_info_outputs(iterator.data),
                    count: Int(xcb_randr_monitor_info_outputs_length(iterator.data)))
                found.append(
                    SourceList.Monitor(
                        name: atomName(info.name, connection),
                        bounds: PixelRect(
                            x: Int(info.x), y: Int(info.y), width: Int(info.width), height: Int(info.height)),
                        isPrimary: info.primary != 0,
                        description: outputs.lazy.compactMap { model(of: $0, connection) }.first))
                xcb_randr_monitor_info_next(&iterator)
            }
            return found
        } ?? []
    }

    /// The model that a monitor says of itself (RandR, "Known Output Properties").
    private static func model(of output: xcb_randr_output_t, _ connection: X11Connection) -> String? {
        let atom = connection.atom("EDID")
        guard atom != 0 else { return nil }
        return connection.reply(
            xcb_randr_get_output_property(connection.handle, output, atom, 0, 0, 32, 0, 0),
            xcb_randr_get_output_property_reply
        ) { reply -> String? in
            let count = Int(xcb_randr_get_output_property_data_length(reply))
            guard count > 0, let data = xcb_randr_get_output_property_data(reply) else { return nil }
            return X11Properties.model(Array(UnsafeRawBufferPointer(start: data, count: count)))
        } ?? nil
    }

    /// The windows in the window manager's list, or without one, the root's children.
    static func topLevelWindows(_ connection: X11Connection) -> [UInt32] {
        let listed = X11Properties.windows(
            property(connection.atom("_NET_CLIENT_LIST"), of: connection.root, connection))
        return listed.isEmpty ? connection.children(of: connection.root) : listed
    }

    /// The shown top-level windows.
    static func windows(_ connection: X11Connection) -> [X11Inventory.Window] {
        topLevelWindows(connection).compactMap { id in
            guard isShown(id, connection), let geometry = connection.geometry(of: id), geometry.rect.width > 1,
                geometry.rect.height > 1
            else { return nil }
            // A window manager puts a window into another one, to which its coordinates are then relative.
            let origin = connection.contentOrigin(of: id, in: connection.root)
            let bounds = origin.map { PixelRect(origin: $0, size: geometry.rect.size) } ?? geometry.rect
            let names = names(of: id, connection)
            return X11Inventory.Window(
                id: id, title: names.title.text, isTitleWhole: names.title.isWhole, application: names.application,
                processID: process(of: id, connection), bounds: bounds)
        }
    }

    /// The chosen window; throws if there is none, or more than one.
    static func window(
        _ choice: X11ScreenSource.WindowChoice, on connection: X11Connection
    ) throws(VideoSourceError) -> UInt32 {
        switch choice {
        case .id(let id): return id
        case .focused:
            guard let id = focusedWindow(connection) else { throw .noFocusedWindow }
            return id
        case .titled(let text):
            let all = windows(connection)
            let found = X11Properties.windows(titled: text, in: all)
            guard let window = found.first else {
                throw .noWindowTitled(text, unreadable: all.filter { !$0.isTitleWhole }.map(\.id))
            }
            if found.count > 1 { throw .severalWindowsTitled(text, found.map(\.id)) }
            return window.id
        }
    }

    /// The window manager's active window, or without one, the top-level window with the keyboard focus.
    private static func focusedWindow(_ connection: X11Connection) -> UInt32? {
        let active = property(connection.atom("_NET_ACTIVE_WINDOW"), of: connection.root, connection)
        if let id = X11Properties.windows(active).first, id != 0 { return id }
        var focus = connection.reply(xcb_get_input_focus(connection.handle), xcb_get_input_focus_reply) {
            $0.pointee.focus
        }
        // 0 and 1 mean no window and the window under the pointer.
        while let window = focus, window > 1, window != connection.root {
            let parent = connection.parent(of: window)
            if parent == connection.root { return window }
            focus = parent
        }
        return nil
    }

    /// The title of `_NET_WM_NAME` or else `WM_NAME`, and the application of `WM_CLASS`. Empty if a window has none.
    static func names(of window: UInt32, _ connection: X11Connection) -> (title: X11Text, application: String) {
        var title = X11Text.empty
        for name in [connection.atom("_NET_WM_NAME"), UInt32(XCB_ATOM_WM_NAME.rawValue)] where title.text.isEmpty {
            let (bytes, encoding) = text(name, of: window, connection)
            title = X11Text(bytes, encoding)
        }
        let (bytes, encoding) = text(UInt32(XCB_ATOM_WM_CLASS.rawValue), of: window, connection)
        return (title, X11Properties.application(bytes, encoding))
    }

    /// Asks the window manager to keep a window above others, or no longer to (EWMH, "_NET_WM_STATE").
    static func keepAbove(_ window: UInt32, _ isOn: Bool, _ connection: X11Connection) {
        var message = xcb_client_message_event_t()
        message.response_type = UInt8(XCB_CLIENT_MESSAGE)
        message.format = 32
        message.window = window
        message.type = connection.atom("_NET_WM_STATE")
        let (remove, add, pager): (UInt32, UInt32, UInt32) = (0, 1, 2)
        message.data.data32 = (isOn ? add : remove, connection.atom("_NET_WM_STATE_ABOVE"), 0, pager, 0)
        let receivers = XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue
        withUnsafeBytes(of: &message) { bytes in
            _ = xcb_send_event(
                connection.handle, 0, connection.root, receivers, bytes.bindMemory(to: CChar.self).baseAddress)
        }
        // Until this is answered: of a connection that is closed with unread events, the server may not read the last requests.
        _ = connection.attributes(of: window)
    }

    /// The process that a window's owner has set.
    static func process(of window: UInt32, _ connection: X11Connection) -> Int32? {
        X11Properties.process(property(connection.atom("_NET_WM_PID"), of: window, connection))
    }

    /// The processes that a window may belong to: the one that its owner has set, and the one that the server knows at the other
    /// end of the owner's connection. They differ where the owner counts processes in a namespace of its own.
    static func processes(of window: UInt32, _ connection: X11Connection) -> [Int32] {
        [process(of: window, connection) ?? 0, kine_client_process(connection.handle, window)]
    }

    static func atoms(_ name: String, of window: UInt32, _ connection: X11Connection) -> [UInt32] {
        X11Properties.windows(property(connection.atom(name), of: window, connection))
    }

    static func isShown(_ window: UInt32, _ connection: X11Connection) -> Bool {
        connection.attributes(of: window).map {
            $0.map_state == UInt8(XCB_MAP_STATE_VIEWABLE.rawValue)
                && $0._class == UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue)
        } ?? false
    }

    private static func property(_ atom: UInt32, of window: UInt32, _ connection: X11Connection) -> [UInt8] {
        typedProperty(atom, of: window, connection).bytes
    }

    private static func text(
        _ atom: UInt32, of window: UInt32, _ connection: X11Connection
    ) -> (bytes: [UInt8], encoding: X11Text.Encoding) {
        let (bytes, type) = typedProperty(atom, of: window, connection)
        let encoding: X11Text.Encoding =
            switch type {
            case UInt32(XCB_ATOM_STRING.rawValue): .latin1
            case connection.atom("UTF8_STRING"): .utf8
            case connection.atom("COMPOUND_TEXT"): .compound
            default: .unknown
            }
        return (bytes, encoding)
    }

    private static func typedProperty(
        _ atom: UInt32, of window: UInt32, _ connection: X11Connection
    ) -> (bytes: [UInt8], type: UInt32) {
        guard atom != 0 else { return ([], 0) }
        return connection.reply(
            xcb_get_property(connection.handle, 0, window, atom, 0, 0, 4096), xcb_get_property_reply
        ) { reply in
            let count = Int(xcb_get_property_value_length(reply))
            guard count > 0, let value = xcb_get_property_value(reply) else { return ([], 0) }
            return (Array(UnsafeRawBufferPointer(start: value, count: count)), reply.pointee.type)
        } ?? ([], 0)
    }

    private static func atomName(_ atom: UInt32, _ connection: X11Connection) -> String {
        connection.reply(xcb_get_atom_name(connection.handle, atom), xcb_get_atom_name_reply) { reply in
            let count = Int(xcb_get_atom_name_name_length(reply))
            guard count > 0, let name = xcb_get_atom_name_name(reply) else { return "" }
            return String(decoding: UnsafeRawBufferPointer(start: name, count: count), as: UTF8.self)
        } ?? ""
    }
}

extension X11ScreenSource.Target {
    /// The only windows in the frames; nil: all windows of the screen.
    func ownWindows(_ pixmap: X11WindowPixmap?) -> X11WindowRule? {
        switch self {
        case .screen, .region: nil
        case .window: pixmap.map { .id($0.window) }
        case .application(let name, _): .application(name)
        }
    }
}
