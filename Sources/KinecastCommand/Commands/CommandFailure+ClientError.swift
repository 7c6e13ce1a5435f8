// The exit status of each way in which a client's request can fail.
import KineClient
import KineContainers
import KineControl
import KinePlatform

extension CommandFailure {
    init(_ error: ClientError) { self.init(status: error.exitStatus, message: error.description) }
}

extension ClientError {
    var exitStatus: Int32 {
        switch self {
        case .noReport, .endedWithoutAnswer: ExitStatus.engineDied
        case .recovery(.storage(let error)):
            error.isCreationFailure ? ExitStatus.cannotCreate : ExitStatus.storageFailed
        case .clip(let failure): failure.exitStatus
        case .recovery(.notARecording), .recovery(.nothingRecorded): ExitStatus.usage
        case .editing(let failure): failure.exitStatus
        case .namedEngineUnusable, .engineNotFound, .executableUnknown, .engineCannotStart, .otherVersion, .noThread,
            .registry, .control, .refused, .noAnswer, .takeIsOver, .noDestination, .noLink, .samples,
            .cancelled:
            ExitStatus.unavailable
        }
    }
}

extension ClipFailure {
    var exitStatus: Int32 {
        switch code {
        case .invalidRequest: ExitStatus.usage
        case .cannotCreate: ExitStatus.cannotCreate
        case .storageFailed: ExitStatus.storageFailed
        case .notBuffering, .exportInProgress, .empty, .unavailable, .unknown: ExitStatus.unavailable
        }
    }
}

extension EditFailure {
    fileprivate var exitStatus: Int32 {
        switch Code(rawValue: code) {
        case .cannotRead, .notARecording, .notFinished, .outOfRange: ExitStatus.usage
        case .cannotCreate: ExitStatus.cannotCreate
        case .storage: ExitStatus.storageFailed
        case .unavailable, nil: ExitStatus.unavailable
        }
    }
}
