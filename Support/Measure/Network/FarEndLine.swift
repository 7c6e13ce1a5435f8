// What the server at the far end tells, line by line: written by kinecast-farend, read by the process that started it.

/// An access unit that has arrived.
public struct ArrivedUnit: Equatable, Sendable {
    /// Counted from 0 over all connections that the server ever took.
    public var connection: Int
    /// When its last byte was there: nanoseconds of CLOCK_MONOTONIC.
    public var arrival: Int64
    public var isVideo: Bool
    public var isKeyframe: Bool
    /// The message's timestamp, in milliseconds.
    public var time: Int64
    public var byteCount: Int

    public init(
        connection: Int, arrival: Int64, isVideo: Bool, isKeyframe: Bool, time: Int64, byteCount: Int
    ) {
        self.connection = connection
        self.arrival = arrival
        self.isVideo = isVideo
        self.isKeyframe = isKeyframe
        self.time = time
        self.byteCount = byteCount
    }
}

/// One line. Instants are nanoseconds of CLOCK_MONOTONIC.
public enum FarEndLine: Equatable, Sendable {
    case opened(connection: Int, at: Int64)
    /// The publisher was told that it may publish.
    case live(connection: Int, at: Int64)
    case unit(ArrivedUnit)
    /// The publisher closed, or the connection broke; orderly: after all the farewells that belong there.
    case closed(connection: Int, at: Int64, isOrderly: Bool)
    /// The publisher did what no publisher may do; the connection is closed.
    case violation(connection: Int, at: Int64, String)

    public var text: String {
        switch self {
        case .opened(let connection, let instant): "opened \(connection) \(instant)"
        case .live(let connection, let instant): "live \(connection) \(instant)"
        case .unit(let unit):
            "\(unit.isVideo ? unit.isKeyframe ? "key" : "frame" : "audio") \(unit.connection) \(unit.arrival) "
                + "\(unit.time) \(unit.byteCount)"
        case .closed(let connection, let instant, let isOrderly):
            "\(isOrderly ? "finished" : "broken") \(connection) \(instant)"
        case .violation(let connection, let instant, let what): "violation \(connection) \(instant) \(what)"
        }
    }

    /// Reads what `text` wrote; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", maxSplits: 3)
        guard words.count >= 3, let connection = Int(words[1]), let instant = Int64(words[2]) else { return nil }
        switch words[0] {
        case "opened": self = .opened(connection: connection, at: instant)
        case "live": self = .live(connection: connection, at: instant)
        case "finished", "broken":
            self = .closed(connection: connection, at: instant, isOrderly: words[0] == "finished")
        case "violation":
            self = .violation(connection: connection, at: instant, words.count > 3 ? String(words[3]) : "")
        case "key", "frame", "audio":
            let rest = words.count > 3 ? words[3].split(separator: " ") : []
            guard rest.count == 2, let time = Int64(rest[0]), let byteCount = Int(rest[1]) else { return nil }
            self = .unit(
                ArrivedUnit(
                    connection: connection, arrival: instant, isVideo: words[0] != "audio",
                    isKeyframe: words[0] == "key", time: time, byteCount: byteCount))
        default: return nil
        }
    }
}
