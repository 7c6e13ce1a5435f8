// Texts that an extension reports: its service's information, its log, and the check of a destination.
import KineMedia
import KineText

/// The answer of an executable that checks a destination, if the manifest of its service has `check`: JSON on standard
/// output. The question is the setup info: JSON on standard input, because it contains secrets. The executable's status is
/// 0 for every answer.
public struct DestinationReport: Codable, Sendable, Equatable {
    /// The last argument of the executable.
    public static let option = "--check"
    /// The most bytes of a question and of an answer.
    public static let limit = 1 << 20

    /// One sentence on why the server would refuse a broadcast; nil if it would accept it.
    public var problem: String?
    /// The problem's code, if it has one.
    public var code: ProblemCode?
    /// The server's name for itself.
    public var server: String?
    /// The server's address and port in numbers.
    public var address: String?
    /// The version of TLS; nil if the connection is not encrypted.
    public var tls: String?
    /// The names in the server's certificate.
    public var certificate: String?
    /// The round trip in milliseconds, as the kernel measures it.
    public var roundTrip: Double?
    /// Milliseconds from the first packet to the permission to publish.
    public var duration: Double?

    public init(problem: String? = nil, code: ProblemCode? = nil) { (self.problem, self.code) = (problem, code) }

    /// Whether the server would accept the stream, for the text after a destination's label.
    public var sentence: String {
        if let problem { return problem }
        var text = "the server" + (server.map { " \($0)" } ?? "")
        if let address { text += " at \(address)" }
        text += " accepts the stream"
        if let tls { text += "; \(tls)" + (certificate.map { ", certificate for \($0)" } ?? "") }
        if let roundTrip { text += "; round trip \(Quantity.oneDecimal(roundTrip)) ms" }
        return text + "."
    }

    /// The report without these secrets, and with the server's texts made safe for a terminal.
    public func cleaned(of secrets: [String]) -> DestinationReport {
        func clean(_ text: String) -> String { text.cleaned(of: secrets, limit: 300) }
        var report = self
        (report.problem, report.code) = (problem.map(clean), code?.cleaned(clean))
        report.server = server.map(clean)
        report.address = address.map(clean)
        report.tls = tls.map(clean)
        report.certificate = certificate.map(clean)
        return report
    }
}

/// The limits of a service's information. It is foreign text for its recipients.
public enum ServiceInfo {
    /// The most bytes of JSON: all destinations' statuses fit into a message (`ControlDecoder.messageLimit`).
    public static let byteLimit = 4096

    /// At most 64 entries and 4096 bytes, sorted by key; each text on one line, cut to its limit, and without these
    /// secrets.
    public static func bounded(_ info: [String: String], without secrets: [String] = []) -> [String: String] {
        var bounded: [String: String] = [:]
        var left = byteLimit - 2
        for (key, value) in info.sorted(by: { $0.key < $1.key }).prefix(64) {
            let (shown, text) = (key.cleaned(of: secrets, limit: 100), value.cleaned(of: secrets, limit: 1000))
            // Four quotation marks, a colon and a comma.
            let bytes = shown.jsonByteCount + text.jsonByteCount + 6
            guard bytes <= left, bounded[shown] == nil else { continue }
            bounded[shown] = text
            left -= bytes
        }
        return bounded
    }
}

/// A line of an extension's log.
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
    /// One line of at most 1000 characters.
    public var message: String

    /// The most characters of a line.
    public static let limit = 1000

    public init(_ level: Level, _ message: String) {
        self.level = level
        self.message = message
    }
}
