// The errors that answers and jobs end with: a status of HTTP and a sentence.
import Glibc
import HTTPTypes
import KineClient
import KineContainers
import KineDesktop
import KineMedia
import KinePlatform
import KineProgram
import KineWire
import Kinecast
import SystemPackage

struct StudioProblem: Error, ThreadError, Equatable {
    let status: HTTPResponse.Status
    /// One sentence for a person.
    let message: String
    /// Of the sentence, if it has one.
    let code: ProblemCode?

    init(_ status: HTTPResponse.Status, _ message: String, _ code: ProblemCode? = nil) {
        (self.status, self.message, self.code) = (status, message, code)
    }

    private init(_ status: HTTPResponse.Status, _ message: String, code: ProblemCode.Name) {
        self.init(status, message, ProblemCode(code))
    }

    static let malformed = StudioProblem(
        .badRequest, "The request lacks a value, or has one of another kind; see openapi.json.")
    static let tooLong = StudioProblem(.contentTooLarge, "The request is too long; send less.")
    static let cancelled = StudioProblem(.conflict, "This was cancelled.", code: .cancelled)
    static let gone = StudioProblem(
        .notFound, "This recording was moved or deleted; look at the list again.", code: .recordingGone)
    static let beingRecorded = StudioProblem(
        .conflict, "This recording is still being made; end it first.", code: .beingRecorded)
    static let takeRuns = StudioProblem(.conflict, "A take runs already; end it first.", code: .takeRuns)
    static let takeIsOver = StudioProblem(.notFound, "This take does not run any more.", code: .takeIsOver)
    static let linkUsed = StudioProblem(
        .forbidden, "This link was used already or is too old; open a new window with kinecast studio.", code: .linkUsed
    )
    static let unreadable = StudioProblem(
        .conflict, "This file does not play; recover it first, or open it with another program.")
    static let foreign = StudioProblem(
        .conflict, "Kinecast did not make this video, so it cannot cut it; use another program for that.")
    static let saved = StudioProblem(.conflict, "This recording is saved already; give it another name instead.")
    static let noVideos = StudioProblem(
        .conflict, "There is no directory for videos that you can write to; make ~/Videos.", code: .noVideos)

    static func unwritten(_ error: any Error) -> StudioProblem {
        StudioProblem(.conflict, "The settings cannot be written (\(error)); free some space, and try again.")
    }

    static func noThread(name: String, _ errno: Errno) -> StudioProblem {
        StudioProblem(.serviceUnavailable, DedicatedThread.explanation(of: errno, thread: name))
    }

    /// The problem that an error of any layer is for a page. The descriptions of errors are sentences or their beginnings.
    init(_ error: any Error) {
        switch error {
        case let problem as StudioProblem: self = problem
        case let error as ClientError: self.init(Self.status(of: error), error.description, Self.code(of: error))
        case let error as RecordingError:
            self.init(Self.status(of: error), error.message, Self.code(named: error.code.rawValue))
        case let error as BroadcastError: self.init(.serviceUnavailable, error.message)
        case let error as StorageError: self.init(Self.status(of: error), "\(error).", error.problem)
        case let error as PortalError: self.init(error)
        case let error as CommandFailure: self.init(.conflict, error.message)
        // The other errors, such as those of settings, are sentences.
        default: self.init(.conflict, "\(error)")
        }
    }

    private init(_ error: PortalError) {
        let reason =
            switch error {
            case .refused(_, let message): " (\(message))"
            case .malformed(let reason): " (\(reason))"
            default: ""
            }
        self.init(
            .serviceUnavailable, "The desktop's file dialog does not work here\(reason); save it with a name instead.")
    }

    private static func code(of error: ClientError) -> ProblemCode? {
        switch error {
        case .refused(let refusal): refusal.problem ?? code(named: refusal.code.rawValue)
        case .editing(let failure): code(named: failure.code)
        case .recovery(.storage(let error)): error.problem
        case .takeIsOver: takeIsOver.code
        default: nil
        }
    }

    /// A code that an error has for itself.
    private static func code(named name: String) -> ProblemCode? {
        ProblemCode.Name(rawValue: name).map { ProblemCode($0) }
    }

    private static func status(of error: ClientError) -> HTTPResponse.Status {
        switch error {
        case .registry(.unknown), .registry(.nothingRuns), .registry(.dead): .notFound
        case .registry(.ambiguous), .takeIsOver: .conflict
        case .refused(let refusal): refusal.code == .notPermitted ? .forbidden : .conflict
        case .noAnswer: .gatewayTimeout
        case .recovery(.storage(.full)): .insufficientStorage
        case .recovery, .cancelled: .conflict
        case .editing(let failure):
            switch EditFailure.Code(rawValue: failure.code) {
            case .storage: .insufficientStorage
            case .outOfRange: .badRequest
            case .unavailable, nil: .serviceUnavailable
            case .cannotRead, .notARecording, .notFinished, .cannotCreate: .conflict
            }
        default: .serviceUnavailable
        }
    }

    private static func status(of error: RecordingError) -> HTTPResponse.Status {
        switch error.code {
        case .insufficientStorage: .insufficientStorage
        case .unavailable, .engineNotFound, .engineDied: .serviceUnavailable
        case .outOfRange, .invalidParameter: .badRequest
        default: .conflict
        }
    }

    private static func status(of error: StorageError) -> HTTPResponse.Status {
        switch error {
        case .full, .tooLarge: .insufficientStorage
        case .cannotOpen(_, ENOENT): .notFound
        default: .conflict
        }
    }
}

extension HTTPResponse.Status {
    /// RFC 4918, section 11.5.
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
