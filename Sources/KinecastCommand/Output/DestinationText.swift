import KineControl
// What a person reads of a destination: a sentence for an event, a few words in the progress line, a line of the summary.
import KineRelay

enum DestinationText {
    /// One sentence, or nil where an event is not worth one. `isKnownLive`: it has been said already that it is live.
    static func sentence(_ event: DestinationEvent, isKnownLive: Bool) -> String? {
        let name = event.label
        switch event.kind {
        case .phase(.live): return isKnownLive ? nil : "Broadcasting to \(name)."
        case .phase: return nil
        case .link(let link): return "Live at \(link)"
        case .playerLink(let link): return "For players: \(link)"
        case .state(let state): return "\(name): \(closed(state))"
        case .warning(let text): return "kinecast: \(name): \(closed(text))"
        case .memoryWarning(let resident, let limit):
            return
                "kinecast: \(name) uses \(memory(resident)) of the \(memory(limit)) it may, and is ended if it uses all."
        case .restarting(let ending):
            return "kinecast: \(name) \(words(ending)); it is started again."
        case .ended(.finished): return nil
        case .ended(let ending):
            return "kinecast: \(name) \(words(ending)); this destination is over."
        }
    }

    /// What became of it, to stand behind its name: "crashed (signal 11)".
    static func words(_ ending: DestinationEnding) -> String {
        switch ending {
        case .finished: "finished"
        case .failed(let reason): "failed: \(open(reason))"
        case .crashed(let how): "crashed (\(open(how)))"
        case .memoryLimitExceeded(let peak, let limit):
            "used \(memory(peak)) of memory, and \(memory(limit)) is its limit"
        case .stalled(let how): "stalled: \(open(how))"
        }
    }

    /// For the progress line: `live: 3 viewers, 12 MB`.
    static func progress(_ status: DestinationStatus) -> String {
        if let ending = status.ending { return "\(status.label): \(shortly(ending))" }
        var parts: [String] = []
        if status.phase != .live { parts.append(status.phase.rawValue) }
        if let state = status.state { parts.append(open(state)) }
        if let viewers = status.statistics.viewers { parts.append(self.viewers(viewers)) }
        if let bits = status.statistics.connection?.bitRate { parts.append(HumanText.bitrate(bits)) }
        if status.residentMemory > 0 { parts.append(memory(status.residentMemory)) }
        return "\(status.label): \(parts.joined(separator: ", "))"
    }

    /// For the summary: what it did and what it took.
    static func summary(_ status: DestinationStatus) -> String {
        let statistics = status.statistics
        var parts = [status.ending.map(words) ?? status.phase.rawValue]
        parts.append("\(statistics.pictures) \(statistics.pictures == 1 ? "picture" : "pictures")")
        if statistics.sentBytes > 0 { parts.append("\(HumanText.bytes(statistics.sentBytes)) sent") }
        if let connection = statistics.connection {
            if let bits = connection.bitRate, bits > 0 { parts.append("\(HumanText.bitrate(bits)) at last") }
            parts += timing(connection)
            if let queue = connection.queueMilliseconds, queue > 0 { parts.append("\(queue) ms never sent") }
            parts += losses(connection)
        }
        if status.picturesSkipped > 0 { parts.append("\(status.picturesSkipped) skipped") }
        if status.soundLost > 0 { parts.append("\(HumanText.oneDecimal(status.soundLost)) s of sound lost") }
        if status.restarts > 0 {
            parts.append("started again \(status.restarts == 1 ? "once" : "\(status.restarts) times")")
        }
        if status.peakMemory > 0 { parts.append("at most \(memory(status.peakMemory))") }
        return "\(status.label): \(parts.joined(separator: ", "))."
    }

    /// For `status`: what it is, how it is, what it uses, and where it can be seen.
    static func columns(_ status: DestinationStatus) -> [String] {
        [
            status.label, status.ending.map(shortly) ?? status.phase.rawValue,
            status.residentMemory > 0 ? "\(memory(status.residentMemory)) of \(memory(status.memoryLimit))" : "-",
            waiting(status), doing(status), status.link ?? "",
        ]
    }

    /// What waits in the engine's memory for it, or, where it says so, also in its own for the network.
    private static func waiting(_ status: DestinationStatus) -> String {
        let bytes = "\(HumanText.bytes(status.statistics.queuedBytes)) waiting"
        return status.statistics.connection?.queueMilliseconds.map { "\(bytes), \($0) ms to send" } ?? bytes
    }

    /// Its own words, and how its connection is: `live, 2.4 Mbit/s, asks for 1.9 Mbit/s, round trip 34 ms, for 1:02`.
    private static func doing(_ status: DestinationStatus) -> String {
        let words = status.statistics.viewers.map(viewers) ?? status.state.map(open) ?? "-"
        guard status.ending == nil else { return words }
        var parts = [words]
        if let problem = status.problem { parts.append(open(problem)) }
        guard let connection = status.statistics.connection else { return parts.joined(separator: ", ") }
        if let bits = connection.bitRate { parts.append(HumanText.bitrate(bits)) }
        parts += request(status.encoding)
        parts += timing(connection)
        parts += losses(connection)
        return parts.joined(separator: ", ")
    }

    private static func timing(_ connection: ConnectionStatistics) -> [String] {
        var parts: [String] = []
        if let trip = connection.roundTripMilliseconds { parts.append("round trip \(HumanText.milliseconds(trip))") }
        if let uptime = connection.uptime { parts.append("for \(HumanText.clock(.seconds(uptime)))") }
        return parts
    }

    private static func request(_ encoding: EncodingRequest) -> [String] {
        var parts: [String] = []
        if let bits = encoding.averageBitRate { parts.append("asks for \(HumanText.bitrate(bits))") }
        if let rate = encoding.maximumFrameRate { parts.append("asks for \(HumanText.oneDecimal(rate)) fps") }
        return parts
    }

    private static func losses(_ connection: ConnectionStatistics) -> [String] {
        var parts: [String] = []
        if let count = connection.reconnects, count > 0 {
            parts.append("\(count) \(count == 1 ? "reconnect" : "reconnects")")
        }
        if let count = connection.picturesDropped, count > 0 {
            parts.append("\(count) \(count == 1 ? "picture" : "pictures") dropped")
        }
        return parts
    }

    static func viewers(_ count: Int) -> String { "\(count) \(count == 1 ? "viewer" : "viewers")" }

    /// Memory in powers of two, as its limits are, and as what shows processes counts it.
    static func memory(_ bytes: Int64) -> String {
        let tenths = (Double(bytes) / Double(1 << 20) * 10).rounded()
        let whole = Int(tenths) / 10
        return whole >= 10 || Int(tenths) % 10 == 0
            ? "\(Int((tenths / 10).rounded())) MB" : "\(whole).\(Int(tenths) % 10) MB"
    }

    private static func shortly(_ ending: DestinationEnding) -> String {
        switch ending {
        case .finished: "finished"
        case .failed: "failed"
        case .crashed: "crashed"
        case .memoryLimitExceeded: "out of memory"
        case .stalled: "stalled"
        }
    }

    /// Others' words, so that a sentence can go on behind them; on one line, whatever they hold.
    private static func open(_ text: String) -> String {
        var line = String(text.map { $0.isNewline || $0.isControl ? " " : $0 })
        while let last = line.last, last == "." || last == " " { line.removeLast() }
        return line
    }

    private static func closed(_ text: String) -> String { open(text) + "." }
}

extension Character {
    /// Others' words must not move the cursor of this terminal.
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
