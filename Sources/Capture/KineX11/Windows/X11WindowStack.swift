// The root window's children: where each lies, in which order, and which of their pixels may be another window's. Pure:
// `X11Beneath` passes the events.
import KineMedia

/// Follows the children as events of SubstructureNotify tell them (X Protocol, section 10).
struct X11WindowStack {
    struct Window: Equatable {
        let id: UInt32
        /// With its border, in the screen's coordinates.
        var bounds: PixelRect
        var isShown = false
        /// False if it has none: it only takes input.
        var hasPixels = true
        /// Since the last `settle` it was shown, or got another size. The server fills its new pixmap with what the screen
        /// showed there, which stays until the program has painted.
        var isNew = false
        /// How far it has moved and grown while it was new, in pixels. A move takes such pixels along, and another resize
        /// may, by the gravity of the window and of those in it.
        var travel = 0
        /// It was shown since the last `endLook`.
        var isUnseen = false
        /// The places that it has left since then.
        var trail: [PixelRect] = []

        /// The parts, in the screen's coordinates, that may show what the screen showed at `places` when the window was new.
        func foreignParts(of places: [PixelRect]) -> [PixelRect] {
            guard isNew else { return [] }
            return places.map { $0.outset(by: travel).intersection(bounds) }.filter { !$0.isEmpty }
        }

        fileprivate func reaches(_ place: PixelRect) -> Bool {
            !place.outset(by: isNew ? travel : 0).intersection(bounds).isEmpty
        }
    }

    /// From the lowest to the highest.
    private var windows: [Window] = []
    /// The window manager hides all windows below this one, although they are shown.
    private var lowest: UInt32?
    /// The places of windows that were shown and went between two looks at all windows, so that nothing is known of them.
    private var lost: [PixelRect] = []

    private func index(of id: UInt32) -> Int? { windows.firstIndex { $0.id == id } }

    /// The shown windows with pixels that reach into `places`, except for some, from the lowest to the highest.
    func shown(in places: [PixelRect], except others: Set<UInt32>) -> [Window] {
        let hidden = windows.firstIndex { $0.id == lowest && $0.isShown } ?? -1
        return windows[(hidden + 1)...].filter { window in
            window.isShown && window.hasPixels && !others.contains(window.id) && places.contains(where: window.reaches)
        }
    }

    /// A window was created in the root or moved into it: above all others.
    mutating func insert(_ window: Window) {
        windows.removeAll { $0.id == window.id }
        windows.append(window)
    }

    /// A window was destroyed, or moved out of the root. This and the next calls return where the screen may have changed.
    mutating func remove(_ id: UInt32) -> [PixelRect] {
        let left = hide(id)
        windows.removeAll { $0.id == id }
        if lowest == id { lowest = nil }
        return left
    }

    mutating func show(_ id: UInt32) -> [PixelRect] {
        guard let index = index(of: id), !windows[index].isShown else { return [] }
        (windows[index].isShown, windows[index].isNew, windows[index].travel) = (true, true, 0)
        windows[index].isUnseen = true
        return [windows[index].bounds]
    }

    mutating func hide(_ id: UInt32) -> [PixelRect] {
        guard let index = index(of: id), windows[index].isShown else { return [] }
        (windows[index].isShown, windows[index].isNew) = (false, false)
        if windows[index].isUnseen { lost += windows[index].trail + [windows[index].bounds] }
        return [windows[index].bounds]
    }

    /// Moves a window to this place, directly above `sibling`; 0: below all others.
    mutating func configure(_ id: UInt32, _ bounds: PixelRect, above sibling: UInt32) -> [PixelRect] {
        guard let index = index(of: id) else { return [] }
        var window = windows.remove(at: index)
        let old = window.bounds
        window.bounds = bounds
        if window.isNew {
            window.travel += abs(bounds.x - old.x) + abs(bounds.y - old.y)
            window.travel += abs(bounds.width - old.width) + abs(bounds.height - old.height)
        }
        if window.isShown, bounds.size != old.size { window.isNew = true }
        if window.isShown, bounds != old { window.trail.append(old) }
        let place = sibling == 0 ? 0 : self.index(of: sibling).map { $0 + 1 } ?? index
        windows.insert(window, at: place)
        return window.isShown && (bounds != old || place != index) ? [old, bounds] : []
    }

    /// A window was put above or below all others.
    mutating func circulate(_ id: UInt32, isToTop: Bool) -> [PixelRect] {
        guard let window = windows.first(where: { $0.id == id }) else { return [] }
        let top = windows.last { $0.id != id }?.id ?? 0
        return configure(id, window.bounds, above: isToTop ? top : 0)
    }

    /// `ids` are to be hidden from now on. Returns where else than at their places now the screen may have shown hidden windows
    /// since all windows were examined last.
    mutating func look(finding ids: Set<UInt32>) -> [PixelRect] {
        var places = lost
        lost = []
        for index in windows.indices where ids.contains(windows[index].id) {
            places += windows[index].trail
            windows[index].trail = []
        }
        return places
    }

    /// All windows were examined, and all events until then were handled.
    mutating func endLook() {
        for index in windows.indices { (windows[index].isUnseen, windows[index].trail) = (false, []) }
    }

    /// A shown window has got its pixmap only now.
    mutating func renew(_ id: UInt32) {
        if let index = index(of: id) { windows[index].isNew = true }
    }

    /// A window has no pixels. `isLowest`: the window manager hides what is below it.
    mutating func ignore(_ id: UInt32, isLowest: Bool) {
        if let index = index(of: id) { windows[index].hasPixels = false }
        if isLowest { lowest = id }
    }

    /// The windows, but for some, have no foreign parts any more.
    mutating func settle(except others: Set<UInt32> = []) {
        for index in windows.indices where windows[index].isNew && !others.contains(windows[index].id) {
            (windows[index].isNew, windows[index].travel) = (false, 0)
        }
    }
}

extension PixelRect {
    /// The rectangle with so many pixels more on each side.
    fileprivate func outset(by margin: Int) -> PixelRect {
        PixelRect(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
