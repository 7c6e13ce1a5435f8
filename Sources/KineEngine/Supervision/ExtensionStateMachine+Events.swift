// The events that ExtensionStateMachine is told, and the actions that it answers.
import KineControl
import KinePlatform
import KineRelay

extension ExtensionStateMachine {
    enum Event: Sendable, Equatable {
        /// Nothing but that time has passed.
        case timePassed
        /// The process runs.
        case launched(pid: Int32)
        /// It cannot be started, or it cannot be fed; one sentence.
        case impossible(String)
        /// `start` is on its way.
        case startSent
        case report(ExtensionReport)
        /// Resident bytes of the process and its descendants.
        case memory(resident: Int64)
        /// Since when it has held a sample, or left the oldest that waits unread; nil: neither.
        case held(since: Int64?)
        /// It broke the protocol: "wrote nonsense into its ring" …
        case protocolViolation(String)
        /// Its end of the control channel is closed.
        case channelClosed
        /// The process was reaped. `cappedAt`: the kernel ended it at its memory limit; the peak, bytes.
        case exited(ChildProcess.Ending, lastWords: String?, cappedAt: Int64?)
        case pauseRequested
        case resumeRequested
        case annotateRequested([String: String])
        case linkRenewalRequested
        /// The last sample of the take has been written.
        case finishRequested
    }

    /// What the extension is told.
    enum Order: Sendable, Equatable {
        case pause
        case resume
        case annotate([String: String])
        case renewLink
        case finish(seconds: Double)
    }

    enum Action: Sendable, Equatable {
        /// Start a process, and have its feed made.
        case launch
        case beginFeeding
        /// Always follows `beginFeeding`, once. No sample comes after it.
        case endFeeding
        case send(Order)
        /// The process and its descendants.
        case kill
        case requestKeyframe
        case requestEncoding(EncodingRequest)
        case announce(DestinationEvent.Kind)
    }
}
