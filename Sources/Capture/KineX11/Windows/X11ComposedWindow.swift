// One of the windows that are put together to a picture: its pixmap on the server, and the part that its program has painted.
import CXCB
import KineCapture
import KineMedia

/// A child of the root window that the server draws into a pixmap, even where other windows cover it. Used by the
/// capture thread.
final class X11ComposedWindow {
    let window: UInt32
    /// With its border, in the screen's coordinates.
    private(set) var bounds: PixelRect
    /// Without its border.
    var content: PixelRect {
        PixelRect(
            x: bounds.x + borderWidth, y: bounds.y + borderWidth, width: bounds.width - 2 * borderWidth,
            height: bounds.height - 2 * borderWidth)
    }
    private let connection: X11Connection
    private let format: UInt32
    private var pixmap: UInt32 = 0
    private var picture: UInt32 = 0
    private let damage: UInt32
    private let damaged: UInt32
    private(set) var isDamaged = false
    /// A region in the window's coordinates that still shows the old screen contents; 0: none. The server fills a new
    /// pixmap with the screen's contents.
    private var unpainted: UInt32 = 0
    /// When the whole pixmap counts as painted (CLOCK_MONOTONIC); nil: it does already, or only damage tells.
    private(set) var paintedAt: Int64?
    private var borderWidth: Int
    private let tracksPainting: Bool
    /// It had a pixmap before this object redirected it: another program redirects it, or its visual needs one.
    private(set) var hadPixmap = false
    private var isRedirected = false

    /// Nanoseconds for an application to paint a window that was opened or resized.
    static let paintingTime: Int64 = 200_000_000

    /// Nil if the window has gone. Grabs the server for a few requests, so that nothing moves between them.
    ///
    /// - Parameters:
    ///   - isNew: the window was opened just now, and may not be painted yet.
    ///   - tracksPainting: leave out what the application has not painted. Otherwise the pixmap is drawn as it is.
    ///   - format: the format of the window's pixels, by its visual.
    init?(
        _ window: UInt32, isNew: Bool, tracksPainting: Bool = true, at now: Int64, connection: X11Connection,
        format: (UInt32) -> UInt32?
    ) {
        let handle = connection.handle
        xcb_grab_server(handle)
        defer {
            xcb_ungrab_server(handle)
            xcb_flush(handle)
        }
        guard let geometry = connection.geometry(of: window),
            let attributes = connection.attributes(of: window), let format = format(attributes.visual)
        else { return nil }
        self.window = window
        self.connection = connection
        self.format = format
        self.tracksPainting = tracksPainting
        bounds = geometry.rect.enlarged(by: geometry.border)
        borderWidth = geometry.border
        (damage, damaged) = (xcb_generate_id(handle), xcb_generate_id(handle))
        xcb_xfixes_create_region(handle, damaged, 0, nil)
        // Before anything else: the server may paint the window while it gets a pixmap.
        let level = tracksPainting ? XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY : XCB_DAMAGE_REPORT_LEVEL_BOUNDING_BOX
        xcb_damage_create(handle, damage, window, UInt8(level.rawValue))
        xcb_damage_subtract(handle, damage, 0, 0)  // at first, all of the window is damaged
        // If another program, such as a compositing manager, redirects the window, its pixmap has only its own pixels. It is
        // kept when that program ends.
        hadPixmap = renewPixmap()
        if !hadPixmap, tracksPainting { unpainted = Self.regionCovered(window, connection) }
        xcb_composite_redirect_window(handle, window, UInt8(XCB_COMPOSITE_REDIRECT_AUTOMATIC.rawValue))
        isRedirected = true
        guard hadPixmap || renewPixmap() else { return nil }
        if isNew { expectPainting(at: now) }
        xcb_shape_select_input(handle, window, 1)
    }

    deinit {
        let handle = connection.handle
        if picture != 0 { xcb_render_free_picture(handle, picture) }
        if pixmap != 0 { xcb_free_pixmap(handle, pixmap) }
        if unpainted != 0 { xcb_xfixes_destroy_region(handle, unpainted) }
        xcb_xfixes_destroy_region(handle, damaged)
        xcb_damage_destroy(handle, damage)
        xcb_shape_select_input(handle, window, 0)
        guard isRedirected else { return }
        xcb_composite_unredirect_window(handle, window, UInt8(XCB_COMPOSITE_REDIRECT_AUTOMATIC.rawValue))
    }

    private static func regionCovered(_ window: UInt32, _ connection: X11Connection) -> UInt32 {
        let handle = connection.handle
        let (region, part) = (xcb_generate_id(handle), xcb_generate_id(handle))
        xcb_xfixes_create_region(handle, region, 0, nil)
        for other in connection.children(of: connection.root).drop(while: { $0 != window }).dropFirst() {
            guard X11Layout.isShown(other, connection), let place = connection.contentOrigin(of: other, in: window)
            else {
                continue
            }
            xcb_xfixes_create_region_from_window(
                handle, part, other, xcb_shape_kind_t(XCB_SHAPE_SK_BOUNDING.rawValue))
            xcb_xfixes_translate_region(handle, part, Int16(clamping: place.x), Int16(clamping: place.y))
            xcb_xfixes_union_region(handle, region, part, region)
            xcb_xfixes_destroy_region(handle, part)
        }
        return region
    }

    /// Gets the window's current pixmap. Returns false if it has none.
    private func renewPixmap() -> Bool {
        guard let fresh = connection.namePixmap(of: window) else { return false }
        if picture != 0 { xcb_render_free_picture(connection.handle, picture) }
        if pixmap != 0 { xcb_free_pixmap(connection.handle, pixmap) }
        pixmap = fresh
        picture = xcb_generate_id(connection.handle)
        xcb_render_create_picture(connection.handle, picture, pixmap, format, 0, nil)
        return true
    }

    /// Marks the whole pixmap as unpainted. The application has some time to paint it.
    private func expectPainting(at now: Int64) {
        if unpainted != 0 { xcb_xfixes_destroy_region(connection.handle, unpainted) }
        unpainted = xcb_generate_id(connection.handle)
        var all = xcb_rectangle_t(
            x: Int16(clamping: -borderWidth), y: Int16(clamping: -borderWidth), width: UInt16(clamping: bounds.width),
            height: UInt16(clamping: bounds.height))
        xcb_xfixes_create_region(connection.handle, unpainted, 1, &all)
        paintedAt = now + Self.paintingTime
    }

    func noteDamage() { isDamaged = true }

    /// Notes damage of a window whose painting is not tracked. Returns the rectangle around all its damage since `forgetDamage`, in the
    /// screen's coordinates: the server reports that whenever it becomes larger.
    func note(_ event: xcb_damage_notify_event_t) -> PixelRect {
        isDamaged = true
        let (area, content) = (event.area, content)
        return PixelRect(
            x: content.x + Int(area.x), y: content.y + Int(area.y), width: Int(area.width), height: Int(area.height))
    }

    /// Call before the pixels are read: damage after that is reported again.
    func forgetDamage() {
        guard isDamaged else { return }
        isDamaged = false
        xcb_damage_subtract(connection.handle, damage, 0, 0)
    }

    /// Notes the window's position, size and border. Returns whether it has a new pixmap too.
    func place(at rect: PixelRect, border: Int, _ now: Int64) -> Bool {
        let old = bounds
        (bounds, borderWidth) = (rect.enlarged(by: border), border)
        guard bounds.size != old.size, renewPixmap() else { return false }
        guard tracksPainting else { return true }
        expectPainting(at: now)
        // The old pixmap's damage does not apply to the new one.
        xcb_damage_subtract(connection.handle, damage, 0, 0)
        isDamaged = false
        return true
    }

    /// Shows the whole pixmap once its time to be painted is over. Returns whether that happened now.
    func expire(at now: Int64) -> Bool {
        guard let paintedAt, paintedAt <= now else { return false }
        self.paintedAt = nil
        xcb_xfixes_destroy_region(connection.handle, unpainted)
        unpainted = 0
        return true
    }

    /// Requests the damage since the last request.
    func askForDamage() -> xcb_xfixes_fetch_region_cookie_t {
        isDamaged = false
        xcb_damage_subtract(connection.handle, damage, 0, damaged)
        if unpainted != 0 { xcb_xfixes_subtract_region(connection.handle, unpainted, damaged, unpainted) }
        return xcb_xfixes_fetch_region(connection.handle, damaged)
    }

    /// The damaged rectangles, in the screen's coordinates.
    func rectangles(_ question: xcb_xfixes_fetch_region_cookie_t) -> [PixelRect] {
        connection.rectangles(question).map { $0.offset(x: bounds.x + borderWidth, y: bounds.y + borderWidth) }
    }

    /// Draws the window into a picture that begins at `origin` of the screen, within `region` of that picture, to which it leaves the
    /// target clipped. `isBlended`: what lies below is seen through clear pixels.
    func draw(into target: UInt32, at origin: (x: Int, y: Int), within region: UInt32, isBlended: Bool = true) {
        let handle = connection.handle
        let clip = xcb_generate_id(handle)
        let (x, y) = (bounds.x - origin.x, bounds.y - origin.y)
        // The current shape, for example round corners.
        xcb_xfixes_create_region_from_window(handle, clip, window, xcb_shape_kind_t(XCB_SHAPE_SK_BOUNDING.rawValue))
        if unpainted != 0 { xcb_xfixes_subtract_region(handle, clip, unpainted, clip) }
        xcb_xfixes_translate_region(handle, clip, Int16(clamping: x + borderWidth), Int16(clamping: y + borderWidth))
        xcb_xfixes_intersect_region(handle, clip, region, clip)
        xcb_xfixes_set_picture_clip_region(handle, target, clip, 0, 0)
        let operation = isBlended ? XCB_RENDER_PICT_OP_OVER : XCB_RENDER_PICT_OP_SRC
        xcb_render_composite(
            handle, UInt8(operation.rawValue), picture, 0, target, 0, 0, 0, 0, Int16(clamping: x),
            Int16(clamping: y), UInt16(clamping: bounds.width), UInt16(clamping: bounds.height))
        xcb_xfixes_destroy_region(handle, clip)
    }
}

extension xcb_rectangle_t {
    /// Clamped to the numbers that X has for places.
    init(_ rect: PixelRect) {
        self.init(
            x: Int16(clamping: rect.x), y: Int16(clamping: rect.y), width: UInt16(clamping: rect.width),
            height: UInt16(clamping: rect.height))
    }
}

extension PixelRect {
    /// The rectangle with a border around it. X's position of a window is the border's.
    func enlarged(by border: Int) -> PixelRect {
        PixelRect(x: x, y: y, width: width + 2 * border, height: height + 2 * border)
    }
}

/// The pixmap of one window. Used by the capture thread.
final class X11WindowPixmap {
    let window: UInt32
    private let connection: X11Connection
    let packing: PackedPixels
    private(set) var id: UInt32 = 0
    private(set) var size = PixelSize(width: 0, height: 0)
    /// The position of the window's content in the pixmap, inside the border.
    private(set) var origin = (x: 0, y: 0)
    /// The position of the window's content on the screen, at the last `renew`.
    private(set) var place = (x: 0, y: 0)
    /// A child of the root window, and whether `window` is it or lies in it; nil: none was asked for since the last `renew`.
    private var known: (top: UInt32, isInside: Bool)?

    init(window: UInt32, connection: X11Connection) throws(VideoSourceError) {
        self.window = window
        self.connection = connection
        guard connection.hasComposite else { throw .noComposite }
        guard let attributes = connection.attributes(of: window), let visual = connection.visuals[attributes.visual]
        else { throw .noWindow(window) }
        guard let packing = visual.packing else { throw .unsupportedWindowDepth(bits: visual.depth, window) }
        self.packing = packing
        connection.select(UInt32(XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue), of: window)
        xcb_composite_redirect_window(connection.handle, window, UInt8(XCB_COMPOSITE_REDIRECT_AUTOMATIC.rawValue))
        guard renew() else { throw .windowNotShown(window) }
    }

    deinit { if id != 0 { xcb_free_pixmap(connection.handle, id) } }

    /// Gets the window's current pixmap: it has a new one whenever it is resized or shown. If it has none now, returns
    /// false and keeps the last one.
    func renew() -> Bool {
        guard let geometry = connection.geometry(of: window), let fresh = connection.namePixmap(of: window) else {
            return false
        }
        if id != 0 { xcb_free_pixmap(connection.handle, id) }
        id = fresh
        known = nil
        size = geometry.rect.size
        origin = (geometry.border, geometry.border)
        place = connection.contentOrigin(of: window, in: connection.root) ?? place
        return true
    }

    /// Whether the window is that child of the root window, or lies in it.
    func isInside(_ top: UInt32) -> Bool {
        if let known, known.top == top { return known.isInside }
        var ancestor = window
        while let parent = connection.parent(of: ancestor), parent != connection.root, parent != 0 { ancestor = parent }
        known = (top, ancestor == top)
        return ancestor == top
    }
}
