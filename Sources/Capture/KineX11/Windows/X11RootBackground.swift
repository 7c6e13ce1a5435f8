// What an X screen shows where no window is.
import CXCB
import KineMedia

/// The root window's background, as a picture in the server. Used by the capture thread.
///
/// Programs that set a wallpaper name its pixmap in the root's property `_XROOTPMAP_ID`, which is also what compositing managers
/// paint. Without that, the server paints the background, and without a compositing manager what it paints can be had.
final class X11RootBackground {
    private let connection: X11Connection
    /// The format of the root's pixels.
    private let format: UInt32
    /// 0: the background is unknown.
    private var picture: UInt32 = 0
    /// It may have changed since `renew`.
    var isStale = true

    init(connection: X11Connection, format: UInt32) {
        (self.connection, self.format) = (connection, format)
    }

    /// Whether the background of the connection's screen is known now.
    static func isKnown(on connection: X11Connection) -> Bool {
        named(connection) != nil || !X11CompositingManager.isPresent(on: connection)
    }

    /// A program may have left the number of a pixmap that is gone, and a window may have it now.
    private static func named(_ connection: X11Connection) -> UInt32? {
        X11Layout.atoms("_XROOTPMAP_ID", of: connection.root, connection).first
            .flatMap { connection.attributes(of: $0) == nil ? $0 : nil }
    }

    deinit { if picture != 0 { xcb_render_free_picture(connection.handle, picture) } }

    /// - Parameter isComposited: there is a compositing manager.
    func renew(isComposited: Bool) {
        isStale = false
        if picture != 0 { xcb_render_free_picture(connection.handle, picture) }
        picture = 0
        if let named = Self.named(connection) { picture = makePicture(of: named) }
        if picture == 0, !isComposited { picture = copy() }
    }

    /// Nothing is drawn where the background is unknown. `rects` are in the picture, which begins at `origin` of the screen.
    func draw(into target: UInt32, _ rects: [PixelRect], at origin: (x: Int, y: Int)) {
        guard picture != 0 else { return }
        for rect in rects.map({ xcb_rectangle_t($0) }) {
            xcb_render_composite(
                connection.handle, UInt8(XCB_RENDER_PICT_OP_SRC.rawValue), picture, 0, target,
                Int16(clamping: Int(rect.x) + origin.x), Int16(clamping: Int(rect.y) + origin.y), 0, 0, rect.x, rect.y,
                rect.width, rect.height)
        }
    }

    /// Tiles the screen with a pixmap, as the server does with a background. 0: there is none, or it has another depth.
    private func makePicture(of pixmap: UInt32) -> UInt32 {
        let picture = xcb_generate_id(connection.handle)
        let request = xcb_render_create_picture_checked(
            connection.handle, picture, pixmap, format, XCB_RENDER_CP_REPEAT.rawValue,
            [XCB_RENDER_REPEAT_NORMAL.rawValue])
        return connection.succeeded(request) ? picture : 0
    }

    /// Has the server paint the background into a window's pixmap, which outlives the window (Composite, NameWindowPixmap).
    ///
    /// The window has the background ParentRelative, which is the root's. It is never on the screen, hides nothing and gets no input:
    /// this program redirects it manually and does not paint it, and its input shape is empty. Where the root has the
    /// background None, ClearArea leaves the window's pixels as they are (X Protocol, section 9): the shade. Nobody else sees the
    /// window, since the server is grabbed: a compositing manager that starts could not redirect it too.
    private func copy() -> UInt32 {
        let handle = connection.handle
        guard let size = connection.geometry(of: connection.root)?.rect.size else { return 0 }
        let (window, pixmap) = (xcb_generate_id(handle), xcb_generate_id(handle))
        xcb_grab_server(handle)
        defer {
            xcb_destroy_window(handle, window)
            xcb_free_pixmap(handle, pixmap)
            xcb_ungrab_server(handle)
            xcb_flush(handle)
        }
        xcb_create_window(
            handle, UInt8(XCB_COPY_FROM_PARENT), window, connection.root, 0, 0, UInt16(clamping: size.width),
            UInt16(clamping: size.height), 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), 0,
            XCB_CW_OVERRIDE_REDIRECT.rawValue, [UInt32(1)])
        xcb_shape_rectangles(
            handle, xcb_shape_op_t(XCB_SHAPE_SO_SET.rawValue), xcb_shape_kind_t(XCB_SHAPE_SK_INPUT.rawValue), 0, window,
            0, 0, 0, nil)
        let isRedirected = connection.succeeded(
            xcb_composite_redirect_window_checked(handle, window, UInt8(XCB_COMPOSITE_REDIRECT_MANUAL.rawValue)))
        guard isRedirected else { return 0 }
        xcb_map_window(handle, window)
        guard connection.succeeded(xcb_composite_name_window_pixmap_checked(handle, window, pixmap)) else { return 0 }
        let picture = makePicture(of: pixmap)
        connection.fill(picture, [PixelRect(size: size)])
        xcb_change_window_attributes(
            handle, window, XCB_CW_BACK_PIXMAP.rawValue, [XCB_BACK_PIXMAP_PARENT_RELATIVE.rawValue])
        xcb_clear_area(handle, 0, window, 0, 0, 0, 0)
        return picture
    }
}

extension X11Connection {
    /// The colour that covers hidden windows: a dark grey, as BGRA.
    static let shade: UInt32 = 0xff28_2828

    /// Fills parts of a picture with the shade.
    func fill(_ picture: UInt32, _ rects: [PixelRect]) {
        guard !rects.isEmpty else { return }
        xcb_render_fill_rectangles(
            handle, UInt8(XCB_RENDER_PICT_OP_SRC.rawValue), picture,
            xcb_render_color_t(red: 0x2828, green: 0x2828, blue: 0x2828, alpha: 0xffff), UInt32(rects.count),
            rects.map { xcb_rectangle_t($0) })
    }
}
