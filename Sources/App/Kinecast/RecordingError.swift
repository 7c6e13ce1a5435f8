// Why a recorder could not do what an app asked of it.
import KineClient
import KineContainers
import KinePlatform
import KineWire
import SystemPackage

/// The error that the recorder's calls throw, and that its events tell.
public struct RecordingError: Error, Equatable, Sendable {
    /// The kind of an error. Its name stays as it is, for logs and programs.
    public enum Code: String, Sendable, CaseIterable {
        /// The person at the screen did not allow it.
        case userDeclined
        /// Something that is needed is missing or not possible here; the message says what to install or to set.
        case unavailable
        /// The app has no window that could be recorded: another scope has to be chosen.
        case noWindow
        /// No engine is installed, or it cannot be started.
        case engineNotFound
        /// The engine that is installed is of a version that this library does not understand.
        case otherVersion
        /// The take could not begin.
        case failedToStart
        /// The take was running and failed.
        case failed
        /// The engine died. What was recorded is in the preview, if there is one.
        case engineDied
        /// The disk is full or failed. What was recorded before is kept.
        case insufficientStorage
        /// The file cannot be written, moved or removed at that place.
        case failedToSave
        /// The recording was discarded before.
        case discarded
        /// The person at the screen stopped the recording, at the desktop's indicator.
        case userStopped
        /// What was recorded has ended, such as a window that was closed. The recording is complete.
        case sourceEnded
        /// The recorder records already.
        case alreadyRecording
        /// The recorder does not record.
        case notRecording
        /// The take was ended before it had begun.
        case cancelled
        /// The file is not a recording of Kinecast's, is damaged, or is not finished.
        case notARecording
        /// The times are not within the recording, or in the wrong order.
        case outOfRange
        /// The recording could not be shared.
        case failedToShare
        /// The sample's memory has gone back to the engine.
        case sampleIsGone
        /// The recorder buffers clips already.
        case alreadyBuffering
        /// The recorder buffers no clips, and its recording keeps none either.
        case notBuffering
        /// A clip is being written.
        case exportInProgress
        /// The clip could not be written; nothing is left of it.
        case exportFailed
        /// A value that makes no sense, or that is out of range.
        case invalidParameter
    }

    public let code: Code
    /// A sentence for a person: what happened, on what, and what to do.
    public let message: String
    /// What there is of the recording; nil where there is nothing.
    public private(set) var preview: RecordingPreview?

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    private init(_ code: Code, _ message: String, _ alternative: Alternative?) {
        self.init(code, TakeSentences.sentence(message, or: alternative?.words))
    }

    func with(_ preview: RecordingPreview?) -> RecordingError {
        var error = self
        error.preview = preview
        return error
    }

    public static func == (one: RecordingError, other: RecordingError) -> Bool {
        (one.code, one.message) == (other.code, other.message) && one.preview === other.preview
    }

    static let alreadyRecording = RecordingError(
        .alreadyRecording, "The recorder records already; stop the recording first, or make another recorder.")
    static let notRecording = RecordingError(.notRecording, "The recorder does not record; start a recording first.")
    static let sampleIsGone = RecordingError(
        .sampleIsGone, "The sample can be read only until the next one is asked for; copy what is needed before.")
    static let alreadyBuffering = RecordingError(
        .alreadyBuffering, "The recorder buffers clips already; stop that first, or make another recorder.")
    static let notBuffering = RecordingError(
        .notBuffering, "The recorder buffers no clips; start clip buffering first.")
    static let discarded = RecordingError(.discarded, "The recording was discarded already; record again.")
    static let cancelled = RecordingError(.cancelled, "The recording was ended before it had begun.")
}

extension RecordingError: ThreadError {
    public static func noThread(name: String, _ errno: Errno) -> RecordingError {
        RecordingError(.failed, DedicatedThread.explanation(of: errno, thread: name))
    }
}

extension RecordingError: CustomStringConvertible {
    public var description: String { message }
}

extension RecordingError {
    /// A recording cannot be moved, copied or thrown away.
    init(_ error: StorageError) {
        let code: Code = if case .full = error { .insufficientStorage } else { .failedToSave }
        let alternative: Alternative? = if case .alreadyExists = error { .replaceFile } else { nil }
        self.init(code, "\(error).", alternative)
    }

    init(_ error: ClientError) {
        let code: Code =
            switch error {
            case .engineNotFound, .namedEngineUnusable, .executableUnknown, .engineCannotStart: .engineNotFound
            case .otherVersion: .otherVersion
            case .cancelled: .cancelled
            case .editing(let failure): Self.code(of: failure)
            case .endedWithoutAnswer: .engineDied
            case .refused(let refusal): Self.code(of: refusal)
            case .noReport, .noThread, .registry, .control, .noAnswer, .takeIsOver, .noLink, .recovery, .samples:
                .failed
            }
        self.init(code, error.description, error.alternative)
    }

    /// - Parameter hasBegun: the take ran before it failed.
    init(_ failure: TakeFailure, hasBegun: Bool) {
        let code: Code =
            switch failure.exitStatus {
            case ExitStatus.noPermission: .userDeclined
            case ExitStatus.usage: .invalidParameter
            case ExitStatus.unavailable where !hasBegun: .unavailable
            case ExitStatus.cannotCreate: .failedToSave
            case ExitStatus.storageFailed: .insufficientStorage
            default: hasBegun ? .failed : .failedToStart
            }
        self.init(code, failure.message, failure.alternative)
    }

    init(_ cause: EndCause) {
        switch cause {
        case .stoppedAtDesktop: self.init(.userStopped, "The recording was stopped at the desktop.")
        case .sourceEnded(let clause):
            self.init(.sourceEnded, "The recording has ended, as \(clause); record again to go on.")
        }
    }

    init(_ death: EngineDeath) { self.init(.engineDied, TakeSentences.death(death)) }
}

extension RecordingError {
    fileprivate static func code(of refusal: Refusal) -> Code {
        switch refusal.code {
        case .notPermitted: .userDeclined
        case .invalidRequest: .invalidParameter
        case .otherVersion: .otherVersion
        case .notBuffering: .notBuffering
        case .exportInProgress: .exportInProgress
        case .noClip: .exportFailed
        case .cannotCreate: .failedToSave
        case .storageFailed: .insufficientStorage
        case .unavailable, .noDestination: .failed
        }
    }

    fileprivate static func code(of failure: EditFailure) -> Code {
        switch EditFailure.Code(rawValue: failure.code) {
        case .cannotRead, .notARecording, .notFinished: .notARecording
        case .outOfRange: .outOfRange
        case .cannotCreate: .failedToSave
        case .storage: .insufficientStorage
        case .unavailable, nil: .unavailable
        }
    }
}

extension Alternative {
    /// For the end of a sentence; nil for what an app cannot offer.
    fileprivate var words: String? {
        switch self {
        case .replaceFile: "let it be replaced"
        case .recordVirtualScreen: "record a virtual screen"
        case .giveRegion: "give the region in pixels"
        case .chooseWindow: "choose a window in the desktop's dialog"
        case .nameWindow: "name the window"
        case .recordSilently: nil
        }
    }
}
