// The exit statuses of the errors of stores and catalogs.
// Most files here use `CommandFailure`.
@_exported import KineConfiguration
import KinePlatform
import KineServices
import KineWire

extension CommandFailure {
    init(_ error: PermissionStore.Error) {
        let status =
            switch error {
            case .noHome: ExitStatus.unavailable
            case .unreadable, .foreign: ExitStatus.noPermission
            case .damaged: ExitStatus.unavailable
            case .cannotWrite, .busy, .full: ExitStatus.cannotCreate
            }
        self.init(status: status, message: error.description)
    }
}

extension CommandFailure {
    init(_ error: ServiceCatalog.InstallError) {
        let status =
            switch error {
            case .notABundle, .damaged: ExitStatus.usage
            case .unknown, .noHome: ExitStatus.unavailable
            case .notYours, .noConsent: ExitStatus.noPermission
            case .cannotCopy, .cannotRemove: ExitStatus.cannotCreate
            }
        self.init(status: status, message: error.description)
    }
}
