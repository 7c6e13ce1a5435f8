// The app whose broadcast an extension serves.
import KineWire

/// The app whose broadcast this extension serves.
public enum HostApp {
    public enum Activation: Sendable, Equatable {
        /// The app was opened, or asked to bring its window to the front.
        case opened
        /// The app could not be opened. A notification asks the person to open it.
        case personTold
    }

    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        public enum Code: Sendable, Equatable {
            /// This process is not an extension: an app raises its own window.
            case onlyInExtensions
            /// There is no desktop, or the broadcast has not started.
            case unavailable
            /// Too many calls in a short time.
            case tooMany
            /// The app could not be opened, and no notification could be shown.
            case failed
        }

        public var code: Code
        /// One sentence: what happened, and what to do.
        public var description: String
    }

    /// Opens the app, or brings it to the front: over the bus if its desktop file allows that, else by a launcher of
    /// its desktop file, else by the first of its URL schemes. `kinecast-app.json` beside the app names them. Returns
    /// when one of them has answered, usually within a second, at most 25. Counts as a notification.
    @discardableResult
    public static func activate() async throws(Error) -> Activation { try await activate(.shared) }

    static func activate(_ channel: DesktopChannel) async throws(Error) -> Activation {
        guard channel.isExtension else {
            throw Error(
                code: .onlyInExtensions,
                description: "This process is no extension; an app raises its own window with its toolkit.")
        }
        do throws(DesktopFailure) {
            try await channel.perform(.activateApp(token: nil))
            return .opened
        } catch {
            guard error.code != .personTold else { return .personTold }
            let code: Error.Code =
                switch error.code {
                case .unavailable: .unavailable
                case .tooMany: .tooMany
                case .invalid, .notMember, .personTold, .failed: .failed
                }
            throw Error(code: code, description: error.message)
        }
    }
}
