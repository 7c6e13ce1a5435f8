// The ways in which one process of a group tells others of a change, as kinecast-member uses them.

enum ExchangeMedium: CaseIterable {
    case defaults
    /// As a sequence, and with a handler.
    case notifications, observedNotifications

    var name: String {
        switch self {
        case .defaults: "SharedDefaults"
        case .notifications: "CrossProcessNotifications, loop"
        case .observedNotifications: "CrossProcessNotifications, handler"
        }
    }

    /// The largest delay at p99, in milliseconds.
    var lateLimit: Double {
        switch self {
        case .defaults: 20
        case .notifications, .observedNotifications: 5
        }
    }

    /// What a listener is told to do.
    var listening: String {
        switch self {
        case .defaults: "watch"
        case .notifications: "listen"
        case .observedNotifications: "observe"
        }
    }

    /// What the other process is told to do.
    var telling: String {
        switch self {
        case .defaults: "set"
        case .notifications, .observedNotifications: "post"
        }
    }

    /// The instants at which values were set or notifications posted: a line `set at N` or `posting at N` each.
    func events(in output: String) -> [Int64] {
        Self.lines(output, ["set", "posting"]).compactMap { $0.last.flatMap { Int64($0) } }
    }

    /// Reads the lines of a listener: `saw VALUE at N`, where the value is the instant before it was set, or `heard at N`.
    func answers(in output: String) -> [Hearing.Answer] {
        Self.lines(output, ["saw", "heard"]).compactMap { words in
            guard let instant = words.last.flatMap({ Int64($0) }) else { return nil }
            // Notifications have no numbers. A listener that hears one looks at everything that has happened until then.
            let event = self == .defaults ? words.count > 1 ? Int64(words[1]) : nil : instant
            return event.map { Hearing.Answer(event: $0, instant: instant) }
        }
    }

    private static func lines(_ output: String, _ verbs: Set<Substring>) -> [[Substring]] {
        output.split(separator: "\n").map { $0.split(separator: " ") }.filter { verbs.contains($0.first ?? "") }
    }
}
