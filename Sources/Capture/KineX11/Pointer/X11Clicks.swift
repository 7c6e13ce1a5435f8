// The presses and releases of mouse buttons, and the wheel's steps.
import KineCapture
import KineMedia

/// Collects the events to report, and knows whether the pointer's position is needed. Pure.
struct X11Clicks {
    private var events: [InputEvent] = []
    private var held: Set<PointerButton> = []
    /// The pointer's position at the last press or release is not known yet.
    private var awaitsPosition = false

    /// Whether the pointer's position must be known.
    var needsPosition: Bool { awaitsPosition || !held.isEmpty }

    mutating func receive(_ event: InputEvent) {
        events.append(event)
        switch event {
        case .pressed(let button, _): held.insert(button)
        case .released(let button, _): held.remove(button)
        case .scrolled: return
        }
        awaitsPosition = true
    }

    /// The position is known.
    mutating func placed() { awaitsPosition = false }

    mutating func take() -> [InputEvent] {
        defer { events = [] }
        return events
    }
}
