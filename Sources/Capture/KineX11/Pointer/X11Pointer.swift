// The place of the mouse pointer. Events tell only that a mouse has moved, not where the pointer is then.
import CXCB

/// The pointer's place on one connection. Used by the capture thread.
final class X11Pointer {
    private let connection: X11Connection
    /// Whether it may have another place than the last answer said. False does not mean that it stands still: no event tells that a
    /// program moves the pointer. So the place is also asked for whenever the screen has changed.
    private(set) var mayHaveMoved = true

    /// The place, on the screen, at which the server put the pointer when it started, while it stands there; nil: the pointer has
    /// moved, or is a person's.
    private var untouched: (x: Int, y: Int)?

    /// - Parameter isPrivate: the screen belongs to the take and has no mouse.
    init(connection: X11Connection, isPrivate: Bool) {
        self.connection = connection
        // dix puts the pointer into the middle (InitializeSprite of the X server).
        if isPrivate { untouched = (connection.initialSize.width / 2, connection.initialSize.height / 2) }
    }

    /// Whether a program or a person moved the pointer. Up to date when `place` has returned.
    var hasMoved: Bool { untouched == nil }

    func noteMotion() { mayHaveMoved = true }

    /// Asks for the place in `window`. `place` gets the answer later, in one round trip with other requests.
    func ask(window: UInt32) -> xcb_query_pointer_cookie_t { xcb_query_pointer(connection.handle, window) }

    /// The answer to `question`, for a frame that begins at `origin` of that window; nil: the pointer is on another screen.
    func place(_ question: xcb_query_pointer_cookie_t, origin: (x: Int, y: Int)) -> (x: Int, y: Int)? {
        mayHaveMoved = false
        let place = connection.reply(question, xcb_query_pointer_reply) { reply -> (x: Int, y: Int)? in
            if let untouched, (Int(reply.pointee.root_x), Int(reply.pointee.root_y)) != untouched {
                self.untouched = nil
            }
            guard reply.pointee.same_screen != 0 else { return nil }
            return (Int(reply.pointee.win_x) - origin.x, Int(reply.pointee.win_y) - origin.y)
        }
        return place ?? nil
    }
}
