// What a program can recognize of the failures, by fewer codes than there are sentences (FailureSentences.swift).
import KineMedia

extension PublishFailure {
    public var problem: ProblemCode? {
        switch code {
        case .nameUnknown, .nameServersSilent: ProblemCode(.nameUnknown, host)
        case .connectFailed(let error):
            ProblemCode(.connectFailed, ["host": url.host, "port": "\(url.port)", "reason": error?.text])
        case .connectTimedOut: ProblemCode(.connectTimedOut, ["host": url.host, "port": "\(url.port)"])
        case .authorityUnreadable(let file): ProblemCode(.authorityUnreadable, ["file": file])
        case .certificateForAnotherName: ProblemCode(.certificateForAnotherName, host)
        case .certificateUntrusted: ProblemCode(.certificateUntrusted, host)
        case .tlsMissing: ProblemCode(.tlsMissing, server())
        case .handshake(let error): ProblemCode(error.isOtherProtocol ? .otherProtocol : .protocolBroken, server())
        case .handshakeTimedOut, .connectUnanswered, .createStreamUnanswered, .publishUnanswered, .checkTimedOut:
            ProblemCode(.unanswered, server())
        case .chunks, .command, .answersUnread: ProblemCode(.protocolBroken, server())
        case .credentialsMissing: ProblemCode(.credentialsMissing, server())
        case .credentialsRefused: ProblemCode(.credentialsRefused, server())
        case .applicationRefused(let words): ProblemCode(.applicationRefused, server(words))
        case .addressForbidden, .redirectForbidden, .redirectedTooOften: ProblemCode(.redirectRefused, server())
        case .streamRefused(let words): ProblemCode(.streamRefused, server(words))
        case .closedAtStreamName, .closedOnceAccepted: ProblemCode(.streamRefused, server())
        case .streamNotCreated(let words), .streamBusy(let words): ProblemCode(.streamBusy, server(words))
        case .streamClosed: ProblemCode(.streamEnded, server())
        case .streamEnded(let words): ProblemCode(.streamEnded, server(words))
        case .connectionLost(let error): ProblemCode(.connectionLost, ["server": "\(url)", "reason": error?.text])
        case .tlsFailed, .nothingAcknowledged, .networkAway: ProblemCode(.connectionLost, server())
        case .audioTooSlow: ProblemCode(.networkTooSlow, server())
        case .neverAccepted: ProblemCode(.neverAccepted, server())
        }
    }

    private var host: [String: String?] { ["host": url.host] }

    /// - Parameter words: the server's own.
    private func server(_ words: String? = nil) -> [String: String?] { ["server": "\(url)", "words": words] }
}
