// What a take records of what its source reports of a person: in the picture's coordinates, at the take's times, and nothing of what
// the take does not show.
import KineInput
import KineMedia

/// Collects the input of one capture. Used by the capture thread. Pure.
public struct InputCollector {
    /// The newest reports, in the picture's coordinates.
    private struct State: Equatable {
        var pointer: PixelPoint?
        var image: PointerImage?
        var focus: PixelRect?
    }

    private var state = State()
    /// The reports that were noted last; nil: the take does not show the source now.
    private var noted: State?
    /// Events may be from a time when the source was not shown.
    private var wasCovered = false
    /// The next frame differs by what changed while the source was not shown.
    private var skipsChange = false
    private var hasOpened = false
    private var notes: [TimedInput] = []

    public init() {}

    /// Removes and returns what is to be recorded, in the order in which it was reported.
    public mutating func take() -> [TimedInput] {
        defer { notes = [] }
        return notes
    }

    /// The take shows nothing of the source now: the screen is covered, or there is no frame yet.
    public mutating func close() { (noted, wasCovered) = (nil, true) }

    /// Another source is shown.
    public mutating func changeSource() { (state, noted) = (State(), nil) }

    /// Whether the take shows the source. When it begins to, the source has to report the pointer again: the take must not have where the
    /// pointer was in a pause or under a cover.
    public var isOpen: Bool { noted != nil }

    /// Notes what the source reports.
    ///
    /// - Parameters:
    ///   - events: of the source, in the frame's coordinates.
    ///   - geometry: how the picture shows the frame.
    ///   - now: nanoseconds of CLOCK_MONOTONIC.
    ///   - time: the time in the take of such an instant; nil if it was not recorded.
    public mutating func receive(
        _ events: [InputEvent], _ geometry: PictureGeometry, at now: Int64, time: (Int64) -> MediaTime?
    ) {
        guard let present = time(now) else {
            for event in events { receive(event, geometry, time(event.instant)) }
            noted = nil
            return
        }
        if noted == nil { open(at: present) }
        for event in events { receive(event, geometry, wasCovered ? nil : time(event.instant)) }
        wasCovered = false
        note(at: present)
    }

    /// Nothing of before holds any more.
    private mutating func open(at time: MediaTime) {
        noted = State()
        (skipsChange, hasOpened) = (hasOpened, true)
        state = State(focus: state.focus)
        var actions: [InputAction] = [.pointer(nil), .focused(nil)]
        actions += PointerButton.allCases.map { .released($0) }
        notes += actions.map { TimedInput($0, at: time) }
    }

    /// - Parameter time: nil: the take has nothing of that instant.
    private mutating func receive(_ event: InputEvent, _ geometry: PictureGeometry, _ time: MediaTime?) {
        switch event.action {
        case .focused(let rect):
            let shown = rect.map { geometry.map($0) }
            state.focus = shown?.isEmpty == true ? nil : shown
        default: break
        }
        guard let time else { return }
        switch event.action {
        case .pointer(let place): state.pointer = place.flatMap(geometry.map)
        case .image(let image): state.image = image
        default: break
        }
        note(at: time)
        switch event.action {
        case .pressed, .released, .scrolled, .typed: notes.append(TimedInput(event.action, at: time))
        case .pointer, .focused, .image, .changed: break
        }
    }

    /// Notes what differs from what was noted last.
    private mutating func note(at time: MediaTime) {
        guard let noted, noted != state else { return }
        if noted.image != state.image { notes.append(TimedInput(.image(state.image), at: time)) }
        if noted.pointer != state.pointer { notes.append(TimedInput(.pointer(state.pointer), at: time)) }
        if noted.focus != state.focus { notes.append(TimedInput(.focused(state.focus), at: time)) }
        self.noted = state
    }

    /// A frame was read, and is the same as the one before.
    public mutating func passFrame() { if noted != nil { skipsChange = false } }

    /// Notes that the picture has changed in these tiles, which are the picture's.
    public mutating func noteChange(_ changed: DamageRegion, at time: MediaTime) {
        guard noted != nil else { return }
        if skipsChange {
            skipsChange = false
            return
        }
        let rects = changed.rectangles()
        if !rects.isEmpty { notes.append(TimedInput(.changed(rects), at: time)) }
    }
}

/// The part of a screen that the picture of a take shows.
public struct PictureView: Sendable {
    public var geometry: PictureGeometry
    /// The frame's place on the screen.
    public var origin: PixelPoint
    /// As `VideoSource.hiddenPlaces`.
    public var hiddenPlaces: [PixelRect]

    public init(geometry: PictureGeometry, origin: PixelPoint, hiddenPlaces: [PixelRect]) {
        (self.geometry, self.origin, self.hiddenPlaces) = (geometry, origin, hiddenPlaces)
    }

    /// The pixel of the frame for one of the screen; nil: the picture does not show it.
    public func framePlace(of place: PixelPoint) -> PixelPoint? {
        // No screen reaches further, and sums cannot overflow.
        let screens = -(1 << 20)...(1 << 20)
        guard screens.contains(place.x), screens.contains(place.y) else { return nil }
        let inFrame = place.offset(x: -origin.x, y: -origin.y)
        guard geometry.map(inFrame) != nil, !hiddenPlaces.contains(where: { $0.contains(inFrame) }) else { return nil }
        return inFrame
    }
}
