// The error that ends a command early.
import KinePlatform

package struct CommandFailure: Error, Equatable {
    /// One of `ExitStatus`.
    package var status: Int32
    /// One sentence: what happened, on what, and what to do.
    package var message: String

    package init(status: Int32, message: String) {
        self.status = status
        self.message = message
    }

    /// For options and files that the user must correct.
    package static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: ExitStatus.usage, message: message)
    }

    package static func unavailable(_ message: String) -> CommandFailure {
        CommandFailure(status: ExitStatus.unavailable, message: message)
    }

    package static func cannotCreate(_ message: String) -> CommandFailure {
        CommandFailure(status: ExitStatus.cannotCreate, message: message)
    }
}
