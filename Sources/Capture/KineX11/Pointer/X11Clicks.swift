// The presses and releases of mouse buttons that get rings.
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
        switch event.action {
        case .pressed(let button): held.insert(button)
        case .released(let button): held.remove(button)
        default: return
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
