// The answer of a built-in service's executable that is started to check a destination instead of broadcasting to it.

/// The answer: JSON on standard output. The question is the setup info, JSON on standard input because it holds secrets. The
/// executable's status is 0 whatever the answer is.
public struct DestinationReport: Codable, Sendable, Equatable {
    /// The only argument of the executable.
    public static let option = "--check"
    /// Bytes of the longest question and of the longest answer.
    public static let limit = 1 << 20

    /// One sentence: the reason why the server would refuse a broadcast; nil: it would accept it.
    public var problem: String?
    /// The server's name for itself.
    public var server: String?
    /// Its address and port in numbers.
    public var address: String?
    /// The version of TLS; nil: the connection is not encrypted.
    public var tls: String?
    /// The names in the server's certificate.
    public var certificate: String?
    /// Milliseconds there and back, as the kernel measures it.
    public var roundTrip: Double?
    /// Milliseconds from the first packet to the permission to publish.
    public var duration: Double?

    public init(problem: String? = nil) { self.problem = problem }

    /// The report with the server's texts made safe for a terminal, and without these secrets.
    public func cleaned(of secrets: [String]) -> DestinationReport {
        func clean(_ text: String) -> String { text.cleaned(of: secrets, limit: 300) }
        var report = self
        report.problem = problem.map(clean)
        report.server = server.map(clean)
        report.address = address.map(clean)
        report.tls = tls.map(clean)
        report.certificate = certificate.map(clean)
        return report
    }
}
