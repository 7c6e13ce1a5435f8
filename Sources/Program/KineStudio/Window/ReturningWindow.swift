// When a window opens again: one that left the screen for a recording comes back, and a recording that a window has begun is shown
// when it has ended. Pure: StudioLoop opens it.

struct ReturningWindow {
    enum Content: Equatable {
        /// The choice of what to record.
        case form
        /// A recording, by its ID in the library.
        case recording(String)
    }

    /// What the pages do for a recording that waits until they have left the screen.
    enum Departure {
        case awaited
        /// A page that said that it closes itself is gone.
        case gone
        /// It could not close itself.
        case stays
        /// The person has closed the last one.
        case closed
    }

    /// Connected pages.
    private(set) var pages = 0
    private(set) var departure = Departure.awaited
    /// Whether the last page has said that it closes itself for a recording.
    private(set) var isLeaving = false
    /// What to show once that page is gone.
    private var awaited: Content?

    /// A page says that it closes itself, or that it could not.
    mutating func leave(_ isLeaving: Bool) {
        if self.isLeaving, !isLeaving, departure == .awaited { departure = .stays }
        self.isLeaving = isLeaving
    }

    /// Another recording waits.
    mutating func awaitDeparture() { (isLeaving, departure) = (false, .awaited) }

    /// - Parameter count: of connected pages. Returns what to open.
    mutating func update(pages count: Int) -> Content? {
        if departure == .awaited, count < pages, isLeaving || count == 0 { departure = isLeaving ? .gone : .closed }
        defer { pages = count }
        // The person has opened a window themselves.
        if count > pages { (isLeaving, awaited) = (false, nil) }
        return count == 0 ? awaited.take() : nil
    }

    /// A recording that a window has begun has ended, or has not begun. An open window shows that itself. Returns what to open.
    mutating func show(_ content: Content) -> Content? {
        if pages == 0 { return content }
        if isLeaving { awaited = content }
        return nil
    }
}
