// What a person is told when publishing fails: one sentence for each code, first what happened and then what to do.
// No sentence holds a key, a password or a token.

extension PublishFailure: CustomStringConvertible {
    public var description: String {
        let (what, advice) = words
        guard let advice else { return "\(what); \(isRetried ? "it is tried again" : "try again later")." }
        return "\(what); \(advice)."
    }

    /// What happened, and what the user can do about it; nil: nothing, another attempt may help.
    private var words: (what: String, advice: String?) {
        switch code {
        case .nameUnknown: ("The name \(url.host) is not known now", "check the address and the network")
        case .nameServersSilent:
            (
                "No name server has told the address of \(url.host) in time",
                "check the network and its name servers"
            )
        case .addressForbidden:
            ("The server asked to go to \(url), which is inside another network than its own", nil)
        case .connectFailed(let error): noConnection(error?.text)
        case .connectTimedOut: noConnection("it does not answer")
        case .authorityUnreadable(let file):
            (
                "The certificates in \(file ?? "the system's store") cannot be read",
                "give a PEM file with --ca-file"
            )
        case .certificateForAnotherName:
            ("The certificate of \(url.host) is for another name", "check the address")
        case .certificateUntrusted:
            (
                "The certificate of \(url.host) is not trusted, or not valid now",
                "check this machine's clock, and for a private authority give its certificate with --ca-file"
            )
        case .tlsMissing:
            ("The server \(url) does not speak TLS on this port", "write the address with rtmp://")
        case .tlsFailed: ("The encrypted connection to \(url) was lost", nil)
        case .handshakeTimedOut:
            ("The server \(url) took the connection and did not answer within 10 seconds", nil)
        case .handshake(let error): error.words
        case .chunks(let error):
            (
                "The server broke the protocol with \(error.words)",
                "check that the address is an RTMP server's, or try again"
            )
        case .command(let error):
            ("The server sent a command that cannot be read: \(error.words)", "try again, or another server")
        case .answerTimedOut(let request):
            ("The server \(url) did not answer \(request.words) within 10 seconds", nil)
        case .credentialsMissing:
            (
                "The server \(url) asks for a user and a password",
                "put them in the address: USER:PASSWORD@HOST"
            )
        case .credentialsRefused: ("The server \(url) does not take this user and password", "check them")
        case .applicationRefused(let words):
            (
                "The server \(url) refused the application\(Self.quoted(words))",
                "check the address up to the stream key"
            )
        case .streamNotCreated(let words):
            ("The server \(url) gave no stream to publish on\(Self.quoted(words))", nil)
        case .streamRefused(let words):
            ("The server \(url) refused the stream\(Self.quoted(words))", "check the stream key")
        case .streamBusy(let words): ("The server \(url) does not take the stream now\(Self.quoted(words))", nil)
        case .closedAtStreamName:
            (
                "The server \(url) closed the connection when it was told the stream's name",
                "check the stream key"
            )
        case .closedOnceAccepted:
            ("The server \(url) took the stream and closed the connection at once", "check the stream key")
        case .streamClosed: ("The server \(url) closed the stream", nil)
        case .streamEnded(let words): ("The server \(url) ended the stream\(Self.quoted(words))", nil)
        case .connectionLost(let error):
            ("The connection to \(url) was lost\(error.map { ": \($0.text)" } ?? "")", nil)
        case .nothingAcknowledged(let seconds): ("The server \(url) has taken nothing for \(seconds) seconds", nil)
        case .audioTooSlow: ("The connection to \(url) takes less than the audio needs", nil)
        case .answersUnread: ("The server \(url) asks and reads no answers", nil)
        case .networkAway: ("The network to \(url) was away", "the stream goes on in a new connection")
        case .neverAccepted:
            ("The server \(url) had not taken the stream when the broadcast ended", "try the address with --check")
        case .checkTimedOut: ("The server \(url) did not answer in time", nil)
        }
    }

    private func noConnection(_ reason: String?) -> (what: String, advice: String?) {
        (
            "No connection to \(url.host), port \(url.port)\(reason.map { ": \($0)" } ?? "")",
            "check the address and the network"
        )
    }

    private static func quoted(_ words: String?) -> String { words.map { " (“\($0)”)" } ?? "" }
}

extension PublishFailure.Request {
    fileprivate var words: String {
        switch self {
        case .connect: "the connect command"
        case .createStream: "the request for a stream"
        case .publish: "the request to publish"
        }
    }
}

extension ClientHandshake.Error {
    fileprivate var words: (what: String, advice: String?) {
        switch self {
        case .otherVersion(Self.http): ("The server answered in HTTP, not in RTMP", "check the address and the port")
        case .otherVersion(let version) where Self.tls.contains(version):
            ("The server answered in TLS, not in RTMP", "write the address with rtmps://")
        case .otherVersion(let version):
            ("The server answered with version \(version) of RTMP, not 3", "check the address and the port")
        }
    }
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
    /// Without the address: it may hold a key.
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
