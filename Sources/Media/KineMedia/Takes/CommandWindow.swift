// A window of COMMAND, the program that the command line starts: the take begins with the window's first picture.

extension TakeConfiguration {
    /// A window of a program that the client starts at the engine's request (`EngineMessage.commandNeeded`).
    public struct CommandWindow: Codable, Sendable, Equatable, CustomStringConvertible {
        public enum Choice: Codable, Sendable, Equatable {
            /// The first window of that program, or of a process that it has started.
            case first
            /// As `Source.windowTitled`. If several appear at once, the oldest.
            case titled(String)
            /// As `Source.application`, once one of its windows exists.
            case application(String, monitor: String?)
        }

        public var choice: Choice
        /// The size of the program's private X screen; nil: it runs on the session's screen.
        public var privateScreen: PixelSize?
        /// The time after the program's start within which the window must appear.
        public var limit: MediaTime

        public static let defaultLimit = MediaTime.seconds(10)

        public init(_ choice: Choice, privateScreen: PixelSize? = nil, limit: MediaTime = defaultLimit) {
            self.choice = choice
            self.privateScreen = privateScreen
            self.limit = limit
        }

        /// The source that names the window once it exists; nil: it has no name.
        public var named: Source? {
            switch choice {
            case .first: nil
            case .titled(let title): .windowTitled(title)
            case .application(let name, let monitor): .application(name, monitor: monitor)
            }
        }

        /// A description for `kinecast status`.
        public var description: String {
            let window = named?.description ?? "window of the command"
            return privateScreen.map { "\(window) on a virtual screen \($0.width)x\($0.height)" } ?? window
        }
    }
}
