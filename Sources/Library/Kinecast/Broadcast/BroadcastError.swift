// Why a broadcast could not be set up or started, or why it ended.
import KineClient
import KinePlatform
import KineServices
import KineWire
import SystemPackage

/// The error that services, picker and controller throw, and that a controller's events carry.
public struct BroadcastError: Error, Equatable, Sendable, ThreadError, CustomStringConvertible {
    /// The kind of an error. Its name never changes, so logs and programs can rely on it.
    public enum Code: String, Sendable, CaseIterable {
        /// The person or the app has cancelled the picker, the countdown or the start.
        case cancelled
        /// No service with this identifier is installed.
        case unknownService
        /// The service has no such field; see `field`.
        case unknownField
        /// A required field is empty; see `field`.
        case missingField
        /// A value does not fit its field; see `field`.
        case invalidField
        /// The service's setup program failed, or broke its protocol.
        case setupFailed
        /// There is no terminal and no other presenter to ask the person.
        case noPresenter
        /// The controller is already broadcasting.
        case alreadyBroadcasting
        /// The controller is not broadcasting.
        case notBroadcasting
        /// The service ended the broadcast, or its extension crashed, stalled or used too much memory.
        case serviceFailed
        /// The person did not allow it.
        case userDeclined
        /// The person stopped the broadcast at the desktop's indicator.
        case userStopped
        /// The source has ended: for example, its window was closed.
        case sourceEnded
        /// Something is missing or not possible here; the message says what to install or to set.
        case unavailable
        /// The app has no window to show: choose another scope.
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
        /// The file cannot be written at that place.
        case failedToSave
        /// A value is invalid or out of range.
        case invalidParameter
    }

    public let code: Code
    /// A sentence for the person: what happened, on what, and what to do. It contains no secrets.
    public let message: String
    /// The key of the field that the error is about.
    public private(set) var field: String?
    /// The recording beside the broadcast, as far as it exists.
    public private(set) var preview: RecordingPreview?

    /// Creates an error of the app's own, such as of its `BroadcastPresenter`.
    ///
    /// - Parameters:
    ///   - code: the kind of the error.
    ///   - message: a sentence for the person: what happened, on what, and what to do.
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

    package static let cancelled = BroadcastError(.cancelled, "The broadcast was cancelled before it had begun.")
    static let alreadyBroadcasting = BroadcastError(
        .alreadyBroadcasting,
        "The controller broadcasts already; finish the broadcast first, or use another controller.")
    static let notBroadcasting = BroadcastError(
        .notBroadcasting, "The controller does not broadcast; start the broadcast first.")

    public static func noThread(name: String, _ errno: Errno) -> BroadcastError {
        BroadcastError(.failed, DedicatedThread.explanation(of: errno, thread: name))
    }

    public var description: String { message }
}

extension BroadcastError {
    init(_ error: RecordingError) {
        let code: Code =
            switch error.code {
            case .alreadyRecording: .alreadyBroadcasting
            case .notRecording: .notBroadcasting
            // The other codes have the same name in both types.
            default: Code(rawValue: error.code.rawValue) ?? .failed
            }
        self.init(code, error.message)
        preview = error.preview
    }

    init(_ error: ClientError) { self.init(RecordingError(error)) }

    /// Runs what recordings and broadcasts have in common; its error becomes one of this type.
    static func translating<Value>(
        _ body: () async throws(RecordingError) -> Value
    ) async throws(BroadcastError) -> Value {
        do throws(RecordingError) { return try await body() } catch { throw BroadcastError(error) }
    }

    /// A mistake in the values for a service's fields.
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

    /// The error of a destination's end; nil if it finished properly.
    ///
    /// - Parameter advice: the last clause, which says what to do.
    init?(_ ending: DestinationEnding, of label: String, advice: String) {
        if ending == .finished { return nil }
        self.init(.serviceFailed, "\(label) \(DestinationSentences.words(ending)); \(advice).")
    }
}
