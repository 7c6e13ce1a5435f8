// The events that ExtensionStateMachine handles, and the actions that it returns.
import KineMedia
import KinePlatform
import KineWire

extension ExtensionStateMachine {
    package enum Event: Sendable, Equatable {
        /// Only time has passed.
        case timePassed
        /// The process runs.
        case launched(pid: Int32)
        /// The process cannot be started or fed; one sentence.
        case impossible(String)
        /// The request `start` was sent.
        case startSent
        case report(ExtensionReport)
        /// Resident bytes of the process and its descendants.
        case memory(resident: Int)
        /// The instant since which it has held a sample or left the oldest one unread; nil: neither.
        case held(since: Int64?)
        /// It broke the protocol: "wrote nonsense into its ring" …
        case protocolViolation(String)
        /// Its end of the control channel is closed.
        case channelClosed
        /// The process was reaped. `cappedAt`: the kernel ended it at its memory limit; the peak, bytes.
        case exited(ChildProcess.Ending, lastWords: String?, cappedAt: Int?)
        case pauseRequested
        case resumeRequested
        case annotateRequested([String: String])
        case linkRenewalRequested
        /// A client takes the destination from the take, which goes on.
        case removalRequested
        /// The screen that the take shows was locked or unlocked.
        case screenLockChanged(Bool)
        /// The last sample of the take has been written.
        case finishRequested
    }

    /// A request to the extension.
    enum Order: Sendable, Equatable {
        case pause
        case resume
        case annotate([String: String])
        case renewLink
        case screenLocked(Bool)
        case finish(seconds: Double)
    }

    enum Action: Sendable, Equatable {
        /// Start a process, and have its feed made.
        case launch
        case beginFeeding
        /// Always follows `beginFeeding`, once. No sample comes after it.
        case endFeeding
        case send(Order)
        /// Kill the process and its descendants.
        case kill
        case requestKeyframe
        case requestEncoding(EncodingRequest)
        case announce(DestinationEvent.Kind)
    }
}

// The ending of a destination, from how its extension's process ended.
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
