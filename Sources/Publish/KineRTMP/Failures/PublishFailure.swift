// The failures of a publisher's connection. FailureSentences.swift has the sentences for a person.

// A program that publishes over RTMP uses the types that all publishers share.
@_exported import KinePublisher

/// The end of one connection.
public struct PublishFailure: ConnectionFailure {
    /// The meaning of a failure for the stream.
    public typealias Kind = ConnectionFailureKind

    /// The event that failed. Words of the server are included only if they contain no secret.
    public enum Code: Hashable, Sendable {
        case nameUnknown
        case nameServersSilent
        /// All addresses of the server have a narrower scope than those of the server that redirected to it.
        case addressForbidden
        /// Nil: the reason is unknown.
        case connectFailed(SystemError?)
        case connectTimedOut
        /// Nil: the system's certificates.
        case authorityUnreadable(file: String?)

        case certificateForAnotherName
        case certificateUntrusted
        case tlsMissing
        case tlsFailed

        case handshakeTimedOut
        case handshake(ClientHandshake.Error)
        case chunks(ChunkReader.Error)
        case command(AMF0Decoder.Error)
        case connectUnanswered
        case createStreamUnanswered
        case publishUnanswered
        case credentialsMissing
        case credentialsRefused
        case applicationRefused(words: String?)
        /// The server redirects the stream to an address that is not allowed; see `RTMPURL.allowsRedirect(to:)`.
        case redirectForbidden(to: RTMPURL)
        case redirectedTooOften
        case streamNotCreated(words: String?)
        case streamRefused(words: String?)
        case streamBusy(words: String?)
        case closedAtStreamName
        /// The server accepted the stream and closed the connection before the stream was live.
        case closedOnceAccepted

        case streamClosed
        case streamEnded(words: String?)
        case connectionLost(SystemError?)
        case nothingAcknowledged(seconds: Int64)
        case audioTooSlow
        case answersUnread
        /// The network was unreachable, and another connection takes over.
        case networkAway

        case neverAccepted
        case checkTimedOut
    }

    /// A system's error number, and its text: the same number has another meaning on another system.
    public struct SystemError: Hashable, Sendable {
        public var number: Int32
        public var text: String

        public init(number: Int32, text: String) {
            self.number = number
            self.text = text
        }
    }

    public let code: Code
    /// The stream's address; its secrets are not shown.
    public let url: RTMPURL
    /// The kind, which follows from the code except in special circumstances.
    public var kind: Kind
    /// Whether another attempt follows automatically.
    public var isRetried = true

    public init(_ code: Code, _ url: RTMPURL, kind: Kind? = nil) {
        self.code = code
        self.url = url
        self.kind = kind ?? code.kind
    }
}

extension PublishFailure.Code {
    fileprivate var kind: PublishFailure.Kind {
        switch self {
        case .nameUnknown, .nameServersSilent, .addressForbidden, .connectFailed, .connectTimedOut,
            .handshakeTimedOut, .connectUnanswered, .createStreamUnanswered, .publishUnanswered, .neverAccepted,
            .checkTimedOut:
            .unreachable
        case .tlsFailed, .closedAtStreamName, .closedOnceAccepted, .streamClosed, .streamEnded, .connectionLost,
            .nothingAcknowledged,
            .audioTooSlow, .answersUnread, .networkAway:
            .lost
        case .handshake(let error): error.isOtherProtocol ? .configuration : .broken
        case .chunks, .command, .streamNotCreated: .broken
        case .applicationRefused, .redirectForbidden: .wrongApplication
        case .streamRefused: .refused
        case .streamBusy, .redirectedTooOften: .busy
        case .credentialsMissing, .credentialsRefused: .unauthorized
        case .certificateForAnotherName, .certificateUntrusted: .certificate
        case .authorityUnreadable, .tlsMissing: .configuration
        }
    }
}

/// The connections of a stream over RTMP.
public typealias RTMPReconnectStateMachine = ReconnectStateMachine<RTMPURL>

extension RTMPURL: PublishTarget {
    public typealias Authentication = PublisherAuthentication

    public func failure(_ cause: ReconnectFailureCause<RTMPURL>) -> PublishFailure {
        switch cause {
        case .networkAway: PublishFailure(.networkAway, self)
        case .neverAccepted: PublishFailure(.neverAccepted, self)
        case .redirectForbidden(let target): PublishFailure(.redirectForbidden(to: target), self)
        case .redirectedTooOften: PublishFailure(.redirectedTooOften, self)
        }
    }
}
