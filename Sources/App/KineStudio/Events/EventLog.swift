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

        /// The event as the stream has it.
        var text: String { (id.map { "id: \($0)\n" } ?? "") + "event: \(type)\ndata: \(data)\n\n" }
    }

    private let most: Int
    private var kept: [Event] = []
    private var last = 0

    /// - Parameter most: the number of kept events.
    init(most: Int = 500) { self.most = most }

    /// - Parameter replaces: pages need no earlier event of that type.
    mutating func append(_ type: String, _ data: String, replaces: Bool) -> Event {
        last += 1
        let event = Event(id: last, type: type, data: data)
        if replaces { kept.removeAll { $0.type == type } }
        if kept.count == most { kept.removeFirst() }
        kept.append(event)
        return event
    }

    /// The kept events after the one with that id; all of them for an id of another server.
    func events(after id: Int?) -> [Event] {
        guard let id, id <= last else { return kept }
        return kept.filter { ($0.id ?? 0) > id }
    }
}
