// The mouse pointer. The X server leaves it out of the pixels that it gives to clients, so its image is fetched and drawn over
// them. XDamage never reports its motion.
import CXCB
import KineMedia

/// The pointer's image and place on one connection. Used by the capture thread.
final class X11Cursor {
    private let connection: X11Connection
    /// Premultiplied ARGB, `imageSize` pixels.
    private var image: [UInt32] = []
    private var imageSize = PixelSize(width: 0, height: 0)
    private var hotSpot = (x: 0, y: 0)
    private var imageIsStale = true
    private var mayHaveMoved = true
    /// The pointer's place when it was last drawn, in the frame's coordinates; nil if it was outside.
    private var drawnRect: PixelRect?
    /// False without XInput: there are then no events of motion, and every look asks for the position.
    let reportsMotion: Bool

    init(connection: X11Connection) {
        self.connection = connection
        reportsMotion = connection.inputOpcode != nil
        xcb_xfixes_select_cursor_input(
            connection.handle, connection.root, UInt32(XCB_XFIXES_CURSOR_NOTIFY_MASK_DISPLAY_CURSOR.rawValue))
        if reportsMotion { kine_select_raw_motion(connection.handle, connection.root) }
        xcb_flush(connection.handle)
    }

    func noteMotion() { mayHaveMoved = true }
    func noteImage() { imageIsStale = true }
    /// False does not mean that it stands still: no event tells that a program moves the pointer. So the position is also asked
    /// for whenever the screen has changed.
    var mayHaveChanged: Bool { mayHaveMoved || imageIsStale }

    /// Asks for the pointer's position in `window`. `update` gets the answer later, in one round trip with other requests.
    func ask(window: UInt32) -> xcb_query_pointer_cookie_t { xcb_query_pointer(connection.handle, window) }

    /// Gets the answer to `question`, for a frame that begins at `origin` of that window. Adds the pointer's old and new place
    /// to `damage`.
    func update(_ question: xcb_query_pointer_cookie_t, origin: (x: Int, y: Int), damage: inout DamageRegion) {
        var imageChanged = false
        if imageIsStale {
            imageIsStale = false
            imageChanged = fetchImage()
        }
        mayHaveMoved = false
        let position = connection.reply(question, xcb_query_pointer_reply) { reply -> (x: Int, y: Int)? in
            guard reply.pointee.same_screen != 0 else { return nil }
            return (Int(reply.pointee.win_x), Int(reply.pointee.win_y))
        }
        var rect: PixelRect?
        if let position = position ?? nil {
            let placed = PixelRect(
                origin: (position.x - origin.x - hotSpot.x, position.y - origin.y - hotSpot.y), size: imageSize)
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
        let common = drawnRect.intersection(area)
        guard !common.isEmpty else { return }
        for y in common.y..<common.maxY {
            let row = (pixels + (y - area.y) * stride).assumingMemoryBound(to: UInt32.self)
            let source = (y - drawnRect.y) * imageSize.width - drawnRect.x
            for x in common.x..<common.maxX {
                let over = image[source + x]
                let alpha = over >> 24
                if alpha == 255 {
                    row[x - area.x] = over
                } else if alpha > 0 {
                    row[x - area.x] = Self.blend(over, over: row[x - area.x])
                }
            }
        }
    }

    private static func blend(_ top: UInt32, over bottom: UInt32) -> UInt32 {
        let keep = 255 - top >> 24
        var result: UInt32 = 0
        for shift: UInt32 in [0, 8, 16] {
            let value = (top >> shift & 255) + ((bottom >> shift & 255) * keep + 127) / 255
            result |= min(value, 255) << shift
        }
        return result
    }

    /// Returns whether there is an image now. It can have any size up to a few hundred pixels.
    private func fetchImage() -> Bool {
        connection.reply(
            xcb_xfixes_get_cursor_image(connection.handle), xcb_xfixes_get_cursor_image_reply
        ) { reply in
            imageSize = PixelSize(width: Int(reply.pointee.width), height: Int(reply.pointee.height))
            hotSpot = (Int(reply.pointee.xhot), Int(reply.pointee.yhot))
            let count = Int(xcb_xfixes_get_cursor_image_cursor_image_length(reply))
            guard count >= imageSize.area, let pixels = xcb_xfixes_get_cursor_image_cursor_image(reply) else {
                imageSize = PixelSize(width: 0, height: 0)
                return false
            }
            image = Array(UnsafeBufferPointer(start: pixels, count: imageSize.area))
            return true
        } ?? false
    }
}
