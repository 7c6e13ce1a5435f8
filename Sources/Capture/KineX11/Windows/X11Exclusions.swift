// Windows that must not be seen in the frames of a screen: where they are, and where they were a moment ago.
import CXCB
import KineCapture
import KineMedia

/// Follows the windows of a connection's screen that match some rules. Used by the capture thread.
///
/// The server sends events and replies in the order of what happened. So when a frame's pixels have come, each place that a window has
/// had until then is known, and is covered for a while yet. Only of a window that was not known before, the places are not: where windows
/// were searched for since the pixels were asked for, they are read again.
final class X11Exclusions {
    private let search: X11WindowSearch
    private let rules: [X11WindowRule]
    /// Nil before the first search.
    private(set) var findings: ExclusionFindings?
    /// The places of the windows that match and are shown, in the screen's coordinates, by the root's child that they are or lie in.
    private var windows: [UInt32: PixelRect] = [:]
    /// Places that a window has left. A compositing manager shows it there until it has painted them, and without one
    /// its pixels stay until what lies below is painted.
    private var vacated = VacatedPlaces()
    private let compositor: X11CompositingManager
    /// Places that are covered since the last look, or no more.
    private var changed: [PixelRect] = []
    /// How often windows were searched for.
    var searches: Int { search.count }

    private static let shade: UInt32 = 0xff28_2828

    init(_ rules: [X11WindowRule], connection: X11Connection) {
        self.rules = rules
        search = X11WindowSearch(rules, connection: connection)
        compositor = X11CompositingManager(connection: connection)
    }

    // MARK: Events

    /// The instant of CLOCK_MONOTONIC at which a place needs no cover any more; nil: none is left.
    var deadline: Int64? { vacated.deadline }
    var hasChanged: Bool { !changed.isEmpty }

    /// Returns whether the event is for nobody else.
    func note(_ event: UnsafeMutablePointer<xcb_generic_event_t>, at now: Int64) -> Bool {
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

    private func noteWindow(_ event: UnsafeMutablePointer<xcb_generic_event_t>, at now: Int64) {
        switch Int32(event.pointee.response_type & 0x7f) {
        case XCB_CONFIGURE_NOTIFY:
            event.withMemoryRebound(to: xcb_configure_notify_event_t.self, capacity: 1) {
                let e = $0.pointee
                guard windows[e.window] != nil else { return }
                // The border lies around the size, and the place is the border's.
                let border = 2 * Int(e.border_width)
                place(
                    e.window,
                    at: PixelRect(
                        x: Int(e.x), y: Int(e.y), width: Int(e.width) + border, height: Int(e.height) + border), now)
            }
        case XCB_UNMAP_NOTIFY:
            event.withMemoryRebound(to: xcb_unmap_notify_event_t.self, capacity: 1) {
                place($0.pointee.window, at: nil, now)
            }
        case XCB_DESTROY_NOTIFY:
            event.withMemoryRebound(to: xcb_destroy_notify_event_t.self, capacity: 1) {
                place($0.pointee.window, at: nil, now)
            }
        default: break
        }
    }

    /// A window is there now, or nowhere.
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

    /// Uncovers what needs it no more. To be called when all events that have come are noted.
    func expire(at now: Int64) { changed += vacated.expire(at: now) }

    /// Looks at all windows again if one may match now that did not. Returns whether it did: its replies may have brought events.
    func search(at now: Int64) -> Bool {
        guard let found = search.run() else { return false }
        findings = search.findings(of: rules)
        for child in found { place(child.window, at: child.bounds, now) }
        let places = Set(found.map(\.window))
        for window in windows.keys where !places.contains(window) { place(window, at: nil, now) }
        return true
    }

    // MARK: Covers

    /// Adds the places that are covered since the last call, or no more, for a frame that begins at `origin` of the screen.
    func addDamage(to region: inout DamageRegion, origin: (x: Int, y: Int)) {
        for place in changed { region.insert(place.offset(x: -origin.x, y: -origin.y)) }
        changed.removeAll()
    }

    /// Paints over what must not be seen, in the pixels of `area` of a frame that begins at `origin` of the screen.
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
