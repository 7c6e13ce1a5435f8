// The error that ends a command early.
import KinePlatform

public struct CommandFailure: Error, Equatable {
    /// One of `ExitStatus`.
    public var status: Int32
    /// One sentence: what happened, on what, and what to do.
    public var message: String

    public init(status: Int32, message: String) {
        self.status = status
        self.message = message
    }

    /// For options and files that the user must correct.
    public static func usage(_ message: String) -> CommandFailure {
        CommandFailure(status: ExitStatus.usage, message: message)
    }

    public static func unavailable(_ message: String) -> CommandFailure {
        CommandFailure(status: ExitStatus.unavailable, message: message)
    }

    public static func cannotCreate(_ message: String) -> CommandFailure {
        CommandFailure(status: ExitStatus.cannotCreate, message: message)
    }
}
