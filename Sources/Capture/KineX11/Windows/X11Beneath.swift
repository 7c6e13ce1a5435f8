// What lies beneath hidden windows: the other windows there, from their own pixmaps, over the root's background.
import CXCB
import KineCapture
import KineMedia

/// Draws the places of hidden windows from all other windows that reach into them, also from those above: no pixel of the
/// screen is used there, so none depends on what a window has uncovered just now. Used by the capture thread.
///
/// X.Org's server fills a window's new pixmap, when the window is redirected, shown or resized, with what the screen shows
/// there (compNewPixmap). That may be a hidden window, and it stays where the window has no background and its program
/// paints nothing. Damage does not tell what was painted: the server also reports what another window uncovers. So
/// these parts are filled with the shade, and the program is asked to paint them (`clean`); until it has, they are covered.
///
/// After that the named pixmaps have no pixel of a hidden window, whatever happens meanwhile: a window that is resized gets
/// another pixmap, which is unknown here until its event is handled. Only a window that becomes a hidden one, or
/// that one is moved into, makes what was drawn invalid; then windows are searched again (`X11Exclusions.searches`).
/// A window from before the take that a compositing manager redirects counts as painted.
final class X11Beneath {
    private let connection: X11Connection
    private let formats: X11PictureFormats
    private let packing: PackedPixels
    private let background: X11RootBackground
    private let reader: X11PixelReader
    private var stack = X11WindowStack()
    /// The windows that reach into the places.
    private var windows: [UInt32: X11ComposedWindow] = [:]
    /// Windows that could not be redirected. Their places are covered.
    private var failed: Set<UInt32> = []
    /// The places to draw, in the screen's coordinates, and the hidden windows, as of the last `update`.
    private var places: [PixelRect] = []
    private var hidden: Set<UInt32> = []
    private var isComposited = false
    /// The places may look otherwise than at the last call of `addDamage`, apart from what windows have painted.
    private var isChanged = true
    /// The parts of places that windows have painted since.
    private var painted: [PixelRect] = []
    /// The picture in which the places are drawn. It has the frame's size.
    private var canvas: (pixmap: UInt32, picture: UInt32, size: PixelSize)?
    /// The parts of the frame that are drawn in it, and not read.
    private var ready: [PixelRect] = []
    /// The parts of the frame that were drawn last, and the pixels that were read, valid until the next reading.
    private(set) var drawn: [PixelRect] = []
    private var parts: [(rect: PixelRect, pixels: UnsafeMutableRawPointer, stride: Int)] = []

    /// Whether the server lets a take draw what lies beneath, and the background is known now.
    static func isPossible(on connection: X11Connection) -> Bool {
        connection.hasComposite && connection.shapeEvent != nil && X11RootBackground.isKnown(on: connection)
    }

    /// Nil: the server lacks Composite, Render or Shape. The connection has subscribed to the root's events, and has
    /// handled none.
    init?(connection: X11Connection) {
        guard connection.hasComposite, connection.shapeEvent != nil, let packing = connection.rootPacking,
            let formats = X11PictureFormats(connection: connection)
        else { return nil }
        self.connection = connection
        self.formats = formats
        self.packing = packing
        background = X11RootBackground(connection: connection, format: formats.root)
        reader = X11PixelReader(connection: connection)
        findWindows()
    }

    deinit { freeCanvas() }

    /// Nothing changes meanwhile, and the events until then are older than the answers.
    private func findWindows() {
        let handle = connection.handle
        xcb_grab_server(handle)
        defer {
            xcb_ungrab_server(handle)
            xcb_flush(handle)
        }
        let questions = connection.children(of: connection.root).map {
            (id: $0, attributes: xcb_get_window_attributes(handle, $0), geometry: xcb_get_geometry(handle, $0))
        }
        for question in questions {
            let isShown =
                connection.reply(question.attributes, xcb_get_window_attributes_reply) {
                    $0.pointee.map_state == UInt8(XCB_MAP_STATE_VIEWABLE.rawValue)
                } ?? false
            let bounds = connection.reply(question.geometry, xcb_get_geometry_reply) {
                let g = $0.pointee
                return PixelRect(x: Int(g.x), y: Int(g.y), width: Int(g.width), height: Int(g.height))
                    .enlarged(by: Int(g.border_width))
            }
            guard let bounds else { continue }
            stack.insert(X11WindowStack.Window(id: question.id, bounds: bounds, isShown: isShown))
        }
        connection.forEachEvent { _ in }
    }

    var hasChanged: Bool { isChanged || !painted.isEmpty }

    /// A compositing manager has started or ended.
    func noteManager() { (background.isStale, isChanged) = (true, true) }

    /// Returns whether the event concerns no other object.
    func note(_ event: X11Event, at now: Int64) -> Bool {
        if event.kind == connection.damageEvent + UInt8(XCB_DAMAGE_NOTIFY) {
            let damage = event.read(xcb_damage_notify_event_t.self)
            if let rect = windows[damage.drawable]?.note(damage) {
                painted += places.map { $0.intersection(rect) }.filter { !$0.isEmpty }
            }
            return damage.drawable != connection.root
        }
        if event.kind == connection.shapeEvent {
            let window = windows[event.read(xcb_shape_notify_event_t.self).affected_window]
            if let window { change([window.bounds]) }
            return false
        }
        switch Int32(event.kind) {
        case XCB_CREATE_NOTIFY:
            let e = event.read(xcb_create_notify_event_t.self)
            let rect = PixelRect(x: Int(e.x), y: Int(e.y), width: Int(e.width), height: Int(e.height))
            if e.parent == connection.root { insert(e.window, rect.enlarged(by: Int(e.border_width))) }
        case XCB_REPARENT_NOTIFY:
            let e = event.read(xcb_reparent_notify_event_t.self)
            if e.parent != connection.root {
                remove(e.window)
            } else if let geometry = connection.geometry(of: e.window) {
                insert(e.window, geometry.rect.enlarged(by: geometry.border))
            }
        case XCB_DESTROY_NOTIFY: remove(event.read(xcb_destroy_notify_event_t.self).window)
        case XCB_MAP_NOTIFY:
            let window = event.read(xcb_map_notify_event_t.self).window
            failed.remove(window)
            change(stack.show(window))
        case XCB_UNMAP_NOTIFY:
            let window = event.read(xcb_unmap_notify_event_t.self).window
            windows[window] = nil
            change(stack.hide(window))
        case XCB_CONFIGURE_NOTIFY: noteConfiguration(event.read(xcb_configure_notify_event_t.self), now)
        case XCB_CIRCULATE_NOTIFY:
            let e = event.read(xcb_circulate_notify_event_t.self)
            change(stack.circulate(e.window, isToTop: UInt32(e.place) == XCB_PLACE_ON_TOP.rawValue))
        case XCB_PROPERTY_NOTIFY:
            let e = event.read(xcb_property_notify_event_t.self)
            if e.window == connection.root, e.atom == connection.atom("_XROOTPMAP_ID") {
                (background.isStale, isChanged) = (true, true)
            }
        default: break
        }
        return false
    }

    private func noteConfiguration(_ e: xcb_configure_notify_event_t, _ now: Int64) {
        // The root itself, which has another size.
        if e.window == connection.root { return background.isStale = true }
        let (rect, border) = (
            PixelRect(x: Int(e.x), y: Int(e.y), width: Int(e.width), height: Int(e.height)), Int(e.border_width)
        )
        change(stack.configure(e.window, rect.enlarged(by: border), above: e.above_sibling))
        _ = windows[e.window]?.place(at: rect, border: border, now)
    }

    private func insert(_ window: UInt32, _ bounds: PixelRect) {
        if !connection.isOwn(window) { stack.insert(X11WindowStack.Window(id: window, bounds: bounds)) }
    }

    private func remove(_ window: UInt32) {
        windows[window] = nil
        failed.remove(window)
        change(stack.remove(window))
    }

    private func change(_ rects: [PixelRect]) {
        if rects.contains(where: { rect in places.contains { !$0.intersection(rect).isEmpty } }) { isChanged = true }
    }

    /// As `X11WindowStack.look`.
    func look(finding ids: Set<UInt32>) -> [PixelRect] { stack.look(finding: ids) }

    /// Notes the places to draw, and redirects the windows that reach into them, but for the `hidden` ones. Call after all events.
    /// Returns whether it has asked the server, whose replies may have brought further events.
    func update(_ places: [PixelRect], except hidden: Set<UInt32>, isComposited: Bool, at now: Int64) -> Bool {
        (self.places, self.hidden, self.isComposited) = (places, hidden, isComposited)
        stack.endLook()
        let needed = stack.shown(in: places, except: hidden).map(\.id)
        for id in Array(windows.keys) where !needed.contains(id) { windows[id] = nil }
        stack.settle(except: Set(needed))
        var hasAsked = false
        if !places.isEmpty, background.isStale {
            background.renew(isComposited: isComposited)
            (isChanged, hasAsked) = (true, true)
        }
        for id in needed where windows[id] == nil && !failed.contains(id) {
            redirect(id, now)
            (isChanged, hasAsked) = (true, true)
        }
        return hasAsked
    }

    private func redirect(_ id: UInt32, _ now: Int64) {
        let attributes = connection.attributes(of: id)
        if attributes?._class == UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue) {
            // Mutter and its relatives keep minimized windows shown below such a window (meta_create_guard_window there).
            let title = X11Layout.names(of: id, connection).title.text
            return stack.ignore(id, isLowest: title.hasSuffix("guard window"))
        }
        let window = X11ComposedWindow(
            id, isNew: false, tracksPainting: false, at: now, connection: connection, format: formats.format(of:))
        if let window {
            windows[id] = window
            if !window.hadPixmap { stack.renew(id) }
        } else if connection.client(of: id) == 0 {
            // The server's own, such as Composite's overlay window, which shows what a compositing manager paints.
            stack.ignore(id, isLowest: false)
        } else {
            failed.insert(id)
        }
    }

    /// Removes what may be a hidden window's pixels from the windows with a new pixmap. Returns the places of windows that
    /// have moved with such pixels, which the screen may still show.
    func clean() -> [PixelRect] {
        var left: [PixelRect] = []
        for window in stack.shown(in: places, except: hidden) where window.isNew {
            // Failed windows are covered.
            guard let composed = windows[window.id] else { continue }
            let parts = window.foreignParts(of: places)
            clean(window.id, showing: composed.content, parts)
            if window.travel > 0 { left += parts }
        }
        stack.settle()
        return left
    }

    /// Fills parts of a window and of those inside it, and has the server paint their backgrounds and send Expose. Borders
    /// are always painted by the server.
    ///
    /// - Parameters:
    ///   - content: the window without its border, where it was when the parts were found.
    ///   - parts: as `content`, in the screen's coordinates.
    private func clean(_ window: UInt32, showing content: PixelRect, _ parts: [PixelRect]) {
        let handle = connection.handle
        let rects = parts.map { $0.intersection(content).offset(x: -content.x, y: -content.y) }.filter { !$0.isEmpty }
        guard !rects.isEmpty, let attributes = connection.attributes(of: window),
            attributes.map_state == UInt8(XCB_MAP_STATE_VIEWABLE.rawValue),
            attributes._class == UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue),
            let format = formats.format(of: attributes.visual)
        else { return }
        let picture = xcb_generate_id(handle)
        xcb_render_create_picture(handle, picture, window, format, 0, nil)
        connection.fill(picture, rects)
        xcb_render_free_picture(handle, picture)
        for rect in rects.map({ xcb_rectangle_t($0) }) {
            xcb_clear_area(handle, 1, window, rect.x, rect.y, rect.width, rect.height)
        }
        for child in connection.children(of: window) {
            guard let geometry = connection.geometry(of: child) else { continue }
            let inside = geometry.rect.offset(x: content.x + geometry.border, y: content.y + geometry.border)
            clean(child, showing: inside, parts)
        }
    }

    /// Adds the changes in the places to a region of a frame that begins at `origin` of the screen.
    func addDamage(to region: inout DamageRegion, origin: (x: Int, y: Int)) {
        for window in windows.values { window.forgetDamage() }
        let changes = isChanged ? places : painted
        (isChanged, painted) = (false, [])
        for rect in changes { region.insert(rect.offset(x: -origin.x, y: -origin.y)) }
    }

    /// Draws parts of a frame that begins at `origin` of the screen, for `read`. Sends requests, and waits for nothing.
    func draw(_ rects: [PixelRect], of frame: PixelSize, origin: (x: Int, y: Int)) {
        ready = rects
        draw(rects, into: makeCanvas(frame).picture, at: origin)
    }

    /// Reads parts of a frame that begins at `origin` of the screen. They are drawn again if windows have moved since they were drawn.
    /// Returns whether it has asked the server.
    func read(_ rects: [PixelRect], of frame: PixelSize, origin: (x: Int, y: Int)) -> Bool {
        (drawn, parts) = ([], [])
        guard !rects.isEmpty else { return false }
        let canvas = makeCanvas(frame)
        if isChanged || ready != rects { draw(rects, into: canvas.picture, at: origin) }
        var region = DamageRegion(size: frame)
        for rect in rects { region.insert(rect) }
        let isRead = reader.read(X11ReadPlan(region), at: (0, 0), of: canvas.pixmap, packing: packing) {
            parts.append(($0, $1, $2))
        }
        if isRead { drawn = rects }
        return true
    }

    private func draw(_ rects: [PixelRect], into picture: UInt32, at origin: (x: Int, y: Int)) {
        let handle = connection.handle
        let region = xcb_generate_id(handle)
        xcb_xfixes_create_region(handle, region, UInt32(rects.count), rects.map { xcb_rectangle_t($0) })
        defer { xcb_xfixes_destroy_region(handle, region) }
        xcb_xfixes_set_picture_clip_region(handle, picture, region, 0, 0)
        connection.fill(picture, rects)
        background.draw(into: picture, rects, at: origin)
        let seen = rects.map { $0.offset(x: origin.x, y: origin.y) }
        for window in stack.shown(in: seen, except: hidden) {
            var covered = window.foreignParts(of: places)
            if let composed = windows[window.id] {
                composed.draw(into: picture, at: origin, within: region, isBlended: isComposited)
            } else {
                xcb_xfixes_set_picture_clip_region(handle, picture, region, 0, 0)
                covered = [window.bounds]
            }
            connection.fill(picture, covered.map { $0.offset(x: -origin.x, y: -origin.y) })
        }
    }

    /// Copies what was drawn into the pixels of `area` of the frame.
    func copy(into pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect) {
        for place in drawn {
            for part in parts {
                let common = place.intersection(part.rect).intersection(area)
                guard !common.isEmpty else { continue }
                for y in common.y..<common.maxY {
                    let source = part.pixels + (y - part.rect.y) * part.stride + (common.x - part.rect.x) * 4
                    (pixels + (y - area.y) * stride + (common.x - area.x) * 4)
                        .copyMemory(from: source, byteCount: common.width * 4)
                }
            }
        }
    }

    private func makeCanvas(_ size: PixelSize) -> (pixmap: UInt32, picture: UInt32, size: PixelSize) {
        if let canvas, canvas.size == size { return canvas }
        freeCanvas()
        let handle = connection.handle
        let made = (pixmap: xcb_generate_id(handle), picture: xcb_generate_id(handle), size: size)
        xcb_create_pixmap(
            handle, connection.rootDepth, made.pixmap, connection.root, UInt16(clamping: size.width),
            UInt16(clamping: size.height))
        xcb_render_create_picture(handle, made.picture, made.pixmap, formats.root, 0, nil)
        canvas = made
        return made
    }

    private func freeCanvas() {
        guard let canvas else { return }
        xcb_render_free_picture(connection.handle, canvas.picture)
        xcb_free_pixmap(connection.handle, canvas.pixmap)
    }
}
