// A destination's row in the table of `status`.
import KineMedia
import KineWire

enum DestinationColumns {
    /// Label, state, memory, waiting data, activity and link.
    static func columns(_ status: DestinationStatus) -> [String] {
        let memory =
            status.residentMemory > 0
            ? "\(Quantity.memory(status.residentMemory)) of \(Quantity.memory(status.memoryLimit))" : "-"
        return [
            status.label, status.ending?.word ?? status.phase.rawValue, memory,
            waiting(status), activity(status), status.link ?? "",
        ]
    }

    /// The bytes that wait in the engine's memory and, if the extension reports it, the time that its own queue needs.
    private static func waiting(_ status: DestinationStatus) -> String {
        let bytes = "\(Quantity.bytes(status.statistics.queuedBytes)) waiting"
        return status.statistics.connection?.queueMilliseconds.map { "\(bytes), \($0) ms to send" } ?? bytes
    }

    /// The extension's state and its connection: `live, 2.4 Mbit/s, asks for 1.9 Mbit/s, round trip 34 ms, for 1:02`.
    private static func activity(_ status: DestinationStatus) -> String {
        let viewers = status.statistics.viewers.map { Quantity.count($0, "viewer") }
        let words = viewers ?? status.state.map(DestinationSentences.phrase) ?? "-"
        guard status.ending == nil else { return words }
        var parts = [words]
        if let problem = status.problem { parts.append(DestinationSentences.phrase(problem)) }
        if let connection = status.statistics.connection {
            if let bits = connection.bitrate { parts.append(Quantity.bitrate(bits)) }
            parts += request(status.encoding)
            parts += DestinationSentences.timing(connection)
            parts += DestinationSentences.losses(connection)
        }
        return parts.joined(separator: ", ")
    }

    private static func request(_ encoding: EncodingRequest) -> [String] {
        var parts: [String] = []
        if let bits = encoding.averageBitrate { parts.append("asks for \(Quantity.bitrate(bits))") }
        if let rate = encoding.maximumFrameRate { parts.append("asks for \(Quantity.oneDecimal(rate)) fps") }
        return parts
    }
}

extension DestinationEnding {
    /// For a person's table.
    var word: String { if case .memoryLimitExceeded = self { "out of memory" } else { name } }
}
