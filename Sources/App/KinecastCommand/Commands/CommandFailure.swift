// The error that ends a command early.
import KinePlatform
import KineServices
import KineWire

struct CommandFailure: Error, Equatable {
    /// One of `ExitStatus`.
    var status: Int32
    /// One sentence: what happened, on what, and what to do.
    var message: String

    /// For options and files that the user must correct.
    static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: ExitStatus.usage, message: message)
    }
}

extension CommandFailure {
    init(_ error: PermissionStore.Error) {
        message = error.description
        status =
            switch error {
            case .noHome: ExitStatus.unavailable
            case .unreadable, .foreign: ExitStatus.noPermission
            case .damaged: ExitStatus.unavailable
            case .cannotWrite, .busy, .full: ExitStatus.cannotCreate
            }
    }
}

extension CommandFailure {
    init(_ error: ServiceCatalog.InstallError) {
        message = error.description
        status =
            switch error {
            case .notABundle, .damaged: ExitStatus.usage
            case .unknown, .noHome: ExitStatus.unavailable
            case .notYours, .noConsent: ExitStatus.noPermission
            case .cannotCopy, .cannotRemove: ExitStatus.cannotCreate
            }
    }
}
