// The content of one window, also where others cover it: XComposite draws the window into a pixmap of its own.
import CXCB
import KineCapture
import KineMedia

/// The pixmap behind one window. Used by the capture thread.
final class X11WindowPixmap {
    let window: UInt32
    private let connection: X11Connection
    /// The packing of its pixels.
    let packing: PackedPixels
    private(set) var id: UInt32 = 0
    private(set) var size = PixelSize(width: 0, height: 0)
    /// The place in the pixmap where the window's content begins: inside the border.
    private(set) var origin = (x: 0, y: 0)

    init(window: UInt32, connection: X11Connection) throws(VideoSourceError) {
        self.window = window
        self.connection = connection
        guard connection.hasComposite else { throw .noComposite }
        guard let visual = connection.visual(of: window) else { throw .noWindow(window) }
        guard let packing = visual.packing else { throw .unsupportedWindowDepth(bits: visual.depth, window) }
        self.packing = packing
        connection.select(UInt32(XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue), of: window)
        xcb_composite_redirect_window(connection.handle, window, UInt8(XCB_COMPOSITE_REDIRECT_AUTOMATIC.rawValue))
        guard renew() else { throw .windowNotShown(window) }
    }

    deinit { if id != 0 { xcb_free_pixmap(connection.handle, id) } }

    /// Gets the window's present pixmap: it has a new one whenever it is resized or shown. If it has none now, returns false
    /// and keeps the last one.
    func renew() -> Bool {
        guard let geometry = connection.geometry(of: window) else { return false }
        let fresh = xcb_generate_id(connection.handle)
        guard
            connection.succeeded(
                xcb_composite_name_window_pixmap_checked(connection.handle, window, fresh))
        else { return false }
        if id != 0 { xcb_free_pixmap(connection.handle, id) }
        id = fresh
        size = geometry.rect.size
        origin = (geometry.border, geometry.border)
        return true
    }
}
