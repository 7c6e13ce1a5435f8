// Sentences about destinations, for events and the last summary, and words that they share with tables.
import KineMedia

public enum DestinationSentences {
    /// A sentence, and whether it reports a problem.
    public struct Sentence: Equatable, Sendable {
        public var text: String
        public var isWarning = false
    }

    /// A sentence for an event; nil if none is needed. `isKnownLive`: the destination was already reported as live.
    public static func sentence(_ event: DestinationEvent, isKnownLive: Bool) -> Sentence? {
        let name = event.label
        switch event.kind {
        case .phase(.live): return isKnownLive ? nil : Sentence(text: "Broadcasting to \(name).")
        case .phase, .serviceInfo, .log, .ended(.finished): return nil
        case .link(let link): return Sentence(text: "Live at \(link)")
        case .playerLink(let link): return Sentence(text: "For players: \(link)")
        case .state(let state): return Sentence(text: "\(name): \(phrase(state)).")
        case .warning(let text): return warning("\(name): \(phrase(text)).")
        case .memoryWarning(let resident, let limit):
            return warning(
                "\(name) uses \(Quantity.memory(resident)) of the \(Quantity.memory(limit)) it may, "
                    + "and is ended if it uses all.")
        case .restarting(let ending): return warning("\(name) \(words(ending)); it is started again.")
        case .ended(let ending): return warning("\(name) \(words(ending)); this destination is over.")
        }
    }

    private static func warning(_ text: String) -> Sentence { Sentence(text: text, isWarning: true) }

    /// An ending as words after the destination's name: "crashed (signal 11)".
    public static func words(_ ending: DestinationEnding) -> String {
        switch ending {
        case .finished: "finished"
        case .failed(let reason): "failed: \(phrase(reason))"
        case .crashed(let how): "crashed (\(phrase(how)))"
        case .memoryLimitExceeded(let peak, let limit):
            "used \(Quantity.memory(peak)) of memory, and \(Quantity.memory(limit)) is its limit"
        case .stalled(let how): "stalled: \(phrase(how))"
        }
    }

    /// A destination's line in the last summary: its end, sent bytes, losses and memory.
    public static func summary(_ status: DestinationStatus) -> String {
        let statistics = status.statistics
        var parts = [status.ending.map(words) ?? status.phase.rawValue, Quantity.count(statistics.frames, "frame")]
        if statistics.sentBytes > 0 { parts.append("\(Quantity.bytes(statistics.sentBytes)) sent") }
        if let connection = statistics.connection {
            if let bits = connection.bitrate, bits > 0 { parts.append("\(Quantity.bitrate(bits)) at last") }
            parts += timing(connection)
            if let queue = connection.queueMilliseconds, queue > 0 { parts.append("\(queue) ms never sent") }
            parts += losses(connection)
        }
        if status.framesSkipped > 0 { parts.append("\(status.framesSkipped) skipped") }
        if status.audioLost > 0 { parts.append("\(Quantity.oneDecimal(status.audioLost)) s of audio lost") }
        if status.restarts > 0 {
            parts.append("started again \(status.restarts == 1 ? "once" : "\(status.restarts) times")")
        }
        if status.peakMemory > 0 { parts.append("at most \(Quantity.memory(status.peakMemory))") }
        return "\(status.label): \(parts.joined(separator: ", "))."
    }

    /// A connection's times: `round trip 34 ms`, `for 1:02`.
    public static func timing(_ connection: ConnectionStatistics) -> [String] {
        var parts: [String] = []
        if let trip = connection.roundTripMilliseconds { parts.append("round trip \(Quantity.milliseconds(trip))") }
        if let uptime = connection.uptime { parts.append("for \(Quantity.clock(.seconds(uptime)))") }
        return parts
    }

    /// A connection's losses: `1 reconnect`, `12 frames dropped`.
    public static func losses(_ connection: ConnectionStatistics) -> [String] {
        var parts: [String] = []
        if let count = connection.reconnects, count > 0 { parts.append(Quantity.count(count, "reconnect")) }
        if let count = connection.framesDropped, count > 0 {
            parts.append("\(Quantity.count(count, "frame")) dropped")
        }
        return parts
    }

    /// An extension's text on one line, without control characters, which could move the cursor, and without the full
    /// stop, so that the sentence can continue.
    public static func phrase(_ text: String) -> String {
        var line = String(text.map { $0.isNewline || $0.isControl ? " " : $0 })
        while let last = line.last, last == "." || last == " " { line.removeLast() }
        return line
    }
}

extension Character {
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
