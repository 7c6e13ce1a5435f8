// The line at the bottom of a terminal, rewritten once a second. Pure.
import KineMedia
import KineWire

/// `● 0:07  1.2 MB  Live page: 3 viewers`. With `isVerbose` also frame rate, losses, bitrates and memory:
/// `● 0:07  1.2 MB  Live page: 3 viewers, 12 MB  29.8 fps  12 unchanged  0 dropped`.
struct ProgressLine {
    var progress: TakeProgress
    /// The progress in the previous line, from which the frame rate is computed.
    var last: TakeProgress?
    var isPaused = false
    var hasFile = true
    var isVerbose = false

    /// The line, at most `columns` wide, since a wrapped line cannot be rewritten. If addresses do not fit, it shows
    /// the services' ids instead.
    func text(columns: Int) -> String {
        let text = text(progress.destinations.map { destination($0, name: $0.label) })
        return text.columns <= columns
            ? text : self.text(progress.destinations.map { destination($0, name: $0.service) }).cut(to: columns)
    }

    private func text(_ destinations: [String]) -> String {
        var parts = ["\(isPaused ? "‖" : "●") \(Quantity.clock(progress.duration))"]
        if hasFile { parts.append(Quantity.bytes(progress.bytes)) }
        if isPaused { parts.append("paused") }
        parts += destinations
        if isVerbose {
            if !isPaused { parts.append("\(Quantity.oneDecimal(frameRate)) fps") }
            parts += ["\(progress.framesUnchanged) unchanged", "\(progress.framesDropped) dropped"]
        }
        return parts.joined(separator: "  ")
    }

    private var frameRate: Double {
        let elapsed = progress.duration.seconds - (last?.duration ?? .zero).seconds
        let drawn = Double(progress.framesDrawn) - Double(last?.framesDrawn ?? 0)
        return elapsed > 0.05 ? drawn / elapsed : 0
    }

    private func destination(_ status: DestinationStatus, name: String) -> String {
        if let ending = status.ending { return "\(name): \(ending.word)" }
        var parts = status.phase == .live ? [] : [status.phase.rawValue]
        if let state = status.state { parts.append(DestinationSentences.phrase(state)) }
        if let viewers = status.statistics.viewers { parts.append(Quantity.count(viewers, "viewer")) }
        if parts.isEmpty { parts = [status.phase.rawValue] }
        if isVerbose {
            let connection = status.statistics.connection
            if let bits = connection?.bitrate { parts.append(Quantity.bitrate(bits)) }
            if let queue = connection?.queueMilliseconds { parts.append("\(queue) ms to send") }
            if status.residentMemory > 0 { parts.append(Quantity.memory(status.residentMemory)) }
        }
        return "\(name): \(parts.joined(separator: ", "))"
    }
}

/// The progress that was reported so far, from which the next line is made.
struct ProgressHistory {
    private let isVerbose: Bool
    private var last: TakeProgress?
    private var isPaused = false
    /// False until the take has started.
    private var hasFile = false

    init(isVerbose: Bool) { self.isVerbose = isVerbose }

    /// - Parameter hasFile: whether the lines show the size of what is written.
    mutating func start(hasFile: Bool) { self.hasFile = hasFile }

    /// Returns the line of newer progress.
    mutating func advance(to progress: TakeProgress) -> ProgressLine {
        defer { last = progress }
        return line(progress)
    }

    /// Returns the line that shows the pause; nil before the first progress.
    mutating func pause() -> ProgressLine? {
        isPaused = true
        guard let last else { return nil }
        return line(last)
    }

    /// The next progress shows it.
    mutating func resume() { isPaused = false }

    private func line(_ progress: TakeProgress) -> ProgressLine {
        ProgressLine(progress: progress, last: last, isPaused: isPaused, hasFile: hasFile, isVerbose: isVerbose)
    }
}
