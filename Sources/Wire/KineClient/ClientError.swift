// The errors of this target. Their sentences for a person are in Sentences/.
import KineContainers
import KinePlatform
import KineTakes
import KineWire
import SystemPackage

/// The error that every method of this target throws.
public enum ClientError: ThreadError, Equatable, Sendable {
    /// No engine was found.
    case locator(EngineLocator.Error)
    /// The engine's process cannot be started.
    case engineCannotStart(executable: FilePath, StartFault)
    /// The engine speaks another version of the control protocol.
    case otherVersion(theirs: Int)
    /// An engine started for one question did not answer it.
    case noReport(executable: FilePath, option: String, ChildProcess.Ending, stderrTail: String?)
    /// The system refused to start a thread.
    case noThread(name: String, Errno)
    /// The take cannot be found, or several takes match.
    case registry(TakeRegistry.Error)
    /// The connection to the engine failed.
    case control(ControlError)
    /// The engine refused the request.
    case refused(Refusal)
    /// The engine did not answer in time.
    case noAnswer(TakeReference)
    /// The engine ended before it had answered.
    case endedWithoutAnswer(TakeReference)
    /// The take is over, or the session is closed.
    case takeIsOver
    /// No destination of the take has a link.
    case noLink(take: String)
    case recovery(MP4Recovery.Error)
    /// A recording cannot be trimmed or read; the engine's sentence.
    case editing(EditFailure)
    /// The waiting task was cancelled.
    case cancelled

    /// The reason why a process could not be started.
    public enum StartFault: Error, Equatable, Sendable {
        case system(Errno)
        case control(ControlError)
    }

    /// The take that an error is about.
    public struct TakeReference: Equatable, Sendable {
        /// The take's id; nil until the engine has reported it.
        public var id: String?
        /// The engine's process.
        public var pid: Int32
        /// The output file; nil if there is none, or if it is not known yet.
        public var output: String?
    }

    /// An alternative for the person. The description does not mention it.
    public var alternative: Alternative? {
        switch self {
        case .refused(let refusal): refusal.alternative
        case .editing(let failure): failure.alternative
        default: nil
        }
    }

    /// The reply is to another request.
    static let otherReply = ClientError.control(.protocolError(.malformed("the reply is to another request")))

    init(_ error: ControlError) {
        if case .protocolError(.version(let theirs)) = error {
            self = .otherVersion(theirs: theirs)
        } else {
            self = .control(error)
        }
    }
}

extension ClientError.TakeReference {
    public init(_ take: TakeRecord) { self.init(id: take.id, pid: take.pid, output: take.output) }
}
