// The screen while a person draws a region: a still picture, dark except for the selection.
import CXCB
import Glibc
import KineCapture
import KineMedia

/// A window over the whole screen, above all others. It bypasses the window manager and the compositing manager: it
/// shows a copy of the screen in the server. Removed with this object or the connection.
final class X11RegionOverlay {
    let screen: PixelSize
    private let connection: X11Connection
    private let window: UInt32
    private let context: UInt32
    /// The screen's original picture, the dark one, and the window's contents.
    private let bright: UInt32
    private let dark: UInt32
    private let canvas: UInt32
    /// The bright rectangle.
    private(set) var shown: PixelRect?
    /// The part of the canvas that differs from the dark picture.
    private var drawn = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private let depth: UInt8
    /// The application in its WM_CLASS, which tells it from a locker.
    static let application = "Kinecast"
    private let visual: X11Visual

    /// Copies the screen and covers it. `cursor` is the mouse image over it.
    init(_ connection: X11Connection, cursor: UInt32) throws(VideoSourceError) {
        let handle = connection.handle
        let root = connection.reply(xcb_get_geometry(handle, connection.root), xcb_get_geometry_reply) {
            (depth: $0.pointee.depth, size: PixelSize(width: Int($0.pointee.width), height: Int($0.pointee.height)))
        }
        guard let root, let visual = connection.visuals[connection.rootVisual] else { throw .serverLost }
        self.connection = connection
        (screen, depth, self.visual) = (root.size, root.depth, visual)
        (window, context) = (xcb_generate_id(handle), xcb_generate_id(handle))
        (bright, dark, canvas) = (xcb_generate_id(handle), xcb_generate_id(handle), xcb_generate_id(handle))
        for pixmap in [bright, dark, canvas] {
            xcb_create_pixmap(
                handle, root.depth, pixmap, connection.root, UInt16(root.size.width), UInt16(root.size.height))
        }
        // White on black. The copy includes the windows on the screen.
        xcb_create_gc(
            handle, context, connection.root,
            XCB_GC_FOREGROUND.rawValue | XCB_GC_BACKGROUND.rawValue | XCB_GC_SUBWINDOW_MODE.rawValue
                | XCB_GC_GRAPHICS_EXPOSURES.rawValue,
            [visual.white, 0, XCB_SUBWINDOW_MODE_INCLUDE_INFERIORS.rawValue, 0])
        Self.set(font: "fixed", of: context, on: handle)
        let whole = PixelRect(size: root.size)
        copy(whole, of: connection.root, to: bright)
        darken()
        copy(whole, of: dark, to: canvas)
        xcb_create_window(
            handle, UInt8(XCB_COPY_FROM_PARENT), window, connection.root, 0, 0, UInt16(root.size.width),
            UInt16(root.size.height), 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), 0,
            XCB_CW_BACK_PIXMAP.rawValue | XCB_CW_OVERRIDE_REDIRECT.rawValue | XCB_CW_EVENT_MASK.rawValue
                | XCB_CW_CURSOR.rawValue,
            [XCB_BACK_PIXMAP_NONE.rawValue, 1, XCB_EVENT_MASK_EXPOSURE.rawValue, cursor])
        let name = Array("kinecast\0\(Self.application)\0".utf8)
        xcb_change_property(
            handle, UInt8(XCB_PROP_MODE_REPLACE.rawValue), window, UInt32(XCB_ATOM_WM_CLASS.rawValue),
            UInt32(XCB_ATOM_STRING.rawValue), 8, UInt32(name.count), name)
        xcb_configure_window(
            handle, window, UInt16(XCB_CONFIG_WINDOW_STACK_MODE.rawValue), [XCB_STACK_MODE_ABOVE.rawValue])
        xcb_map_window(handle, window)
        xcb_flush(handle)
    }

    deinit {
        xcb_destroy_window(connection.handle, window)
        xcb_free_gc(connection.handle, context)
        for pixmap in [bright, dark, canvas] { xcb_free_pixmap(connection.handle, pixmap) }
        xcb_flush(connection.handle)
    }

    private static func set(font name: String, of context: UInt32, on handle: OpaquePointer) {
        let font = xcb_generate_id(handle)
        xcb_open_font(handle, font, UInt16(name.utf8.count), name)
        xcb_change_gc(handle, context, XCB_GC_FONT.rawValue, [font])
        xcb_close_font(handle, font)
    }

    /// Shows the rectangle bright, with its size beside it.
    func show(_ rect: PixelRect) {
        shown = rect
        restore { () -> PixelRect in
            copy(rect, of: bright, to: canvas)
            var outline = xcb_rectangle_t(
                x: Int16(rect.x - 1), y: Int16(rect.y - 1), width: UInt16(rect.width + 1),
                height: UInt16(rect.height + 1))
            xcb_poly_rectangle(connection.handle, canvas, context, 1, &outline)
            let size = "\(rect.width)x\(rect.height)"
            // Above the rectangle if there is room, otherwise inside.
            let label = write(size, x: rect.x, y: rect.y < Self.lineHeight ? rect.y + 2 : rect.y - Self.lineHeight)
            return PixelRect(x: rect.x - 1, y: rect.y - 1, width: rect.width + 2, height: rect.height + 2)
                .union(label)
        }
    }

    /// Shows a line of text, and no rectangle.
    func show(_ hint: String, beside point: PixelPoint) {
        restore { write(hint, x: point.x + Self.lineHeight, y: point.y + Self.lineHeight) }
    }

    /// Hides the overlay. The windows below repaint.
    func hide() { xcb_unmap_window(connection.handle, window) }

    /// Repaints the window after something was drawn over it.
    func repaint() {
        copy(PixelRect(size: screen), of: canvas, to: window)
        xcb_flush(connection.handle)
    }

    /// For any font that servers call "fixed"; most are 6×13.
    private static let lineHeight = 20
    private static let mostCharacterWidth = 10

    /// Draws on the dark canvas, and shows the changes. `body` returns the rectangle that it has drawn.
    private func restore(_ body: () -> PixelRect) {
        copy(drawn, of: dark, to: canvas)
        let new = body().intersection(PixelRect(size: screen))
        copy(drawn.union(new), of: canvas, to: window)
        drawn = new
        xcb_flush(connection.handle)
    }

    /// Draws a line within the screen. Returns its rectangle.
    private func write(_ text: String, x: Int, y: Int) -> PixelRect {
        let width = text.utf8.count * Self.mostCharacterWidth
        let place = PixelRect(
            x: max(0, min(x, screen.width - width)), y: max(0, min(y, screen.height - Self.lineHeight)), width: width,
            height: Self.lineHeight)
        xcb_image_text_8(
            connection.handle, UInt8(clamping: text.utf8.count), canvas, context, Int16(place.x),
            Int16(place.y + Self.lineHeight - 5), text)
        return place
    }

    private func copy(_ rect: PixelRect, of source: UInt32, to target: UInt32) {
        guard !rect.isEmpty else { return }
        xcb_copy_area(
            connection.handle, source, target, context, Int16(rect.x), Int16(rect.y), Int16(rect.x), Int16(rect.y),
            UInt16(rect.width), UInt16(rect.height))
    }

    /// Makes the dark picture: X11 itself cannot compute with pixels.
    private func darken() {
        let reader = X11PixelReader(connection: connection)
        let half = visual.halfMask
        _ = reader.read(X11ReadPlan(.full(size: screen)), at: (0, 0), of: bright) { rect, pixels, stride in
            let words = pixels.assumingMemoryBound(to: UInt32.self)
            for index in 0..<rect.size.area { words[index] = words[index] >> 1 & half }
            // A request has at most 256 KiB.
            let rows = max(1, 200_000 / stride)
            for top in Swift.stride(from: 0, to: rect.height, by: rows) {
                let height = min(rows, rect.height - top)
                xcb_put_image(
                    connection.handle, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), dark, context, UInt16(rect.width),
                    UInt16(height), Int16(rect.x), Int16(rect.y + top), 0, depth, UInt32(stride * height),
                    (pixels + top * stride).assumingMemoryBound(to: UInt8.self))
            }
        }
    }
}
