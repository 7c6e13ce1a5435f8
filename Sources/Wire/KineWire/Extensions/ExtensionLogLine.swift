// A line of an extension's log, for the app's developer and for `--verbose`.
import KinePlatform

/// What an extension writes into its log.
public struct ExtensionLogLine: Codable, Sendable, Equatable {
    public enum Level: String, Codable, Sendable, CaseIterable, Comparable {
        case debug, info, warning, error
        /// A level of a later version.
        case unknown

        public init(from decoder: any Decoder) throws {
            self = Level(rawValue: try String(from: decoder)) ?? .unknown
        }

        public static func < (one: Level, other: Level) -> Bool {
            (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
        }
    }

    public var level: Level
    /// One line, of at most 1000 characters.
    public var message: String

    /// The most characters of a line.
    public static let limit = 1000

    public init(_ level: Level, _ message: String) {
        self.level = level
        self.message = message
    }
}
