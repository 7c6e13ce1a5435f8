// An X client that does what applications, users and monitors do to a screen. Every call returns after the server has
// carried it out.
import CXCB
import Glibc
import KineMedia

public final class Painter {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public let root: UInt32
    let connection: OpaquePointer
    private let visual: UInt32
    private let depth: UInt8

    /// Connects to the display of that name.
    public init(display: String) throws(Failure) {
        guard let connection = xcb_connect(display, nil), xcb_connection_has_error(connection) == 0,
            let screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data
        else { throw Failure(description: "No X server answers at \(display).") }
        self.connection = connection
        root = screen.pointee.root
        visual = screen.pointee.root_visual
        depth = screen.pointee.root_depth
    }

    deinit { xcb_disconnect(connection) }

    /// Requests are served in order: an answer says that those before it are done.
    public func finish() {
        free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil))
    }

    /// While it is held, the server serves no other program.
    public func setServerHeld(_ isHeld: Bool) {
        if isHeld { xcb_grab_server(connection) } else { xcb_ungrab_server(connection) }
        finish()
    }

    // MARK: Windows

    /// A window in one colour. Unless `isManaged`, no window manager has a say in it.
    public func window(
        _ rect: PixelRect, colour: UInt32, border: Int = 0, isShown: Bool = true, isManaged: Bool = false
    ) -> UInt32 {
        let id = xcb_generate_id(connection)
        let values: [UInt32] = [colour, isManaged ? 0 : 1]
        xcb_create_window(
            connection, depth, id, root, Int16(rect.x), Int16(rect.y), UInt16(rect.width), UInt16(rect.height),
            UInt16(border), UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), visual,
            XCB_CW_BACK_PIXEL.rawValue | XCB_CW_OVERRIDE_REDIRECT.rawValue, values)
        if isShown { xcb_map_window(connection, id) }
        finish()
        return id
    }

    /// A window whose pixels say how much of what lies below is seen: 0xAARRGGBB, the colours multiplied by the alpha. It is not shown
    /// yet.
    public func translucentWindow(_ rect: PixelRect, colour: UInt32) throws(Failure) -> UInt32 {
        try window(rect, colour: colour, depth: 32, red: 0xff_0000)
    }

    /// A window of a visual that need not be the screen's: with pixels of that depth, and red in these bits. It is not shown yet.
    public func window(_ rect: PixelRect, colour: UInt32, depth: Int, red: UInt32) throws(Failure) -> UInt32 {
        guard let screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data else {
            throw Failure(description: "The X server has no screen.")
        }
        var depths = xcb_screen_allowed_depths_iterator(screen)
        while depths.rem > 0, depths.data.pointee.depth != depth { xcb_depth_next(&depths) }
        let visuals = UnsafeBufferPointer(
            start: depths.rem > 0 ? xcb_depth_visuals(depths.data) : nil,
            count: depths.rem > 0 ? Int(xcb_depth_visuals_length(depths.data)) : 0)
        guard
            let visual = visuals.first(where: {
                $0.red_mask == red && $0._class == XCB_VISUAL_CLASS_TRUE_COLOR.rawValue
            })
        else { throw Failure(description: "The X server has no windows of \(depth) bits with red there.") }
        let (id, colormap) = (xcb_generate_id(connection), xcb_generate_id(connection))
        xcb_create_colormap(connection, UInt8(XCB_COLORMAP_ALLOC_NONE.rawValue), colormap, root, visual.visual_id)
        // Without a border pixel and a colormap, a window of another depth than the root's is an error.
        xcb_create_window(
            connection, UInt8(depth), id, root, Int16(rect.x), Int16(rect.y), UInt16(rect.width), UInt16(rect.height),
            0,
            UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), visual.visual_id,
            XCB_CW_BACK_PIXEL.rawValue | XCB_CW_BORDER_PIXEL.rawValue | XCB_CW_OVERRIDE_REDIRECT.rawValue
                | XCB_CW_COLORMAP.rawValue, [colour, 0, 1, colormap])
        finish()
        return id
    }

    /// Has the server leave what lies where a window comes to be, as many toolkits do.
    public func setBackgroundNone(_ window: UInt32) {
        xcb_change_window_attributes(
            connection, window, XCB_CW_BACK_PIXMAP.rawValue, [XCB_BACK_PIXMAP_NONE.rawValue])
        finish()
    }

    /// Gives a window a background of one colour, which the server paints; of the root as well.
    public func setBackground(_ window: UInt32, _ colour: UInt32) {
        xcb_change_window_attributes(connection, window, XCB_CW_BACK_PIXEL.rawValue, [colour])
        xcb_clear_area(connection, 0, window, 0, 0, 0, 0)
        finish()
    }

    /// Names a wallpaper of one colour, as programs do that set one: `_XROOTPMAP_ID`. The server does not paint it.
    public func nameWallpaper(_ colour: UInt32) {
        let pixmap = xcb_generate_id(connection)
        xcb_create_pixmap(connection, depth, pixmap, root, 16, 16)
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), root, atom("_XROOTPMAP_ID"),
            UInt32(XCB_ATOM_PIXMAP.rawValue), 32, 1, [pixmap])
        fill(pixmap, PixelRect(x: 0, y: 0, width: 16, height: 16), colour)
    }

    /// Gives a window another shape than a rectangle's: these, in its own coordinates.
    public func setShape(_ window: UInt32, _ rects: [PixelRect]) {
        let parts = rects.map {
            xcb_rectangle_t(x: Int16($0.x), y: Int16($0.y), width: UInt16($0.width), height: UInt16($0.height))
        }
        xcb_shape_rectangles(
            connection, UInt8(XCB_SHAPE_SO_SET.rawValue), UInt8(XCB_SHAPE_SK_BOUNDING.rawValue),
            UInt8(XCB_CLIP_ORDERING_UNSORTED.rawValue), window, 0, 0, UInt32(parts.count), parts)
        finish()
    }

    public func move(_ window: UInt32, x: Int, y: Int) {
        configure(
            window, XCB_CONFIG_WINDOW_X.rawValue | XCB_CONFIG_WINDOW_Y.rawValue,
            [UInt32(bitPattern: Int32(x)), UInt32(bitPattern: Int32(y))])
    }

    /// Where a window's content lies on the screen, whatever it is in.
    public func content(of window: UInt32) -> PixelRect? {
        let place = xcb_translate_coordinates_reply(
            connection, xcb_translate_coordinates(connection, window, root, 0, 0), nil)
        let geometry = xcb_get_geometry_reply(connection, xcb_get_geometry(connection, window), nil)
        defer {
            free(place)
            free(geometry)
        }
        guard let place, let geometry else { return nil }
        return PixelRect(
            x: Int(place.pointee.dst_x), y: Int(place.pointee.dst_y), width: Int(geometry.pointee.width),
            height: Int(geometry.pointee.height))
    }

    /// Whether a program owns a selection, such as a window manager its screen's `WM_S0` (ICCCM, 4.3).
    public func hasOwner(_ selection: String) -> Bool {
        let reply = xcb_get_selection_owner_reply(
            connection, xcb_get_selection_owner(connection, atom(selection)), nil)
        defer { free(reply) }
        return reply?.pointee.owner ?? 0 != 0
    }

    /// Puts a window into another one, as a window manager puts it into its frame.
    public func reparent(_ window: UInt32, into frame: UInt32, x: Int, y: Int) {
        xcb_reparent_window(connection, window, frame, Int16(x), Int16(y))
        finish()
    }

    /// Says which windows a window manager knows.
    public func setClientList(_ windows: [UInt32]) {
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), root, atom("_NET_CLIENT_LIST"),
            UInt32(XCB_ATOM_WINDOW.rawValue), 32, UInt32(windows.count), windows)
        finish()
    }

    /// Gives a window a title, as `_NET_WM_NAME` (EWMH).
    public func setTitle(_ window: UInt32, _ title: String) {
        setText(window, Array(title.utf8), as: "_NET_WM_NAME", type: "UTF8_STRING")
    }

    /// Gives a window a text, as older programs give it a `WM_NAME` of type `STRING` or `COMPOUND_TEXT`.
    public func setText(_ window: UInt32, _ bytes: [UInt8], as property: String, type: String) {
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom(property), atom(type), 8,
            UInt32(bytes.count), bytes)
        finish()
    }

    /// Gives a window an application, as `WM_CLASS` (ICCCM, 4.1.2.5).
    public func setApplication(_ window: UInt32, _ name: String) {
        setText(window, Array("instance\0\(name)\0".utf8), as: "WM_CLASS", type: "STRING")
    }

    /// Says whose a window is, as `_NET_WM_PID` (EWMH).
    public func setProcess(_ window: UInt32, _ process: Int32) {
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom("_NET_WM_PID"),
            UInt32(XCB_ATOM_CARDINAL.rawValue), 32, 1, [process])
        finish()
    }

    /// Says what a window is for, as `_NET_WM_WINDOW_TYPE` (EWMH).
    public func setType(_ window: UInt32, _ type: String) {
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, atom("_NET_WM_WINDOW_TYPE"),
            UInt32(XCB_ATOM_ATOM.rawValue), 32, 1, [atom(type)])
        finish()
    }

    public func raise(_ window: UInt32) {
        configure(window, UInt32(XCB_CONFIG_WINDOW_STACK_MODE.rawValue), [UInt32(XCB_STACK_MODE_ABOVE.rawValue)])
    }

    /// Gives a window the keyboard's focus, as it has without a window manager.
    public func focus(_ window: UInt32) {
        xcb_set_input_focus(connection, UInt8(XCB_INPUT_FOCUS_PARENT.rawValue), window, 0)
        finish()
    }

    public func resize(_ window: UInt32, to size: PixelSize) {
        configure(
            window, XCB_CONFIG_WINDOW_WIDTH.rawValue | XCB_CONFIG_WINDOW_HEIGHT.rawValue,
            [UInt32(size.width), UInt32(size.height)])
    }

    private func configure(_ window: UInt32, _ mask: UInt32, _ values: [UInt32]) {
        xcb_configure_window(connection, window, UInt16(mask), values)
        finish()
    }

    public func unmap(_ window: UInt32) {
        xcb_unmap_window(connection, window)
        finish()
    }

    public func map(_ window: UInt32) {
        xcb_map_window(connection, window)
        finish()
    }

    public func destroy(_ window: UInt32) {
        xcb_destroy_window(connection, window)
        finish()
    }

    /// Asks the newest window of the screen to close, as a window manager does when the person clicks on its cross (ICCCM, 4.2.8.1).
    public func askToClose() throws(Failure) {
        let tree = xcb_query_tree_reply(connection, xcb_query_tree(connection, root), nil)
        defer { free(tree) }
        guard let tree, tree.pointee.children_len > 0, let children = xcb_query_tree_children(tree) else {
            throw Failure(description: "The screen has no window.")
        }
        let window = children[Int(tree.pointee.children_len) - 1]
        var message = xcb_client_message_event_t()
        message.response_type = UInt8(XCB_CLIENT_MESSAGE)
        message.format = 32
        message.window = window
        message.type = atom("WM_PROTOCOLS")
        message.data.data32.0 = atom("WM_DELETE_WINDOW")
        withUnsafeBytes(of: &message) { bytes in
            _ = xcb_send_event(connection, 0, window, 0, bytes.bindMemory(to: CChar.self).baseAddress)
        }
        finish()
    }

    private func atom(_ name: String) -> xcb_atom_t {
        let reply = xcb_intern_atom_reply(
            connection, xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name), nil)
        defer { free(reply) }
        return reply?.pointee.atom ?? 0
    }

    // MARK: Pixels

    /// Fills part of a window, in its own coordinates.
    public func fill(_ window: UInt32, _ rect: PixelRect, _ colour: UInt32) {
        let context = xcb_generate_id(connection)
        xcb_create_gc(connection, context, window, XCB_GC_FOREGROUND.rawValue, [colour])
        var area = xcb_rectangle_t(
            x: Int16(rect.x), y: Int16(rect.y), width: UInt16(rect.width), height: UInt16(rect.height))
        xcb_poly_fill_rectangle(connection, window, context, 1, &area)
        xcb_free_gc(connection, context)
        finish()
    }

    /// Gives a window a frame, 0xRRGGBB with rows packed, that the server puts back by itself wherever it was lost.
    public func setFrame(_ pixels: [UInt32], size: PixelSize, of window: UInt32) {
        let pixmap = xcb_generate_id(connection)
        xcb_create_pixmap(connection, depth, pixmap, root, UInt16(size.width), UInt16(size.height))
        put(pixels, PixelRect(size: size), into: pixmap)
        xcb_change_window_attributes(connection, window, XCB_CW_BACK_PIXMAP.rawValue, [pixmap])
        xcb_free_pixmap(connection, pixmap)
        xcb_clear_area(connection, 0, window, 0, 0, 0, 0)
        finish()
    }

    /// Puts pixels, 0xRRGGBB with rows packed, into a window.
    public func put(_ pixels: [UInt32], _ rect: PixelRect, into window: UInt32) {
        let context = xcb_generate_id(connection)
        xcb_create_gc(connection, context, window, 0, nil)
        // A request holds 256 KiB at most.
        let rows = max(1, 200_000 / (rect.width * 4))
        for top in stride(from: 0, to: rect.height, by: rows) {
            let height = min(rows, rect.height - top)
            pixels[top * rect.width..<(top + height) * rect.width].withUnsafeBytes { bytes in
                _ = xcb_put_image(
                    connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), window, context, UInt16(rect.width),
                    UInt16(height), Int16(rect.x), Int16(rect.y + top), 0, depth, UInt32(bytes.count),
                    bytes.bindMemory(to: UInt8.self).baseAddress)
            }
        }
        xcb_free_gc(connection, context)
        finish()
    }

    /// The colour of a pixel as the screen shows it, 0xRRGGBB.
    public func pixel(x: Int, y: Int) -> UInt32? {
        let reply = xcb_get_image_reply(
            connection,
            xcb_get_image(
                connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), root, Int16(x), Int16(y), 1, 1, ~0), nil)
        defer { free(reply) }
        guard let reply, let data = xcb_get_image_data(reply) else { return nil }
        return UInt32(data[2]) << 16 | UInt32(data[1]) << 8 | UInt32(data[0])
    }

    // MARK: Compositing

    /// Takes the place of a compositing manager: from now on the screen shows nothing but what is painted on the root
    /// window.
    public func beginCompositing() throws(Failure) {
        free(
            xcb_composite_query_version_reply(connection, xcb_composite_query_version(connection, 0, 4), nil))
        let error = xcb_request_check(
            connection,
            xcb_composite_redirect_subwindows_checked(connection, root, UInt8(XCB_COMPOSITE_REDIRECT_MANUAL.rawValue)))
        defer { free(error) }
        if error != nil { throw Failure(description: "The screen has a compositing manager.") }
        let window = window(PixelRect(x: -10, y: -10, width: 1, height: 1), colour: 0, isShown: false)
        xcb_set_selection_owner(connection, window, atom("_NET_WM_CM_S0"), UInt32(XCB_CURRENT_TIME))
        finish()
    }

    // MARK: Monitors

    /// Gives the screen another size, as `xrandr --fb` does after its outputs were turned off.
    public func setScreenSize(_ size: PixelSize) throws(Failure) {
        guard
            let resources = xcb_randr_get_screen_resources_reply(
                connection, xcb_randr_get_screen_resources(connection, root), nil)
        else { throw Failure(description: "The X server has no RandR.") }
        defer { free(resources) }
        let count = Int(xcb_randr_get_screen_resources_crtcs_length(resources))
        for crtc in UnsafeBufferPointer(start: xcb_randr_get_screen_resources_crtcs(resources), count: count) {
            // A CRTC with a mode keeps the screen from becoming smaller than it.
            free(
                xcb_randr_set_crtc_config_reply(
                    connection,
                    xcb_randr_set_crtc_config(
                        connection, crtc, 0, 0, 0, 0, 0, UInt16(XCB_RANDR_ROTATION_ROTATE_0.rawValue), 0, nil), nil))
        }
        let error = xcb_request_check(
            connection,
            xcb_randr_set_screen_size_checked(
                connection, root, UInt16(size.width), UInt16(size.height), UInt32(size.width / 4),
                UInt32(size.height / 4)))
        defer { free(error) }
        if let error {
            throw Failure(description: "The screen's size cannot be changed: X error \(error.pointee.error_code).")
        }
    }
}
