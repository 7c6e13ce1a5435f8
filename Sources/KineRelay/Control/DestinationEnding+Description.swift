// How a destination ended, in words, and what that makes of a take.

extension DestinationEnding: CustomStringConvertible {
    /// A few words or a sentence, to stand behind the destination's name and a colon.
    public var description: String {
        switch self {
        case .finished: "finished"
        case .failed(let reason): reason
        case .crashed(let how): "its process ended unexpectedly (\(how))"
        case .memoryLimitExceeded(let peak, let limit):
            "it used \(Self.megabytes(peak)) MB of memory and may use \(Self.megabytes(limit)) MB"
        case .stalled(let how): "it stopped working (\(how))"
        }
    }

    /// With one decimal.
    private static func megabytes(_ bytes: Int64) -> String {
        let tenths = (bytes * 10 + (1 << 19)) >> 20
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension TakeSummary {
    /// What the command's exit status is for a take that ended as it should: 0, or 75 where a destination ended for good
    /// in another way than finished.
    public var exitStatus: Int32 {
        destinations.contains { $0.ending != nil && $0.ending != .finished } ? ExitStatus.destinationFailed : 0
    }
}
