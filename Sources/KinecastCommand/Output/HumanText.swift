import KineControl
// Numbers as people read them.
import KineMedia

enum HumanText {
    /// `0:07`, `12:34`, `1:02:03`: a running clock, whole seconds.
    static func clock(_ time: MediaTime) -> String {
        let seconds = max(0, Int(time.nanoseconds / 1_000_000_000))
        let tail = "\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        if seconds >= 3600 { return "\(seconds / 3600):\(tail)" }
        return "\(seconds / 60):\(two(seconds % 60))"
    }

    /// `7.4 s`, `12 min 34 s`, `1 h 2 min 3 s`: a length in a sentence.
    static func length(_ time: MediaTime) -> String {
        let tenths = max(0, Int((time.seconds * 10).rounded()))
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = (tenths + 5) / 10
        let minutes = "\(seconds / 60 % 60) min \(seconds % 60) s"
        return seconds >= 3600 ? "\(seconds / 3600) h \(minutes)" : minutes
    }

    /// `812 bytes`, `3.4 MB`: powers of ten, as file managers count.
    static func bytes(_ count: Int64) -> String {
        var value = Double(count)
        guard value >= 1000 else { return "\(count) bytes" }
        for unit in ["kB", "MB", "GB"] {
            value /= 1000
            if value < 999.95 { return "\(oneDecimal(value)) \(unit)" }
        }
        return "\(oneDecimal(value / 1000)) TB"
    }

    /// `812 kbit/s`, `3.4 Mbit/s`.
    static func bitrate(_ bitsPerSecond: Int) -> String {
        let kilobits = (Double(bitsPerSecond) / 1000).rounded()
        return kilobits < 1000 ? "\(Int(kilobits)) kbit/s" : "\(oneDecimal(kilobits / 1000)) Mbit/s"
    }

    /// `0.4 ms`, `34 ms`.
    static func milliseconds(_ value: Double) -> String {
        value < 10 ? "\(oneDecimal(value)) ms" : "\(whole(value)) ms"
    }

    static func oneDecimal(_ value: Double) -> String {
        let tenths = whole(value * 10)
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// `● 0:07  1.2 MB  29.8 fps  live: 3 viewers, 12 MB  12 unchanged  0 dropped`.
    static func progress(
        _ progress: TakeProgress, since last: TakeProgress?, isPaused: Bool, hasFile: Bool = true,
        _ statuses: [DestinationStatus] = []
    ) -> String {
        var parts = ["\(isPaused ? "‖" : "●") \(clock(progress.duration))"]
        if hasFile { parts.append(bytes(progress.bytes)) }
        let elapsed = progress.duration.seconds - (last?.duration ?? .zero).seconds
        let drawn = Double(progress.framesDrawn) - Double(last?.framesDrawn ?? 0)
        parts.append(isPaused ? "paused" : "\(oneDecimal(elapsed > 0.05 ? drawn / elapsed : 0)) fps")
        // Where a broadcaster stands matters more than what was skipped, and the line may be cut.
        parts += statuses.map(DestinationText.progress)
        parts += ["\(progress.framesUnchanged) unchanged", "\(progress.framesDropped) dropped"]
        return parts.joined(separator: "  ")
    }

    /// What a take drew, left out and lost.
    static func frames(_ progress: TakeProgress) -> String {
        "\(progress.framesDrawn) \(progress.framesDrawn == 1 ? "frame" : "frames") drawn, \(progress.framesUnchanged) skipped as unchanged, "
            + "\(progress.framesDropped) dropped"
    }

    /// The last lines of a take: the recording, or that there was none, then a line for each destination. The reason for its end
    /// is left out where it is what was `told` of a failure.
    static func summary(_ summary: TakeSummary, told: String? = nil) -> [String] {
        let progress = summary.progress
        let reason = summary.reason == told ? "" : " (\(summary.reason))"
        let picture = "\(summary.size.width)x\(summary.size.height); \(frames(progress))\(reason)."
        let first =
            summary.output.map { "Saved \($0): \(length(progress.duration)), \(bytes(progress.bytes)), \(picture)" }
            ?? "Broadcast \(length(progress.duration)), \(picture)"
        return [first] + summary.destinations.map(DestinationText.summary)
    }

    /// Columns side by side, two spaces between, the first row the heading.
    static func table(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column + 1 < row.count { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The nearest number from 0 up that there is: an engine may count anything.
    private static func whole(_ value: Double) -> Int {
        // Of these, no product of ten overflows.
        Int(min(max(value.isNaN ? 0 : value, 0), 1e17).rounded())
    }

    private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
