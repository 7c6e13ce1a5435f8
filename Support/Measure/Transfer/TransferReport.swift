// What one end of a transfer tells of itself when it is over, as text that passes between processes.

/// The account of a sender or of a receiver of frames.
public struct TransferReport: Equatable, Sendable {
    public var frames = 0
    /// Nanoseconds on a processor, of all threads, for these frames.
    public var processorNanoseconds: Int64 = 0
    /// Bytes that this end wrote on the way, the kernel's copies included, for these frames.
    public var movedBytes = 0
    /// The most bytes of memory that this process ever had resident.
    public var highWaterBytes = 0
    /// For each frame in order, nanoseconds from its stamp until the receiver had it. Empty at a sender.
    public var delays: [Int64] = []
    /// What else an end has to say, by name.
    public var notes: [String: String] = [:]

    public init() {}

    /// `name value` a line.
    public var text: String {
        var lines = [
            "frames \(frames)", "processor \(processorNanoseconds)", "moved \(movedBytes)", "peak \(highWaterBytes)",
        ]
        lines += notes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        lines.append("delays " + delays.map { "\($0)" }.joined(separator: " "))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads what `text` wrote; nil where the last line is missing, which is how a process that died is known.
    public init?(_ text: String) {
        var isWhole = false
        for line in text.split(separator: "\n") {
            let name = line.prefix { $0 != " " }
            let value = line.dropFirst(name.count + 1)
            switch name {
            case "frames": frames = Int(value) ?? 0
            case "processor": processorNanoseconds = Int64(value) ?? 0
            case "moved": movedBytes = Int(value) ?? 0
            case "peak": highWaterBytes = Int(value) ?? 0
            case "delays":
                delays = value.split(separator: " ").compactMap { Int64($0) }
                isWhole = true
            default: notes[String(name)] = String(value)
            }
        }
        guard isWhole else { return nil }
    }

    /// The delay that `share` of the frames did not exceed, in milliseconds, the first `warmup` frames left out; not a
    /// number where there is none.
    public func delayMilliseconds(_ share: Double, warmup: Int = 30) -> Double {
        let sorted = delays.dropFirst(warmup).sorted()
        guard !sorted.isEmpty else { return .nan }
        let place = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return Double(sorted[max(0, min(sorted.count - 1, place))]) / 1e6
    }
}
