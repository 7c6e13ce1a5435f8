// Why a broadcast could not be set up, begun or gone on with.
import KineClient
import KinePlatform
import KineServices
import KineWire
import SystemPackage

/// The error that the calls of services, picker and controller throw, and that a controller's events tell.
public struct BroadcastError: Error, Equatable, Sendable {
    /// The kind of an error. Its name stays as it is, for logs and programs.
    public enum Code: String, Sendable, CaseIterable {
        /// The person, or the app, has cancelled the picker, the countdown or the start.
        case cancelled
        /// No service of that identifier is installed.
        case unknownService
        /// The service has no such field; `field` names it.
        case unknownField
        /// A field that must be filled in is empty; `field` names it.
        case missingField
        /// A value does not fit its field; `field` names it.
        case invalidField
        /// The service's setup program failed, or broke its protocol.
        case setupFailed
        /// No person can be asked: there is no terminal, and no other presenter.
        case noPresenter
        /// The controller broadcasts already.
        case alreadyBroadcasting
        /// The controller does not broadcast.
        case notBroadcasting
        /// The service ended the broadcast, or its extension crashed, stalled or used too much memory.
        case serviceFailed
        /// The person at the screen did not allow it.
        case userDeclined
        /// The person at the screen stopped the broadcast, at the desktop's indicator.
        case userStopped
        /// What was broadcast has ended, such as a window that was closed.
        case sourceEnded
        /// Something that is needed is missing or not possible here; the message says what to install or to set.
        case unavailable
        /// The app has no window that could be shown: another scope has to be chosen.
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
        /// The file cannot be written at that place.
        case failedToSave
        /// A value that makes no sense, or that is out of range.
        case invalidParameter
    }

    public let code: Code
    /// A sentence for a person: what happened, on what, and what to do. Secrets are in none.
    public let message: String
    /// The key of the field that the error is about.
    public private(set) var field: String?
    /// What there is of the recording beside the broadcast; nil where there is nothing.
    public private(set) var preview: RecordingPreview?

    /// An error of the app's own, such as of its `BroadcastPresenter`.
    ///
    /// - Parameters:
    ///   - code: the kind of the error.
    ///   - message: a sentence for a person: what happened, on what, and what to do.
    ///   - field: the key of the field that the error is about.
    public init(_ code: Code, _ message: String, field: String? = nil) {
        self.code = code
        self.message = message
        self.field = field
    }

    func with(_ preview: RecordingPreview?) -> BroadcastError {
        var error = self
        error.preview = preview ?? self.preview
        return error
    }

    public static func == (one: BroadcastError, other: BroadcastError) -> Bool {
        (one.code, one.message, one.field) == (other.code, other.message, other.field)
            && one.preview === other.preview
    }

    static let cancelled = BroadcastError(.cancelled, "The broadcast was cancelled before it had begun.")
    static let alreadyBroadcasting = BroadcastError(
        .alreadyBroadcasting,
        "The controller broadcasts already; finish the broadcast first, or use another controller.")
    static let notBroadcasting = BroadcastError(
        .notBroadcasting, "The controller does not broadcast; start the broadcast first.")
}

extension BroadcastError: ThreadError {
    public static func noThread(name: String, _ errno: Errno) -> BroadcastError {
        BroadcastError(.failed, DedicatedThread.explanation(of: errno, thread: name))
    }
}

extension BroadcastError: CustomStringConvertible {
    public var description: String { message }
}

extension BroadcastError {
    init(_ error: RecordingError) {
        let code: Code =
            switch error.code {
            case .alreadyRecording: .alreadyBroadcasting
            case .notRecording: .notBroadcasting
            // A code keeps its name here.
            default: Code(rawValue: error.code.rawValue) ?? .failed
            }
        self.init(code, error.message)
        preview = error.preview
    }

    init(_ error: ClientError) { self.init(RecordingError(error)) }

    /// A mistake in what was filled in for a service.
    init(_ problem: Service.SetupProblem) {
        switch problem {
        case .unknownKey(let key, let service, let keys):
            let offer = keys.isEmpty ? "it has none" : "it has \(keys.joined(separator: ", "))"
            self.init(
                .unknownField, "The service \(service) has no field \(key); \(offer).", field: key)
        case .missing(let key, let title, let service):
            self.init(
                .missingField, "The service \(service) needs the field \(key) (\(title)); fill it in.", field: key)
        case .invalid(let key, let title, let service, let problem):
            self.init(
                .invalidField, "The field \(key) (\(title)) of the service \(service) \(problem); correct it.",
                field: key)
        case .scheme: self.init(.invalidField, problem.description, field: Service.addressKey)
        }
    }

    init(_ cause: EndCause) {
        switch cause {
        case .stoppedAtDesktop: self.init(.userStopped, "The broadcast was stopped at the desktop.")
        case .sourceEnded(let clause):
            self.init(.sourceEnded, "The broadcast has ended, as \(clause); start it again to go on.")
        }
    }

    /// The end of a destination that did not finish as it should; nil for one that did.
    ///
    /// - Parameter advice: the last clause, what to do.
    init?(_ ending: DestinationEnding, of label: String, advice: String) {
        if ending == .finished { return nil }
        self.init(.serviceFailed, "\(label) \(DestinationSentences.words(ending)); \(advice).")
    }
}
