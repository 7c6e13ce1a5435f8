// Windows that must not be visible in the frames of a screen: their current and their recent rectangles.
import CXCB
import KineCapture
import KineMedia

/// Follows the windows of a connection's screen that match some rules. Used by the capture thread.
///
/// The server sends events and replies in order. So once a frame's pixels have come, every rectangle of a known window
/// up to then is known, and stays covered for a while. Rectangles of a new window are unknown: if windows were searched
/// since the pixels were requested, the pixels are read again.
///
/// What lies beneath is drawn at the same instant (`drawing`), and again where the places have changed since
/// (`lookBeneath`). A place that a window has taken after that is covered in that frame: the frame's pixels are older.
final class X11Exclusions {
    private let connection: X11Connection
    private let search: X11WindowSearch
    private let rules: [X11WindowRule]
    /// Nil before the first search.
    private(set) var findings: ExclusionFindings?
    /// The rectangles of shown, matching windows on the screen, by the root's child that is or contains them.
    private var windows: [UInt32: PixelRect] = [:]
    /// Rectangles that a window has left. A compositing manager shows the window there until it repaints them; without
    /// one, the window's pixels stay until the windows below repaint.
    private var vacated: VacatedPlaces
    private let compositor: X11CompositingManager
    /// Rectangles that became covered or uncovered since the last look.
    private var changed: [PixelRect] = []
    /// Nil: the places are covered.
    private let beneath: X11Beneath?
    /// Why the places are covered, although what lies beneath is wanted, in one sentence.
    let shortcoming: String?
    /// All root's children that were ever hidden.
    private var hidden: Set<UInt32> = []
    /// The number of searches.
    var searches: Int { search.count }

    init(_ rules: [X11WindowRule], how: TakeConfiguration.ExcludeHow, connection: X11Connection) {
        self.rules = rules
        search = X11WindowSearch(rules, connection: connection)
        if how == .beneath {
            connection.select(
                X11WindowSearch.rootEvents | XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue, of: connection.root)
            beneath = X11Beneath(connection: connection)
        } else {
            beneath = nil
        }
        shortcoming = how == .beneath && beneath == nil ? connection.withoutComposite : nil
        vacated = VacatedPlaces(waitsForPainting: beneath != nil)
        compositor = X11CompositingManager(connection: connection)
        self.connection = connection
        keepAbove(true)
    }

    deinit { keepAbove(false) }

    private func keepAbove(_ isOn: Bool) {
        for case .above(let window) in rules { X11Layout.keepAbove(window, isOn, connection) }
    }

    /// Whether that child of the root window has never been hidden; 0: the root window itself. A window that is gone by now may have been,
    /// if it was never examined.
    func shows(_ child: UInt32) -> Bool { child == 0 || search.examined.contains(child) && !hidden.contains(child) }

    /// The places to hide, in the screen's coordinates.
    var places: [PixelRect] { Array(windows.values) + vacated.rects }

    /// When the next rectangle is uncovered (CLOCK_MONOTONIC), if any.
    var deadline: Int64? { vacated.deadline }
    var hasChanged: Bool { !changed.isEmpty || beneath?.hasChanged ?? false }

    /// Returns whether the event concerns no other object.
    func note(_ event: X11Event, at now: Int64) -> Bool {
        switch compositor.read(event) {
        case .painting(let rect):
            vacated.paint(rect, at: now)
            return true
        case .presence:
            if !compositor.isPresent { vacated.managerEnded(at: now) }
            beneath?.noteManager()
            return true
        case nil: break
        }
        search.note(event)
        noteWindow(event, at: now)
        return beneath?.note(event, at: now) ?? false
    }

    private func noteWindow(_ event: X11Event, at now: Int64) {
        switch Int32(event.kind) {
        case XCB_CONFIGURE_NOTIFY:
            let e = event.read(xcb_configure_notify_event_t.self)
            guard windows[e.window] != nil else { return }
            let rect = PixelRect(x: Int(e.x), y: Int(e.y), width: Int(e.width), height: Int(e.height))
            place(e.window, at: rect.enlarged(by: Int(e.border_width)), now)
        case XCB_UNMAP_NOTIFY: place(event.read(xcb_unmap_notify_event_t.self).window, at: nil, now)
        case XCB_DESTROY_NOTIFY: place(event.read(xcb_destroy_notify_event_t.self).window, at: nil, now)
        default: break
        }
    }

    private func place(_ window: UInt32, at place: PixelRect?, _ now: Int64) {
        let before = windows[window]
        guard before != place else { return }
        windows[window] = place
        if let before { leave(before, now) }
        if let place { changed.append(place) }
    }

    private func leave(_ place: PixelRect, _ now: Int64) {
        vacated.leave(place, at: now, awaitsPainting: compositor.isPresent)
        changed.append(place)
    }

    /// Uncovers rectangles whose time is over. Call after all available events were handled.
    func expire(at now: Int64) { changed += vacated.expire(at: now) }

    /// Searches all windows again if a new one may match. Follows the windows that are drawn. Returns whether it has asked the
    /// server, whose replies may have brought events.
    func search(at now: Int64) -> Bool {
        let found = search.run(keeping: Set(windows.keys))
        let new = Set((found ?? []).map(\.window)).subtracting(windows.keys)
        for place in beneath?.look(finding: new) ?? [] { leave(place, now) }
        guard let found else {
            return beneath?.update(
                places, except: Set(windows.keys), isComposited: compositor.isPresent, at: now) ?? false
        }
        findings = search.findings(of: rules)
        for child in found { place(child.window, at: child.bounds, now) }
        hidden.formUnion(found.map(\.window))
        let places = Set(found.map(\.window))
        // Where a window that is not shown was last, its events tell, which may still be to come: it may have moved before it went.
        for window in windows.keys where !places.contains(window) && X11Layout.isShown(window, connection) {
            place(window, at: nil, now)
        }
        return true
    }

    /// Adds the rectangles covered or uncovered since the last call, and what has changed beneath, for a frame that begins at
    /// `origin` of the screen. Call after all available events were handled.
    func addDamage(to region: inout DamageRegion, origin: (x: Int, y: Int), at now: Int64) {
        for place in beneath?.clean() ?? [] { leave(place, now) }
        for place in changed { region.insert(place.offset(x: -origin.x, y: -origin.y)) }
        changed.removeAll()
        beneath?.addDamage(to: &region, origin: origin)
    }

    /// What draws what lies beneath hidden windows in these parts of a frame that begins at `origin` of the screen, for `lookBeneath`. It
    /// sends requests, and waits for nothing. Nil: there is nothing to draw.
    func drawing(beneath parts: [PixelRect], of frame: PixelSize, origin: (x: Int, y: Int)) -> (() -> Void)? {
        guard let beneath else { return nil }
        let rects = hidden(parts, origin)
        return rects.isEmpty ? nil : { beneath.draw(rects, of: frame, origin: origin) }
    }

    /// Reads what lies beneath hidden windows in these parts, for `cover`. Returns whether it has asked the server: its replies may have
    /// brought events.
    func lookBeneath(_ parts: [PixelRect], of frame: PixelSize, origin: (x: Int, y: Int)) -> Bool {
        beneath?.read(hidden(parts, origin), of: frame, origin: origin) ?? false
    }

    private func hidden(_ parts: [PixelRect], _ origin: (x: Int, y: Int)) -> [PixelRect] {
        places.flatMap { place in
            parts.map { $0.intersection(place.offset(x: -origin.x, y: -origin.y)) }.filter { !$0.isEmpty }
        }
    }

    /// Covers hidden windows in the pixels of `area` of a frame that begins at `origin` of the screen, or shows what lies beneath.
    func cover(_ pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect, origin: (x: Int, y: Int)) {
        let drawn = beneath?.drawn ?? []
        for place in places {
            let common = place.offset(x: -origin.x, y: -origin.y).intersection(area)
            let covered = drawn.reduce(into: common.isEmpty ? [] : [common]) { rects, drawn in
                rects = rects.flatMap { $0.parts(outside: drawn) }
            }
            for rect in covered {
                for y in rect.y..<rect.maxY {
                    (pixels + (y - area.y) * stride + (rect.x - area.x) * 4).assumingMemoryBound(to: UInt32.self)
                        .update(repeating: X11Connection.shade, count: rect.width)
                }
            }
        }
        beneath?.copy(into: pixels, stride: stride, area: area)
    }
}
