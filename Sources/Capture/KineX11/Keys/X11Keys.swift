// The badge of the pressed keys, in the frames of a source.
import CXCB
import KineCapture
import KineMedia
import KinePlatform

/// The drawn badge and the current one. Used by the capture thread.
final class X11Keys {
    private let latest: LatestBadge
    private let watch: X11KeyWatch
    private let hold: Int64
    private var picture = LatestBadge.Picture()
    private var fading = BadgeFading.gone
    private var drawn: (image: OverlayImage, rect: PixelRect)?
    private var drawnSince: Int64 = 0
    private var drawnFrame = PixelSize(width: 0, height: 0)
    private var drawnFading = BadgeFading.gone

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
        hold = keys.hold
        // Never shown: events sent to this window come to this connection.
        let window = xcb_generate_id(connection.handle)
        xcb_create_window(
            connection.handle, 0, window, connection.root, -1, -1, 1, 1, 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue),
            0, 0, nil)
        xcb_flush(connection.handle)
        latest = LatestBadge(window: window)
        watch = try X11KeyWatch(
            keys, in: scope, badge: KeyBadge(frameHeight: frameHeight), latest: latest, display: display,
            cancellation: cancellation)
    }

    deinit { watch.end() }

    /// There is a new picture.
    func note() { picture = latest.picture }

    func advance(to now: Int64) { fading = BadgeFading(shownSince: picture.since, hold: hold, at: now) }

    /// When the badge changes by itself (CLOCK_MONOTONIC), if it does.
    var deadline: Int64? { fading.end(shownSince: picture.since, hold: hold) }

    /// Whether the badge differs from the drawn one.
    var hasChanged: Bool { fading != drawnFading || fading != .gone && picture.since != drawnSince }

    /// Prepares the current badge for a frame of the damage's size. Adds the old and the new rectangle.
    func update(damage: inout DamageRegion) {
        guard hasChanged || drawn != nil && damage.size != drawnFrame else { return }
        if let drawn { damage.insert(drawn.rect) }
        (drawnFading, drawnSince, drawnFrame) = (fading, picture.since, damage.size)
        drawn = fading.opacity.map { opacity in
            let (badge, frame) = (picture.image.size, damage.size)
            let place = ((frame.width - badge.width) / 2, frame.height - badge.height - badge.height / 2)
            return (picture.image.faded(to: opacity), PixelRect(origin: place, size: badge))
        }
        if let drawn { damage.insert(drawn.rect) }
    }

    /// Draws the badge over the pixels of `area`, a part of the frame.
    func draw(over pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        guard let drawn else { return }
        drawn.image.draw(at: (drawn.rect.x, drawn.rect.y), over: pixels, stride: stride, area: area)
    }
}
