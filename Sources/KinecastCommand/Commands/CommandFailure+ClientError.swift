// The exit status of each way in which a client's request or a take can fail.
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
        case .recovery(.notARecording), .recovery(.nothingRecorded): ExitStatus.usage
        case .namedEngineUnusable, .engineNotFound, .executableUnknown, .engineCannotStart, .otherVersion, .noThread,
            .registry, .control, .refused, .noAnswer, .takeIsOver, .noDestination, .noLink, .cancelled:
            ExitStatus.unavailable
        }
    }
}

extension TakeOutcome {
    var exitStatus: Int32 {
        switch self {
        case .finished(let summary): summary.exitStatus
        case .failed(let failure): failure.exitStatus
        case .engineDied: ExitStatus.engineDied
        }
    }
}
