// Why a connection does not publish, or no longer: for the user, and for the decision whether to try again.

/// The end of one connection. One sentence each; the address in it is without its secrets.
public struct PublishFailure: Swift.Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// The server did not answer in time, or not at all.
        case unreachable
        /// The connection ended.
        case lost
        /// What came was not the protocol.
        case broken
        /// The server takes no such application.
        case wrongApplication
        /// The server takes no such stream, or not from this publisher.
        case refused
        /// The stream is taken, perhaps still by this publisher's last connection.
        case busy
        /// User and password are wrong, or missing.
        case unauthorized
        /// TLS: the server is not who it should be.
        case certificate
        /// The configuration cannot be used.
        case configuration
    }

    public var kind: Kind
    public let description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    private static let again = "; it is tried again."

    /// The sentence where nothing is tried again by itself.
    public var onceOnly: String {
        description.hasSuffix(Self.again) ? description.dropLast(Self.again.count) + "; try again later." : description
    }

    /// Trying again cannot help before something is changed.
    public var isFinal: Bool {
        switch kind {
        case .wrongApplication, .refused, .unauthorized, .certificate, .configuration: true
        case .unreachable, .lost, .broken, .busy: false
        }
    }
}
