// The exit status for each failure of a client's request, and of stores and catalogs.
import KineClient
import KineContainers
import KinePlatform
import KineProgram
import KineServices
import KineWire

extension CommandFailure {
    init(_ error: PermissionStore.Error) {
        let status =
            switch error {
            case .noHome: ExitStatus.unavailable
            case .unreadable, .notAFile, .foreign: ExitStatus.noPermission
            case .damaged: ExitStatus.unavailable
            case .cannotWrite, .busy, .full: ExitStatus.cannotCreate
            }
        self.init(status: status, message: error.description)
    }

    init(_ error: ServiceCatalog.InstallError) {
        let status =
            switch error {
            case .notABundle, .damaged: ExitStatus.usage
            case .unknown, .noHome: ExitStatus.unavailable
            case .notYours, .noConsent, .notReplaced: ExitStatus.noPermission
            case .cannotCopy, .cannotRemove: ExitStatus.cannotCreate
            }
        self.init(status: status, message: error.description)
    }

    init(_ error: ClientError) {
        self.init(
            status: error.exitStatus, message: TakeSentences.sentence(error.description, or: error.alternative?.words))
    }
}

extension TakeFailure {
    /// The failure in one sentence, with the alternatives in the command line's words.
    var sentence: String { TakeSentences.sentence(message, or: alternative?.words) }
}

extension Alternative {
    /// A clause for the end of a sentence.
    var words: String {
        switch self {
        case .replaceFile: "replace it with --overwrite"
        case .recordVirtualScreen: "record a private screen with --virtual 1280x720 -- COMMAND"
        case .recordSilently: "record with --audio none"
        case .giveRegion: "give the region as --region 640x480+100+50"
        case .chooseWindow: "choose a window in the desktop's dialog with --window ask"
        case .nameWindow: "name the window: --window focused, title:TEXT or an id that kinecast sources lists"
        }
    }
}

extension ClientError {
    var exitStatus: Int32 {
        switch self {
        case .noReport, .endedWithoutAnswer: ExitStatus.engineDied
        // The named file needs no recovery, or cannot be recovered now.
        case .recovery(.storage(.cannotOpen)), .recovery(.storage(.notARegularFile)), .recovery(.storage(.inUse)):
            ExitStatus.usage
        case .recovery(.storage(let error)):
            error.isCreationFailure ? ExitStatus.cannotCreate : ExitStatus.storageFailed
        case .refused(let refusal): refusal.code.exitStatus
        case .recovery(.notARecording), .recovery(.nothingRecorded): ExitStatus.usage
        case .editing(let failure): failure.exitStatus
        case .locator, .engineCannotStart, .otherVersion, .noThread, .registry, .control, .noAnswer, .takeIsOver,
            .noLink, .cancelled:
            ExitStatus.unavailable
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
