// The line at the bottom of a terminal that is rewritten once a second.
import KineClient
import KineControl

enum ProgressLine {
    /// `● 0:07  1.2 MB  29.8 fps  live: 3 viewers, 12 MB  12 unchanged  0 dropped`.
    static func text(
        _ progress: TakeProgress, since last: TakeProgress?, isPaused: Bool, hasFile: Bool = true,
        _ statuses: [DestinationStatus] = []
    ) -> String {
        var parts = ["\(isPaused ? "‖" : "●") \(Quantity.clock(progress.duration))"]
        if hasFile { parts.append(Quantity.bytes(progress.bytes)) }
        let elapsed = progress.duration.seconds - (last?.duration ?? .zero).seconds
        let drawn = Double(progress.framesDrawn) - Double(last?.framesDrawn ?? 0)
        parts.append(isPaused ? "paused" : "\(Quantity.oneDecimal(elapsed > 0.05 ? drawn / elapsed : 0)) fps")
        // How the destinations are matters more than what was skipped, and the line may be cut.
        parts += statuses.map(destination)
        parts += ["\(progress.framesUnchanged) unchanged", "\(progress.framesDropped) dropped"]
        return parts.joined(separator: "  ")
    }

    /// `live: 3 viewers, 12 MB`.
    static func destination(_ status: DestinationStatus) -> String {
        if let ending = status.ending { return "\(status.label): \(DestinationSentences.word(ending))" }
        var parts: [String] = []
        if status.phase != .live { parts.append(status.phase.rawValue) }
        if let state = status.state { parts.append(DestinationSentences.phrase(state)) }
        if let viewers = status.statistics.viewers { parts.append(Quantity.count(viewers, "viewer")) }
        if let bits = status.statistics.connection?.bitrate { parts.append(Quantity.bitrate(bits)) }
        if status.residentMemory > 0 { parts.append(Quantity.memory(status.residentMemory)) }
        return "\(status.label): \(parts.joined(separator: ", "))"
    }
}
