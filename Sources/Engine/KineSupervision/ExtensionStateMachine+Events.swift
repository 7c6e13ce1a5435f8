// The events and the actions of ExtensionStateMachine, and its states in a pause.
import KineMedia
import KinePlatform
import KineRings
import KineWire

extension ExtensionStateMachine {
    enum Pause: Sendable, Equatable {
        case none
        /// The take has paused; a running extension gets the message at this instant.
        case settling(until: Int64)
        /// The extension got the message, or will get it when it starts to run.
        case told
    }

    package enum Event: Sendable, Equatable {
        case timePassed
        /// The engine did not run for so many nanoseconds until now; the extension is taken to have been stopped too.
        case resumed(after: Int64)
        case launched(pid: Int32)
        /// The process cannot be started or fed; the reason in one sentence.
        case impossible(String, code: ProblemCode? = nil)
        case startSent
        case report(ExtensionReport)
        /// Resident bytes of the process and its descendants.
        case memory(resident: Int)
        /// The instant since which it has held a sample or left the oldest one unread; nil: neither.
        case held(since: Int64?)
        /// It violated the protocol; the violation, for the end of a sentence: "corrupted its sample buffer".
        case protocolViolation(String)
        /// The video has a format that the extension does not follow. It has read everything before.
        case formatOutgrown
        case channelClosed
        /// The process was reaped. `cappedAt`: its peak memory in bytes if the kernel ended it at its limit.
        case exited(ChildProcess.Ending, stderrTail: String?, cappedAt: Int?)
        case pauseRequested
        case resumeRequested
        case annotateRequested([String: String])
        case linkRenewalRequested
        /// A client removes the destination from the take, which continues.
        case removalRequested
        /// The screen that the take shows was locked or unlocked.
        case screenLockChanged(Bool)
        /// The last sample of the take was written.
        case finishRequested
    }

    enum Order: Sendable, Equatable {
        case pause
        case resume
        case annotate([String: String])
        case renewLink
        case screenLocked(Bool)
        case finish(seconds: Double)
    }

    enum Action: Sendable, Equatable {
        /// Start a process and request its feed.
        case launch
        case beginFeeding
        /// Follows each `beginFeeding` once. No sample is sent after it.
        case endFeeding
        case send(Order)
        /// Kill the process and its descendants.
        case kill
        case requestKeyframe
        case requestEncoding(EncodingRequest)
        /// `code`: of a warning.
        case announce(DestinationEvent.Kind, code: ProblemCode? = nil)
    }
}

// The ending of a destination, from how its extension's process ended.
extension DestinationEnding {
    /// Whether it has a sentence, which may have a code.
    var isFailure: Bool { if case .failed = self { true } else { false } }

    /// The ending of a process that ended by itself without a request.
    static func crash(_ ending: ChildProcess.Ending, stderrTail: String?) -> DestinationEnding {
        let cause =
            switch ending {
            case .exited(let status): "exit status \(status)"
            case .killed(let signal): "signal \(signal)"
            }
        return .crashed(cause + (stderrTail.map { ": \($0)" } ?? ""))
    }

    /// Whether a new process could succeed. Not after an error that the extension reported: it would report it again.
    var mayPass: Bool {
        switch self {
        case .crashed, .memoryLimitExceeded, .stalled: true
        case .finished, .failed: false
        }
    }
}

extension ExtensionStateMachine.Event {
    /// The event for an error on the extension's control channel.
    init(_ error: ControlError) {
        self =
            switch error {
            case .protocolError(.version(let theirs)):
                .impossible(
                    "It was made for version \(theirs) of Kinecast's messages, and this is \(ControlHello.currentVersion)."
                )
            case .protocolError: .protocolViolation("sent an invalid message on its control channel")
            case .peerTooSlow: .protocolViolation("does not read its control channel")
            case .unencodable: .impossible(error.description)
            default: .channelClosed
            }
    }
}

extension ExtensionStateMachine.Order {
    /// - Parameter position: of the samples after which the order is carried out.
    func request(after position: StreamPosition) -> ExtensionRequest {
        switch self {
        case .pause: .pause(after: position)
        case .resume: .resume(after: position)
        case .annotate(let info): .annotate(info, after: position)
        case .renewLink: .renewLink(after: position)
        case .screenLocked(let isLocked): .screenLocked(isLocked, after: position)
        case .finish(let seconds): .finish(after: position, seconds: seconds)
        }
    }
}
