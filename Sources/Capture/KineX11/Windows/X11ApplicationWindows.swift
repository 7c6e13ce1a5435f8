// Only the windows of one application, at their positions on the screen: other windows above or below are left out.
import CXCB
import KineCapture
import KineMedia

/// Draws an application's windows into a pixmap of the frame's size, on black. Used by the capture thread.
final class X11ApplicationWindows {
    /// The frame. Read its pixels after `draw`.
    private(set) var pixmap: UInt32 = 0
    private var picture: UInt32 = 0
    /// The part of the screen in the frame.
    private(set) var area: PixelRect
    private let connection: X11Connection
    private let search: X11WindowSearch
    private let excluded: [X11WindowRule]
    /// The excluded windows at the last search; nil if no window is excluded.
    private(set) var findings: ExclusionFindings?
    private let formats: X11PictureFormats
    private var windows: [UInt32: X11ComposedWindow] = [:]
    /// All that were ever drawn.
    private var drawn: Set<UInt32> = []
    /// The shown windows, from the lowest to the highest.
    private var stack: [X11ComposedWindow] = []
    /// The window right below each of the root's children, at the last look at the stack.
    private var below: [UInt32: UInt32] = [:]
    private var mayBeRestacked = false
    private var isFirstSearch = true
    /// The undrawn changes of the frame.
    private var changed: DamageRegion
    /// Counts changes that can invalidate pixels just read: another set of windows, or a window's new pixmap.
    private(set) var revision = 0

    /// Throws if no window of the application is shown.
    ///
    /// - Parameters:
    ///   - name: the application's WM_CLASS. Case does not matter.
    ///   - excluded: windows of the application to hide.
    ///   - area: a part of the screen.
    init(
        _ name: String, except excluded: [X11WindowRule], area: PixelRect, connection: X11Connection, at now: Int64
    ) throws(VideoSourceError) {
        guard connection.hasComposite, connection.shapeEvent != nil,
            let formats = X11PictureFormats(connection: connection)
        else { throw .noComposite }
        self.connection = connection
        self.formats = formats
        self.area = area
        changed = .full(size: area.size)
        self.excluded = excluded
        search = X11WindowSearch([.application(name)], except: excluded, connection: connection)
        _ = update(at: now)
        guard !windows.isEmpty else {
            let existing = Set(X11Layout.windows(connection).map(\.application)).subtracting([""])
            throw .noWindowOfApplication(name, existing: existing.sorted())
        }
        makePixmap()
    }

    deinit { freePixmap() }

    private func makePixmap() {
        let handle = connection.handle
        (pixmap, picture) = (xcb_generate_id(handle), xcb_generate_id(handle))
        xcb_create_pixmap(
            handle, connection.rootDepth, pixmap, connection.root, UInt16(clamping: area.width),
            UInt16(clamping: area.height))
        xcb_render_create_picture(handle, picture, pixmap, formats.root, 0, nil)
    }

    private func freePixmap() {
        xcb_render_free_picture(connection.handle, picture)
        xcb_free_pixmap(connection.handle, pixmap)
    }

    /// Changes the part of the screen in the frame.
    func setArea(_ area: PixelRect) {
        freePixmap()
        self.area = area
        changed = .full(size: area.size)
        makePixmap()
    }

    /// When a window counts as painted (CLOCK_MONOTONIC), if one is waited for.
    var deadline: Int64? { windows.values.compactMap(\.paintedAt).min() }
    var hasChanged: Bool { !changed.isEmpty || windows.values.contains(where: \.isDamaged) }

    /// Whether that child of the root window is drawn, or was before it went.
    func shows(_ child: UInt32) -> Bool { drawn.contains(child) }

    func note(_ event: X11Event, at now: Int64) {
        search.note(event)
        if event.kind == connection.damageEvent + UInt8(XCB_DAMAGE_NOTIFY) {
            windows[event.read(xcb_damage_notify_event_t.self).drawable]?.noteDamage()
        } else if event.kind == connection.shapeEvent {
            let window = windows[event.read(xcb_shape_notify_event_t.self).affected_window]
            if let window { noteChange(window.bounds) }
        }
        switch Int32(event.kind) {
        case XCB_CONFIGURE_NOTIFY: noteConfiguration(event.read(xcb_configure_notify_event_t.self), now)
        case XCB_CIRCULATE_NOTIFY: mayBeRestacked = true
        case XCB_UNMAP_NOTIFY: drop(event.read(xcb_unmap_notify_event_t.self).window)
        case XCB_DESTROY_NOTIFY: drop(event.read(xcb_destroy_notify_event_t.self).window)
        default: break
        }
    }

    private func noteConfiguration(_ event: xcb_configure_notify_event_t, _ now: Int64) {
        guard event.event == connection.root else { return }
        if event.above_sibling != below[event.window] ?? 0 { mayBeRestacked = true }
        guard let window = windows[event.window] else { return }
        noteChange(window.bounds)
        let rect = PixelRect(
            x: Int(event.x), y: Int(event.y), width: Int(event.width), height: Int(event.height))
        if window.place(at: rect, border: Int(event.border_width), now) { revision += 1 }
        noteChange(window.bounds)
    }

    /// `place` is in the screen's coordinates.
    private func noteChange(_ place: PixelRect) { changed.insert(place.offset(x: -area.x, y: -area.y)) }

    private func drop(_ id: UInt32) {
        guard let window = windows.removeValue(forKey: id) else { return }
        stack.removeAll { $0 === window }
        noteChange(window.bounds)
        revision += 1
    }

    /// Shows windows whose time to be painted is over.
    func expire(at now: Int64) {
        for window in stack where window.expire(at: now) { noteChange(window.bounds) }
    }

    /// Searches the application's windows and their order again if they may have changed. Returns whether it did: the
    /// replies may have brought events.
    func update(at now: Int64) -> Bool {
        let found = search.run()
        guard found != nil || mayBeRestacked else { return false }
        if let found {
            if !excluded.isEmpty { findings = search.findings(of: excluded) }
            let places = Set(found.map(\.window))
            for id in Array(windows.keys) where !places.contains(id) { drop(id) }
            for child in found where windows[child.window] == nil { adopt(child.window, now) }
            isFirstSearch = false
        }
        restack()
        return true
    }

    private func adopt(_ id: UInt32, _ now: Int64) {
        let window = X11ComposedWindow(
            id, isNew: !isFirstSearch, at: now, connection: connection, format: formats.format(of:))
        guard let window else { return }
        windows[id] = window
        drawn.insert(id)
        noteChange(window.bounds)
        revision += 1
    }

    private func restack() {
        mayBeRestacked = false
        let children = connection.children(of: connection.root)
        below = Dictionary(zip(children.dropFirst(), children)) { $1 }
        let order = children.compactMap { windows[$0] }
        guard !order.elementsEqual(stack, by: ===) else { return }
        stack = order
        for window in stack { noteChange(window.bounds) }
    }

    /// Draws the changes, and adds them to a region of the frame.
    func addDamage(to region: inout DamageRegion) {
        let questions = stack.filter(\.isDamaged).map { ($0, $0.askForDamage()) }
        for (window, question) in questions { window.rectangles(question).forEach(noteChange) }
        region.formUnion(changed)
        draw()
    }

    /// Draws again if `revision` changed while the pixels were read. These changes still count for the next region.
    func redraw() {
        let changes = changed
        draw()
        changed = changes
    }

    /// Draws the changes since the last drawing.
    private func draw() {
        let handle = connection.handle
        let places = changed.rectangles()
        guard !places.isEmpty else { return }
        changed.removeAll()
        let rects = places.map { xcb_rectangle_t($0) }
        let region = xcb_generate_id(handle)
        xcb_xfixes_create_region(handle, region, UInt32(rects.count), rects)
        xcb_xfixes_set_picture_clip_region(handle, picture, 0, 0, 0)
        xcb_render_fill_rectangles(
            handle, UInt8(XCB_RENDER_PICT_OP_SRC.rawValue), picture,
            xcb_render_color_t(red: 0, green: 0, blue: 0, alpha: 0xffff), UInt32(rects.count), rects)
        for window in stack where places.contains(where: { isSeen(window, in: $0) }) {
            window.draw(into: picture, at: (area.x, area.y), within: region)
        }
        xcb_xfixes_destroy_region(handle, region)
    }

    private func isSeen(_ window: X11ComposedWindow, in place: PixelRect) -> Bool {
        !window.bounds.offset(x: -area.x, y: -area.y).intersection(place).isEmpty
    }
}

/// The formats in which XRender reads and draws pixels.
struct X11PictureFormats {
    /// The format of a pixmap with the screen's visual.
    let root: UInt32
    private let formats: [UInt32: UInt32]

    /// Nil if the server has no XRender.
    init?(connection: X11Connection) {
        guard connection.hasRender else { return nil }
        formats =
            connection.reply(
                xcb_render_query_pict_formats(connection.handle), xcb_render_query_pict_formats_reply, Self.visuals)
            ?? [:]
        guard let root = formats[connection.rootVisual] else { return nil }
        self.root = root
    }

    func format(of visual: UInt32) -> UInt32? { formats[visual] }

    private static func visuals(_ reply: UnsafeMutablePointer<xcb_render_query_pict_formats_reply_t>) -> [UInt32:
        UInt32]
    {
        var formats: [UInt32: UInt32] = [:]
        var screens = xcb_render_query_pict_formats_screens_iterator(reply)
        while screens.rem > 0 {
            var depths = xcb_render_pictscreen_depths_iterator(screens.data)
            while depths.rem > 0 {
                let count = Int(xcb_render_pictdepth_visuals_length(depths.data))
                for visual in UnsafeBufferPointer(start: xcb_render_pictdepth_visuals(depths.data), count: count) {
                    formats[visual.visual] = visual.format
                }
                xcb_render_pictdepth_next(&depths)
            }
            xcb_render_pictscreen_next(&screens)
        }
        return formats
    }
}
