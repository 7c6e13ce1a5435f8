// The errors of a recorder.
import KineClient
import KineContainers
import KinePlatform
import KineWire
import SystemPackage

/// The error that the recorder's methods throw, and that its events carry.
public struct RecordingError: Error, Equatable, Sendable, ThreadError, CustomStringConvertible {
    /// The kind of an error. Its name never changes, so logs and programs can rely on it.
    public enum Code: String, Sendable, CaseIterable {
        /// The person did not allow it.
        case userDeclined
        /// Something is missing or not possible here; the message says what to install or to set.
        case unavailable
        /// The app has no window to record: choose another scope.
        case noWindow
        /// No engine is installed, or it cannot be started.
        case engineNotFound
        /// This library does not support the installed engine's version.
        case otherVersion
        /// The take could not begin.
        case failedToStart
        /// The take was running and failed.
        case failed
        /// The engine died. The preview, if any, has what was recorded.
        case engineDied
        /// The disk is full or failed. The recording up to then is kept.
        case insufficientStorage
        /// The file cannot be written, moved or removed at that place.
        case failedToSave
        /// The recording was discarded before.
        case discarded
        /// The person stopped the recording at the desktop's indicator.
        case userStopped
        /// The source has ended: for example, its window was closed. The recording is complete.
        case sourceEnded
        /// The recorder is already recording.
        case alreadyRecording
        /// The recorder is not recording.
        case notRecording
        /// The call was cancelled before it was complete.
        case cancelled
        /// The file was not recorded by Kinecast, is damaged, or is not finished.
        case notARecording
        /// The times are outside the recording, or in the wrong order.
        case outOfRange
        /// The recording could not be shared.
        case failedToShare
        /// The sample's memory has returned to the engine.
        case sampleIsGone
        /// The recorder is already buffering clips.
        case alreadyBuffering
        /// Neither the recorder nor its recording buffers clips.
        case notBuffering
        /// Another clip is being written.
        case exportInProgress
        /// The clip could not be written; no file is left.
        case exportFailed
        /// A value is invalid or out of range.
        case invalidParameter
    }

    public let code: Code
    /// A sentence for a person: what happened, on what, and what to do.
    public let message: String
    /// The recording, as far as it exists.
    public private(set) var preview: RecordingPreview?

    /// For a presenter of the app's own.
    ///
    /// - Parameters:
    ///   - code: the kind of the error.
    ///   - message: a sentence that says what happened, on what, and what to do.
    public init(_ code: Code, _ message: String) {
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
    static let presentationCancelled = RecordingError(
        .cancelled, "The recording was being shown when the call was cancelled.")
    static let cancelled = RecordingError(.cancelled, "The recording was ended before it had begun.")

    public static func noThread(name: String, _ errno: Errno) -> RecordingError {
        RecordingError(.failed, DedicatedThread.explanation(of: errno, thread: name))
    }

    public var description: String { message }
}

extension RecordingError {
    /// A recording could not be moved, copied or discarded.
    init(_ error: StorageError) {
        let code: Code = if case .full = error { .insufficientStorage } else { .failedToSave }
        let alternative: Alternative? = if case .alreadyExists = error { .replaceFile } else { nil }
        self.init(code, "\(error).", alternative)
    }

    init(_ error: ClientError) {
        let code: Code =
            switch error {
            case .locator, .engineCannotStart: .engineNotFound
            case .otherVersion: .otherVersion
            case .cancelled: .cancelled
            case .editing(let failure): Self.code(of: failure)
            case .endedWithoutAnswer: .engineDied
            case .refused(let refusal): Self.code(of: refusal)
            case .noReport, .noThread, .registry, .control, .noAnswer, .takeIsOver, .noLink, .recovery: .failed
            }
        self.init(code, error.description, error.alternative)
    }

    /// Runs a request to an engine, whose error becomes one of this type.
    static func translating<Value>(
        _ request: () async throws(ClientError) -> Value
    ) async throws(RecordingError) -> Value {
        do throws(ClientError) { return try await request() } catch { throw RecordingError(error) }
    }

    /// - Parameter hasBegun: whether the take ran before it failed.
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
    /// A clause for the end of a sentence; nil if an app cannot offer the alternative.
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
