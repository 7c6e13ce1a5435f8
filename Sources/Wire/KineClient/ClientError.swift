// The errors of this target. The sentences for people are in Sentences/.
import KineContainers
import KinePlatform
import KineRings
import KineWire
import SystemPackage

/// The error that every call of this target throws.
public enum ClientError: ThreadError, Equatable, Sendable {
    /// The file that `KINECAST_ENGINE` names cannot be executed.
    case namedEngineUnusable(String)
    /// No engine is in any of these places.
    case engineNotFound(places: [FilePath])
    /// The system does not say where this process's own executable is.
    case executableUnknown
    /// The engine's process cannot be started.
    case engineCannotStart(executable: FilePath, StartFault)
    /// The engine speaks another version of the control protocol.
    case otherVersion(theirs: Int)
    /// An engine that was started for one question did not answer it.
    case noReport(executable: FilePath, option: String, ChildProcess.Ending, lastWords: String?)
    /// The system refused this process another thread.
    case noThread(name: String, Errno)
    /// The take cannot be found, or is not the only one that fits.
    case registry(TakeRegistry.Error)
    /// The connection to the engine failed.
    case control(ControlError)
    /// The engine refused the request.
    case refused(Refusal)
    /// The engine did not answer in time.
    case noAnswer(TakeReference)
    /// The engine ended before it had answered.
    case endedWithoutAnswer(TakeReference)
    /// The take is over, or this session with it is.
    case takeIsOver
    /// No destination of the take has a link.
    case noLink(take: String)
    case recovery(MP4Recovery.Error)
    /// The memory of the samples that the engine passed on cannot be used.
    case samples(StreamReceiver.Error)
    /// A recording cannot be cut or looked at; one sentence of the engine's.
    case editing(EditFailure)
    /// The task that waited was cancelled.
    case cancelled

    /// The reason why a process could not be started.
    public enum StartFault: Error, Equatable, Sendable {
        case system(Errno)
        case control(ControlError)
    }

    /// The take that an error is about.
    public struct TakeReference: Equatable, Sendable {
        /// The take's id; nil while the engine has not told it.
        public var id: String?
        /// The engine's process.
        public var pid: Int32
        /// The file that is being written; nil where there is none, or where it is not known yet.
        public var output: String?
    }

    /// An error's kind without details. The names never change, for logs and programs.
    public enum Code: String, Sendable, CaseIterable {
        case engineNotFound, engineCannotStart, otherVersion, noReport, resourceExhausted, registry, control, refused
        case noAnswer, endedWithoutAnswer, takeIsOver, noLink, recovery, samples, editing
        case cancelled
    }

    public var code: Code {
        switch self {
        case .namedEngineUnusable, .engineNotFound, .executableUnknown: .engineNotFound
        case .engineCannotStart: .engineCannotStart
        case .otherVersion: .otherVersion
        case .noReport: .noReport
        case .noThread: .resourceExhausted
        case .registry: .registry
        case .control: .control
        case .refused: .refused
        case .noAnswer: .noAnswer
        case .endedWithoutAnswer: .endedWithoutAnswer
        case .takeIsOver: .takeIsOver
        case .noLink: .noLink
        case .recovery: .recovery
        case .samples: .samples
        case .editing: .editing
        case .cancelled: .cancelled
        }
    }

    /// Another thing that the person can do. The description does not name it.
    public var alternative: Alternative? {
        switch self {
        case .refused(let refusal): refusal.alternative
        case .editing(let failure): failure.alternative
        default: nil
        }
    }

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
