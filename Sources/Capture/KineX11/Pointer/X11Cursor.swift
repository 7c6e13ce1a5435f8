// The mouse pointer's image. The X server leaves it out of the pixels for clients, so it is fetched and drawn over
// them. XDamage never reports its motion.
import CXCB
import KineCapture
import KineMedia

/// The pointer's image and its drawn rectangle. Used by the capture thread.
final class X11Cursor {
    private let connection: X11Connection
    /// The factor by which the image is enlarged.
    private let scale: Double
    private var overlay = PointerOverlay()
    private var imageIsStale = true

    init(connection: X11Connection, scale: Double) {
        self.connection = connection
        self.scale = scale
        xcb_xfixes_select_cursor_input(
            connection.handle, connection.root, UInt32(XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR.rawValue))
    }

    func noteImage() { imageIsStale = true }
    var mayHaveChanged: Bool { imageIsStale }

    /// Moves the image to the pointer; nil: on another screen. Adds the old and the new rectangle to `damage`.
    func move(to pointer: (x: Int, y: Int)?, damage: inout DamageRegion) {
        if imageIsStale {
            imageIsStale = false
            fetchImage()
        }
        overlay.move(to: pointer, damage: &damage)
    }

    /// Draws the pointer over the pixels of `area`, a part of the frame.
    func draw(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        overlay.draw(over: pixels, stride: stride, area: area)
    }

    /// The server's image can have any size up to a few hundred pixels.
    private func fetchImage() {
        _ = connection.reply(
            xcb_xfixes_get_cursor_image(connection.handle), xcb_xfixes_get_cursor_image_reply
        ) { reply in
            let size = PixelSize(width: Int(reply.pointee.width), height: Int(reply.pointee.height))
            let count = Int(xcb_xfixes_get_cursor_image_cursor_image_length(reply))
            guard count >= size.area, let pixels = xcb_xfixes_get_cursor_image_cursor_image(reply) else {
                return overlay.setImage(.empty, hotSpot: (0, 0), scale: scale)
            }
            overlay.setImage(
                OverlayImage(size: size, pixels: Array(UnsafeBufferPointer(start: pixels, count: size.area))),
                hotSpot: (Int(reply.pointee.xhot), Int(reply.pointee.yhot)), scale: scale)
        }
    }
}
