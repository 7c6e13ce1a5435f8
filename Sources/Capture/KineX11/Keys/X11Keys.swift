// The newest badge of the pressed keys of a source.
import CXCB
import KineCapture
import KinePlatform

/// Used by the capture thread.
final class X11Keys {
    private let latest: LatestBadge
    private let watch: X11KeyWatch
    private(set) var picture = KeyPicture()
    /// There is a new picture since the last `collect`.
    private(set) var hasChanged = false

    /// - Parameters:
    ///   - keys: the keys to show.
    ///   - scope: the windows whose keys are shown.
    ///   - frameHeight: the frames' height, which determines the badge's.
    ///   - connection: the source's; gets an event with each new badge.
    ///   - display: the name of its server.
    ///   - cancellation: ends waits for the server.
    init(
        _ keys: KeyDisplay, in scope: KeyScope, frameHeight: Int, connection: X11Connection, display: String?,
        cancellation: Cancellation?
    ) throws(VideoSourceError) {
        // Never shown: events sent to this window come to this connection.
        let window = xcb_generate_id(connection.handle)
        xcb_create_window(
            connection.handle, 0, window, connection.root, -1, -1, 1, 1, 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue),
            0, 0, nil)
        xcb_flush(connection.handle)
        let latest = LatestBadge(window: window)
        self.latest = latest
        let badge = try KeyBadge(frameHeight: frameHeight)
        watch = try X11KeyWatch("keys", .keys, display: display, cancellation: cancellation) {
            (connection) throws(VideoSourceError) in
            try X11KeyLoop(keys, in: scope, badge: badge, latest: latest, connection: connection)
        }
    }

    deinit { watch.end() }

    /// There is a new picture.
    func note() {
        picture = latest.picture
        hasChanged = true
    }

    func collect() { hasChanged = false }
}
