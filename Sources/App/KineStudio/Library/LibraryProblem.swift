// The errors of the library: a status of HTTP and a sentence.
import Glibc
import HTTPTypes
import KineClient
import KineContainers
import KinePlatform
import KineWire
import Kinecast
import SystemPackage

struct LibraryProblem: Error, ThreadError, Equatable {
    let status: HTTPResponse.Status
    /// One sentence for a person.
    let message: String

    init(_ status: HTTPResponse.Status, _ message: String) { (self.status, self.message) = (status, message) }

    static let gone = LibraryProblem(.notFound, "This recording is not there any more; look at the list again.")
    static let beingRecorded = LibraryProblem(.conflict, "This recording is still being made; end it first.")
    static let unreadable = LibraryProblem(
        .conflict, "This file does not play; recover it first, or open it with another program.")
    static let saved = LibraryProblem(
        .conflict, "This recording is saved already; give it another name instead.")
    static let malformed = LibraryProblem(
        .badRequest, "The request lacks a value, or has one of another kind; see openapi.json.")
    static let appIsGone = LibraryProblem(
        .notFound, "The app has ended, or its window was closed; look for the recording in Recordings.")
    static let cancelled = LibraryProblem(.conflict, "This was cancelled.")

    static func noThread(name: String, _ errno: Errno) -> LibraryProblem {
        LibraryProblem(.serviceUnavailable, DedicatedThread.explanation(of: errno, thread: name))
    }

    init(_ error: StorageError) {
        let status: HTTPResponse.Status =
            switch error {
            case .full, .tooLarge: .insufficientStorage
            case .cannotOpen(_, ENOENT): .notFound
            default: .conflict
            }
        self.init(status, "\(error).")
    }

    init(_ error: RecordingIndex.Error) {
        if case .storage(let error) = error { self.init(error) } else { self.init(.conflict, "\(error).") }
    }

    init(_ error: RecordingError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .insufficientStorage: .insufficientStorage
            case .unavailable, .engineNotFound, .engineDied: .serviceUnavailable
            case .outOfRange, .invalidParameter: .badRequest
            default: .conflict
            }
        self.init(status, error.message)
    }

    init(_ error: ClientError) {
        let status: HTTPResponse.Status =
            switch error {
            case .editing(let failure):
                switch EditFailure.Code(rawValue: failure.code) {
                case .storage: .insufficientStorage
                case .outOfRange: .badRequest
                case .unavailable, nil: .serviceUnavailable
                case .cannotRead, .notARecording, .notFinished, .cannotCreate: .conflict
                }
            case .recovery(.storage(.full)): .insufficientStorage
            case .recovery, .cancelled: .conflict
            default: .serviceUnavailable
            }
        self.init(status, error.description)
    }
}

extension StudioAnswer {
    init(_ problem: LibraryProblem) { self.init(problem.status, message: problem.message) }
}

extension HTTPResponse.Status {
    /// RFC 4918, section 11.5.
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
