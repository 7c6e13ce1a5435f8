// What the failures of all publishers have in common. Each protocol has its own codes and sentences.
import KineMedia

/// The end of one connection. The description is a sentence for a person, without secrets; the code has none either.
public protocol ConnectionFailure: CodedError, Hashable, Sendable, CustomStringConvertible {
    /// The meaning of the failure for the stream.
    var kind: ConnectionFailureKind { get set }
    /// Whether another attempt follows automatically.
    var isRetried: Bool { get set }
}

extension ConnectionFailure {
    public var problem: ProblemCode? { nil }

    /// Whether another attempt is useless before something is changed.
    public var isFinal: Bool {
        switch kind {
        case .wrongApplication, .refused, .unauthorized, .certificate, .configuration: true
        case .unreachable, .lost, .broken, .busy: false
        }
    }

    /// The same failure without another attempt.
    public func withoutRetry() -> Self {
        var failure = self
        failure.isRetried = false
        return failure
    }
}

/// The meaning of a failure for the stream.
public enum ConnectionFailureKind: Hashable, Sendable {
    /// The server did not answer in time, or not at all.
    case unreachable
    case lost
    /// The server broke the protocol.
    case broken
    /// The server does not know the part of the address before the stream's name.
    case wrongApplication
    /// The server does not accept this stream, or not from this publisher.
    case refused
    /// The stream is already published, perhaps over this publisher's previous connection.
    case busy
    case unauthorized
    /// TLS: the server's identity is wrong.
    case certificate
    case configuration
}
