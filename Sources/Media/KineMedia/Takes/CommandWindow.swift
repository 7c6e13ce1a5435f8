// A window of COMMAND, the program that the command line starts: the take waits for it, and begins with its first picture.

extension TakeConfiguration {
    /// A window that a program opens which the client starts when the engine asks for it (`EngineMessage.commandNeeded`).
    public struct CommandWindow: Codable, Sendable, Equatable {
        public enum Choice: Codable, Sendable, Equatable {
            /// The first window of that program, or of a process that it has started.
            case first
            /// As `Source.windowTitled`. Where several come at once, the oldest.
            case titled(String)
            /// As `Source.application`, when one of its windows is there.
            case application(String, monitor: String?)
        }

        public var choice: Choice
        /// The size of the private X screen that the program runs on; nil: it runs on the session's.
        public var privateScreen: PixelSize?
        /// The time after the program's start in which the window has to come.
        public var limit: MediaTime

        public static let defaultLimit = MediaTime.seconds(10)

        public init(_ choice: Choice, privateScreen: PixelSize? = nil, limit: MediaTime = defaultLimit) {
            self.choice = choice
            self.privateScreen = privateScreen
            self.limit = limit
        }

        /// The source that names the window once it is there; nil: none does.
        public var named: Source? {
            switch choice {
            case .first: nil
            case .titled(let title): .windowTitled(title)
            case .application(let name, let monitor): .application(name, monitor: monitor)
            }
        }
    }
}

extension TakeConfiguration.CommandWindow: CustomStringConvertible {
    /// For a person to read, as `kinecast status` shows it.
    public var description: String {
        let window = named?.description ?? "window of the command"
        return privateScreen.map { "\(window) on a virtual screen \($0.width)x\($0.height)" } ?? window
    }
}
