// Windows that must not be visible in the frames of a screen: their current and their recent rectangles.
import CXCB
import KineCapture
import KineMedia

/// Follows the windows of a connection's screen that match some rules. Used by the capture thread.
///
/// The server sends events and replies in order. So once a frame's pixels have come, every rectangle of a known window
/// up to then is known, and stays covered for a while. Rectangles of a new window are unknown: if windows were searched
/// since the pixels were requested, the pixels are read again.
final class X11Exclusions {
    private let search: X11WindowSearch
    private let rules: [X11WindowRule]
    /// Nil before the first search.
    private(set) var findings: ExclusionFindings?
    /// The rectangles of shown, matching windows on the screen, by the root's child that is or contains them.
    private var windows: [UInt32: PixelRect] = [:]
    /// Rectangles that a window has left. A compositing manager shows the window there until it repaints them; without
    /// one, the window's pixels stay until the windows below repaint.
    private var vacated = VacatedPlaces()
    private let compositor: X11CompositingManager
    /// Rectangles that became covered or uncovered since the last look.
    private var changed: [PixelRect] = []
    /// The number of searches.
    var searches: Int { search.count }

    private static let shade: UInt32 = 0xff28_2828

    init(_ rules: [X11WindowRule], connection: X11Connection) {
        self.rules = rules
        search = X11WindowSearch(rules, connection: connection)
        compositor = X11CompositingManager(connection: connection)
    }

    /// When the next rectangle is uncovered (CLOCK_MONOTONIC), if any.
    var deadline: Int64? { vacated.deadline }
    var hasChanged: Bool { !changed.isEmpty }

    /// Returns whether the event concerns no other object.
    func note(_ event: X11Event, at now: Int64) -> Bool {
        switch compositor.read(event) {
        case .painting(let rect):
            vacated.paint(rect, at: now)
            return true
        case .presence: return true
        case nil: break
        }
        search.note(event)
        noteWindow(event, at: now)
        return false
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
        if let before {
            vacated.leave(before, at: now, awaitsPainting: compositor.isPresent)
            changed.append(before)
        }
        if let place { changed.append(place) }
    }

    /// Uncovers rectangles whose time is over. Call after all available events were handled.
    func expire(at now: Int64) { changed += vacated.expire(at: now) }

    /// Searches all windows again if a new one may match. Returns whether it did: its replies may have brought events.
    func search(at now: Int64) -> Bool {
        guard let found = search.run() else { return false }
        findings = search.findings(of: rules)
        for child in found { place(child.window, at: child.bounds, now) }
        let places = Set(found.map(\.window))
        for window in windows.keys where !places.contains(window) { place(window, at: nil, now) }
        return true
    }

    /// Adds the rectangles covered or uncovered since the last call, for a frame that begins at `origin` of the screen.
    func addDamage(to region: inout DamageRegion, origin: (x: Int, y: Int)) {
        for place in changed { region.insert(place.offset(x: -origin.x, y: -origin.y)) }
        changed.removeAll()
    }

    /// Covers hidden windows in the pixels of `area` of a frame that begins at `origin` of the screen.
    func cover(_ pixels: UnsafeMutableRawPointer, stride: Int, area: PixelRect, origin: (x: Int, y: Int)) {
        for place in Array(windows.values) + vacated.rects {
            let common = place.offset(x: -origin.x, y: -origin.y).intersection(area)
            guard !common.isEmpty else { continue }
            for y in common.y..<common.maxY {
                (pixels + (y - area.y) * stride + (common.x - area.x) * 4).assumingMemoryBound(to: UInt32.self)
                    .update(repeating: Self.shade, count: common.width)
            }
        }
    }
}
