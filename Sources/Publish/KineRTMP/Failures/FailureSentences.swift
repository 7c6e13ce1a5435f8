// The sentences for a person when publishing fails, by code: what happened and what to do. None contains a key, a
// password or a token.

extension PublishFailure {
    public var description: String {
        "\(what); \(advice ?? (isRetried ? "it is tried again" : "try again later"))."
    }

    private var what: String {
        switch code {
        case .nameUnknown: "The name \(url.host) is not known now"
        case .nameServersSilent: "No name server has told the address of \(url.host) in time"
        case .addressForbidden: "The server asked to go to \(url), which is inside another network than its own"
        case .connectFailed(let error): "No connection to \(url.host), port \(url.port)\(Self.reason(error))"
        case .connectTimedOut: "No connection to \(url.host), port \(url.port): it does not answer"
        case .authorityUnreadable(let file): "The certificates in \(file ?? "the system's store") cannot be read"
        case .certificateForAnotherName: "The certificate of \(url.host) is for another name"
        case .certificateUntrusted: "The certificate of \(url.host) is not trusted, or not valid now"
        case .tlsMissing: "The server \(url) does not speak TLS on this port"
        case .tlsFailed: "The encrypted connection to \(url) was lost"
        case .handshakeTimedOut: "The server \(url) took the connection and did not answer within 10 seconds"
        case .handshake(.otherVersion(ClientHandshake.Error.http)): "The server answered in HTTP, not in RTMP"
        case .handshake(.otherVersion(ClientHandshake.Error.tls)): "The server answered in TLS, not in RTMP"
        case .handshake(.otherVersion(let version)): "The server answered with version \(version) of RTMP, not 3"
        case .chunks(let error): "The server broke the protocol with \(error.words)"
        case .command(let error): "The server sent a command that cannot be read: \(error.words)"
        case .connectUnanswered: "The server \(url) did not answer the connect command within 10 seconds"
        case .createStreamUnanswered: "The server \(url) did not answer the request for a stream within 10 seconds"
        case .publishUnanswered: "The server \(url) did not answer the request to publish within 10 seconds"
        case .credentialsMissing: "The server \(url) asks for a user and a password"
        case .credentialsRefused: "The server \(url) does not take this user and password"
        case .applicationRefused(let words): "The server \(url) refused the application\(Self.quoted(words))"
        case .redirectForbidden(let target):
            "The server \(url) redirects the stream to \(target), which is not followed"
        case .redirectedTooOften: "The server \(url) redirects the stream again and again"
        case .streamNotCreated(let words): "The server \(url) gave no stream to publish on\(Self.quoted(words))"
        case .streamRefused(let words): "The server \(url) refused the stream\(Self.quoted(words))"
        case .streamBusy(let words): "The server \(url) does not take the stream now\(Self.quoted(words))"
        case .closedAtStreamName: "The server \(url) closed the connection when it was told the stream's name"
        case .closedOnceAccepted: "The server \(url) took the stream and closed the connection at once"
        case .streamClosed: "The server \(url) closed the stream"
        case .streamEnded(let words): "The server \(url) ended the stream\(Self.quoted(words))"
        case .connectionLost(let error): "The connection to \(url) was lost\(Self.reason(error))"
        case .nothingAcknowledged(let seconds): "The server \(url) has taken nothing for \(seconds) seconds"
        case .audioTooSlow: "The connection to \(url) takes less than the audio needs"
        case .answersUnread: "The server \(url) asks and reads no answers"
        case .networkAway: "The network to \(url) was away"
        case .neverAccepted: "The server \(url) had not taken the stream when the broadcast ended"
        case .checkTimedOut: "The server \(url) did not answer in time"
        }
    }

    /// Advice for the user; nil if only another attempt may help.
    private var advice: String? {
        switch code {
        case .nameUnknown, .connectFailed, .connectTimedOut: "check the address and the network"
        case .nameServersSilent: "check the network and its name servers"
        case .authorityUnreadable: "give a PEM file with --ca-file"
        case .certificateForAnotherName: "check the address"
        case .certificateUntrusted:
            "check this machine's clock, and for a private authority give its certificate with --ca-file"
        case .tlsMissing: "write the address with rtmp://"
        case .handshake(.otherVersion(ClientHandshake.Error.tls)): "write the address with rtmps://"
        case .handshake: "check the address and the port"
        case .chunks: "check that the address is an RTMP server's, or try again"
        case .command: "try again, or another server"
        case .credentialsMissing: "put them in the address: USER:PASSWORD@HOST"
        case .credentialsRefused: "check them"
        case .applicationRefused: onePartAdvice ?? "check the address up to the stream key"
        case .streamRefused, .closedAtStreamName, .closedOnceAccepted: onePartAdvice ?? "check the stream key"
        case .redirectForbidden: "if that is the right server, give its address"
        case .networkAway: "the stream goes on in a new connection"
        case .neverAccepted: "try the address with --check"
        default: nil
        }
    }

    /// A missing stream key leaves an address of one part.
    private var onePartAdvice: String? {
        url.hasOnePart ? "check the address: most servers want rtmp://HOST/APPLICATION/STREAM" : nil
    }

    private static func reason(_ error: SystemError?) -> String { error.map { ": \($0.text)" } ?? "" }

    private static func quoted(_ words: String?) -> String { words.map { " (“\($0)”)" } ?? "" }
}

extension ChunkReader.Error {
    fileprivate var words: String {
        switch self {
        case .headerMissing(let id): "a chunk stream, \(id), that begins without a full header"
        case .messageInterrupted(let id): "a message that begins within another on chunk stream \(id)"
        case .messageTooLong(let length): "a message of \(length) bytes"
        case .tooManyChunkStreams: "too many chunk streams"
        case .badChunkSize(let size): "a chunk size of \(size)"
        case .tooManyUnfinishedBytes: "too many unfinished messages"
        }
    }
}

extension AMF0Decoder.Error {
    fileprivate var words: String {
        switch self {
        case .truncated: "it ends within a value"
        case .unknownType(let marker): "it has a value of the unknown type \(marker)"
        case .badReference(let index): "it refers to value \(index), which it does not have"
        case .tooDeep: "its values are nested more than \(AMF0Decoder.depthLimit) deep"
        case .tooManyValues: "it has more than \(AMF0Decoder.valueLimit) values"
        }
    }
}

extension RTMPURL.Error: CustomStringConvertible {
    /// A sentence without the address, which may hold a key.
    public var description: String {
        let what =
            switch self {
            case .scheme: "does not begin with rtmp:// or rtmps://"
            case .host: "names no host"
            case .port: "has a port that is no number from 1 to 65535"
            case .application: "names no application"
            case .streamName: "names no stream"
            case .character: "has a space or another character that addresses do not have"
            }
        return "The address \(what); give it as rtmp://HOST/APPLICATION/STREAM."
    }
}
