// The mouse pointer's image, which the X server leaves out of the pixels for clients.
import CXCB
import KineCapture
import KineMedia

/// The pointer's image. Used by the capture thread.
final class X11Cursor {
    private let connection: X11Connection
    private var image: PointerState.Image?
    private var imageIsStale = true

    init(connection: X11Connection) {
        self.connection = connection
        xcb_xfixes_select_cursor_input(
            connection.handle, connection.root, UInt32(XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR.rawValue))
    }

    func noteImage() { imageIsStale = true }
    var mayHaveChanged: Bool { imageIsStale }

    /// The newest image.
    func current() -> PointerState.Image? {
        if imageIsStale {
            imageIsStale = false
            fetchImage()
        }
        return image
    }

    /// The server's image can have any size up to a few hundred pixels.
    private func fetchImage() {
        _ = connection.reply(
            xcb_xfixes_get_cursor_image(connection.handle), xcb_xfixes_get_cursor_image_reply
        ) { reply in
            let size = PixelSize(width: Int(reply.pointee.width), height: Int(reply.pointee.height))
            let count = Int(xcb_xfixes_get_cursor_image_cursor_image_length(reply))
            guard count >= size.area, let pixels = xcb_xfixes_get_cursor_image_cursor_image(reply) else {
                image = PointerState.Image(.empty, hotSpot: (0, 0))
                return
            }
            image = PointerState.Image(
                OverlayImage(size: size, pixels: Array(UnsafeBufferPointer(start: pixels, count: size.area))),
                hotSpot: (Int(reply.pointee.xhot), Int(reply.pointee.yhot)))
        }
    }
}
