// The ending of a destination, from how its extension's process ended.
import KinePlatform
import KineWire

extension DestinationEnding {
    /// The process ended by itself, unasked.
    static func crash(_ ending: ChildProcess.Ending, lastWords: String?) -> DestinationEnding {
        let cause =
            switch ending {
            case .exited(let status): "exit status \(status)"
            case .killed(let signal): "signal \(signal)"
            }
        return .crashed(cause + (lastWords.map { ": \($0)" } ?? ""))
    }

    /// Whether a new process could succeed. An extension would only report its own error again.
    var mayPass: Bool {
        switch self {
        case .crashed, .memoryLimitExceeded, .stalled: true
        case .finished, .failed: false
        }
    }
}
