// The mouse pointer's image. The X server leaves it out of the pixels that it gives to clients, so it is fetched and drawn over
// them. XDamage never reports its motion.
import CXCB
import KineMedia

/// The pointer's image on one connection, and where it was drawn. Used by the capture thread.
final class X11Cursor {
    private let connection: X11Connection
    /// The factor by which the image is enlarged.
    private let scale: Double
    private var image = OverlayImage.empty
    /// The pixel of `image` that points.
    private var hotSpot = (x: 0, y: 0)
    private var imageIsStale = true
    /// The image's place when it was last drawn, in the frame's coordinates; nil if it was outside.
    private var drawnRect: PixelRect?

    init(connection: X11Connection, scale: Double) {
        self.connection = connection
        self.scale = scale
        xcb_xfixes_select_cursor_input(
            connection.handle, connection.root, UInt32(XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR.rawValue))
    }

    func noteImage() { imageIsStale = true }
    /// Whether there may be another image.
    var mayHaveChanged: Bool { imageIsStale }

    /// Places the image at the pointer; nil: it is on another screen. Adds the old and the new place to `damage`.
    func move(to pointer: (x: Int, y: Int)?, damage: inout DamageRegion) {
        var imageChanged = false
        if imageIsStale {
            imageIsStale = false
            imageChanged = fetchImage()
        }
        var rect: PixelRect?
        if let pointer {
            let placed = PixelRect(origin: (pointer.x - hotSpot.x, pointer.y - hotSpot.y), size: image.size)
            if !placed.intersection(PixelRect(size: damage.size)).isEmpty { rect = placed }
        }
        guard rect != drawnRect || imageChanged else { return }
        if let drawnRect { damage.insert(drawnRect) }
        if let rect { damage.insert(rect) }
        drawnRect = rect
    }

    /// Draws the pointer over the pixels of `area`, which is a part of the frame.
    func draw(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        guard let drawnRect else { return }
        image.draw(at: (drawnRect.x, drawnRect.y), over: pixels, stride: stride, area: area)
    }

    /// Returns whether there is an image now. The server's can have any size up to a few hundred pixels.
    private func fetchImage() -> Bool {
        connection.reply(
            xcb_xfixes_get_cursor_image(connection.handle), xcb_xfixes_get_cursor_image_reply
        ) { reply in
            let size = PixelSize(width: Int(reply.pointee.width), height: Int(reply.pointee.height))
            let count = Int(xcb_xfixes_get_cursor_image_cursor_image_length(reply))
            guard count >= size.area, let pixels = xcb_xfixes_get_cursor_image_cursor_image(reply) else {
                image = .empty
                return false
            }
            image = OverlayImage(size: size, pixels: Array(UnsafeBufferPointer(start: pixels, count: size.area)))
                .enlarged(by: scale)
            hotSpot = (scaled(reply.pointee.xhot), scaled(reply.pointee.yhot))
            return true
        } ?? false
    }

    private func scaled(_ coordinate: UInt16) -> Int { Int((Double(coordinate) * scale).rounded()) }
}
