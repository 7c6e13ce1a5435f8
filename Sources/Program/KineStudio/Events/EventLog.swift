// The newest events, for pages that connect again. Pure.

/// Events have ids that grow by one, so that a page gets exactly those that it has missed (HTML, server-sent events).
struct EventLog: Sendable {
    struct Event: Sendable, Equatable {
        /// Nil: the page's last id does not change.
        let id: Int?
        /// The event's type, as in `addEventListener`.
        let type: String
        /// One line of JSON.
        let data: String
        /// The ID of the recording that the event is about, if any.
        var subject: String?

        /// The event as the stream has it.
        var text: String { (id.map { "id: \($0)\n" } ?? "") + "event: \(type)\ndata: \(data)\n\n" }
    }

    private let capacity: Int
    /// The newest event of each type that is a state.
    private var states: [String: Event] = [:]
    private var others: [Event] = []
    private var last = 0

    /// - Parameter capacity: the number of kept events that are no states.
    init(capacity: Int = 500) { self.capacity = capacity }

    /// - Parameter isState: only the newest event of that type is kept, for as long as the log exists.
    mutating func append(_ type: String, _ data: String, of subject: String? = nil, isState: Bool) -> Event {
        last += 1
        let event = Event(id: last, type: type, data: data, subject: subject)
        if isState {
            states[type] = event
        } else {
            if others.count == capacity { others.removeFirst() }
            others.append(event)
        }
        return event
    }

    /// The kept events after the one with that id; all of them for an id that was not given yet.
    func events(after id: Int?) -> [Event] {
        let kept = (states.values + others).sorted { ($0.id ?? 0) < ($1.id ?? 0) }
        guard let id, id <= last else { return kept }
        return kept.filter { ($0.id ?? 0) > id }
    }
}
