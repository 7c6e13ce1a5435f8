// The order of commands from `connect` to live and back (RTMP 1.0, section 7.2), with deadlines on the caller's clock.
// RTMPSession adds handshake and chunks.

/// One connection's commands. Times are nanoseconds on any steady clock.
public struct PublishStateMachine: Sendable {
    public enum State: Equatable, Sendable {
        case idle
        /// `connect` is sent.
        case connecting
        /// `createStream` is sent, after two commands whose answers are not needed.
        case creating
        /// The server has received the stream's name.
        case publishing(streamID: UInt32)
        /// Samples may be sent. The server has not shown yet that it keeps the stream.
        case accepted(streamID: UInt32, StreamAcceptance)
        case live(streamID: UInt32)
        /// This side has said goodbye.
        case finished
        /// `atStreamName`: whether the server had received the stream's name, and neither refused nor kept the stream.
        case failed(atStreamName: Bool)
    }

    public enum Action: Equatable, Sendable {
        case send(RTMPMessage, chunkStream: UInt32)
        /// Samples may be sent, from a keyframe on.
        case accepted
        /// The server keeps the stream; see `StreamAcceptance`.
        case live
        /// The server requests user and password. Close, and reconnect with this.
        case authenticate(PublisherAuthentication)
        /// The server asks its publisher to connect to this address at the next keyframe.
        case redirect(RTMPURL)
        /// The server does not accept the stream, and names this address for it. Close, and connect there.
        case moved(RTMPURL)
        case fail(PublishFailure)
        /// Close once all data is sent.
        case close
    }

    /// Nanoseconds for each of the server's answers.
    public static let answerDeadline: Int64 = 10_000_000_000

    public private(set) var state: State = .idle
    /// The time at which to call `tick`, if any.
    public private(set) var deadline: Int64?
    /// The server's name for itself; nil before it has answered, or if it gives none.
    public private(set) var server: String?

    private let url: RTMPURL
    private var authentication: PublisherAuthentication
    /// Whether the server accepted the key before; a refusal now then does not mean that the key is wrong.
    private let wasLive: Bool

    public init(_ url: RTMPURL, authentication: PublisherAuthentication, wasLive: Bool = false) {
        self.url = url
        self.authentication = authentication
        self.wasLive = wasLive
    }

    /// Whether the server had received the stream's name and then closed before the stream was live, or gave no answer in
    /// time.
    public var endedAtStreamName: Bool { state == .failed(atStreamName: true) }
    /// The stream that takes samples.
    var streamID: UInt32? {
        switch state {
        case .accepted(let streamID, _), .live(let streamID): streamID
        default: nil
        }
    }

    /// Call after the handshake.
    public mutating func start(now: Int64) -> [Action] {
        guard state == .idle else { return [] }
        enter(.connecting, now: now)
        return [.send(PublishCommand.connect(url, suffix: authentication.suffix), chunkStream: ChunkStreamID.command)]
    }

    /// Handles any message except protocol control.
    public mutating func receive(_ message: RTMPMessage, now: Int64) -> [Action] {
        guard !isOver else { return [] }
        let command: (name: String, transaction: Double, arguments: [AMF0Value])?
        do {
            command = try PublishCommand.read(message)
        } catch {
            // An accepted stream needs no further command.
            return streamID != nil ? [] : fail(.command(error))
        }
        guard let command else { return [] }
        // An answer's arguments are a null or an object, and then the information.
        let information = command.arguments.dropFirst().first ?? command.arguments.first
        switch command.name {
        case "_result": return answered(command.transaction, command.arguments, now: now)
        case "_error": return refused(command.transaction, information)
        case "onStatus": return status(information, now: now)
        case "close": return fail(.streamClosed)
        default: return []
        }
    }

    /// The server closed the connection, or it broke.
    public mutating func disconnected(_ error: PublishFailure.SystemError? = nil) -> [Action] {
        guard !isOver else { return [] }
        // Services close without an answer if they do not know the key, or a moment after a yes; so do restarting servers.
        switch state {
        case .publishing where !wasLive: return fail(.closedAtStreamName)
        case .accepted(_, let acceptance) where !wasLive && acceptance.isRefusedByClosing:
            return fail(.closedOnceAccepted)
        default: return fail(.connectionLost(error))
        }
    }

    /// An accepted stream is live once the server has acknowledged this many bytes of the connection. Only the first call
    /// counts.
    public mutating func expectAcknowledgement(of bytes: Int64, now: Int64) {
        guard case .accepted(let streamID, var acceptance) = state else { return }
        acceptance.sent(bytes, now: now)
        state = .accepted(streamID: streamID, acceptance)
    }

    /// Call a few times a second until the stream is live.
    /// - Parameter bytes: those of the connection that the server has acknowledged; nil: unknown.
    public mutating func acknowledged(_ bytes: Int64?, now: Int64) -> [Action] {
        guard case .accepted(let streamID, var acceptance) = state else { return [] }
        let isLive = acceptance.isLive(acknowledged: bytes, now: now)
        state = isLive ? .live(streamID: streamID) : .accepted(streamID: streamID, acceptance)
        return isLive ? [.live] : []
    }

    public mutating func tick(now: Int64) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .connecting: return fail(.connectUnanswered)
        case .creating: return fail(.createStreamUnanswered)
        default: return fail(.publishUnanswered)
        }
    }

    /// Call when the last sample has been sent.
    public mutating func finish() -> [Action] {
        guard !isOver else { return [] }
        defer { enter(.finished) }
        switch state {
        case .publishing(let streamID), .accepted(let streamID, _), .live(let streamID):
            return [
                command("FCUnpublish", PublishCommand.Transaction.unpublishForward, [.string(url.streamName)]),
                command("deleteStream", PublishCommand.Transaction.deleteStream, [.number(Double(streamID))]),
                .close,
            ]
        default: return [.close]
        }
    }

    private mutating func answered(_ transaction: Double, _ arguments: [AMF0Value], now: Int64) -> [Action] {
        switch (state, transaction) {
        case (.connecting, PublishCommand.Transaction.connect):
            server = serverName(arguments)
            enter(.creating, now: now)
            let name = AMF0Value.string(url.streamName)
            // Many servers do not answer the first two.
            return [
                command("releaseStream", PublishCommand.Transaction.releaseStream, [name]),
                command("FCPublish", PublishCommand.Transaction.publishForward, [name]),
                command("createStream", PublishCommand.Transaction.createStream, []),
            ]
        case (.creating, PublishCommand.Transaction.createStream):
            guard let number = arguments.dropFirst().first?.number, let streamID = UInt32(exactly: number) else {
                return fail(.streamNotCreated(words: nil))
            }
            enter(.publishing(streamID: streamID), now: now)
            return [.send(PublishCommand.publish(url, streamID: streamID), chunkStream: ChunkStreamID.publish)]
        default: return []
        }
    }

    private mutating func refused(_ transaction: Double, _ information: AMF0Value?) -> [Action] {
        if let target = redirection(information) {
            // An accepted stream continues until the next keyframe.
            if streamID != nil { return [.redirect(target)] }
            enter(.failed(atStreamName: false))
            return [.moved(target)]
        }
        switch (state, transaction) {
        case (.connecting, PublishCommand.Transaction.connect): return refusedConnect(information)
        case (.creating, PublishCommand.Transaction.createStream):
            return fail(.streamNotCreated(words: words(information)))
        case (.publishing, PublishCommand.Transaction.publish): return refusedStream(information)
        default: return []
        }
    }

    /// The address in a refusal with code 302, as Wowza and Flash Media Server answer `connect`, and SRS and
    /// nginx-rtmp's notify later commands too; nil if invalid. `ex` is Flash Media Server's, not RTMP 1.0's.
    private func redirection(_ information: AMF0Value?) -> RTMPURL? {
        guard let exception = information?["ex"], exception["code"]?.number == 302 else { return nil }
        return exception["redirect"]?.string.flatMap { url.redirected(to: $0) }
    }

    private mutating func refusedConnect(_ information: AMF0Value?) -> [Action] {
        switch authentication.refused(information?["description"]?.string ?? "") {
        case .again:
            enter(.failed(atStreamName: false))
            return [.authenticate(authentication)]
        case .credentialsMissing: return fail(.credentialsMissing)
        case .refused: return fail(.credentialsRefused)
        case .none: return fail(.applicationRefused(words: words(information)), kind: wasLive ? .lost : nil)
        }
    }

    private mutating func status(_ information: AMF0Value?, now: Int64) -> [Action] {
        switch information?["code"]?.string ?? "" {
        case "NetStream.Publish.Start":
            guard case .publishing(let streamID) = state else { return [] }
            enter(.accepted(streamID: streamID, StreamAcceptance(now: now)))
            return [.accepted]
        case "NetConnection.Connect.ReconnectRequest":
            // Enhanced RTMP v2, "Reconnect Request": without a usable address, the current one.
            return [.redirect(information?["tcUrl"]?.string.flatMap { url.redirected(to: $0) } ?? url)]
        case "NetConnection.Connect.Rejected", "NetConnection.Connect.InvalidApp":
            return refused(PublishCommand.Transaction.connect, information)
        case "NetConnection.Connect.Closed", "NetStream.Unpublish.Success", "NetStream.Publish.Failed",
            "NetStream.Failed":
            return fail(.streamEnded(words: words(information)))
        default: return information?["level"]?.string == "error" ? refusedStream(information) : []
        }
    }

    private mutating func refusedStream(_ information: AMF0Value?) -> [Action] {
        let words = words(information)
        let isBusy = information?["description"]?.string?.lowercased().contains("already") == true
        return fail(isBusy || wasLive || isLive ? .streamBusy(words: words) : .streamRefused(words: words))
    }

    private var isLive: Bool { if case .live = state { true } else { false } }

    private var isOver: Bool {
        switch state {
        case .finished, .failed: true
        default: false
        }
    }

    /// The server's explanation, if there is one that may be shown.
    private func words(_ information: AMF0Value?) -> String? {
        (information?["description"]?.string ?? information?["code"]?.string).flatMap { shown($0, atMost: 200) }
    }

    /// The part of a server's text that may be shown; nil if the text may contain a secret. Secrets are searched for
    /// before and after unprintable characters are removed.
    private func shown(_ text: String, atMost length: Int) -> String? {
        // Longer texts are not worth the search.
        guard text.utf8.count <= 4096 else { return nil }
        let line = text.filter { $0.isASCII && $0 >= " " && $0 != "\u{7F}" }
        guard !line.isEmpty, url.isFreeOfSecrets(text), url.isFreeOfSecrets(line) else { return nil }
        return String(line.prefix(length))
    }

    /// `now`: the time from which an answer is due, if one is.
    private mutating func enter(_ state: State, now: Int64? = nil) {
        self.state = state
        deadline = now.map { $0 + Self.answerDeadline }
    }

    private mutating func fail(_ code: PublishFailure.Code, kind: PublishFailure.Kind? = nil) -> [Action] {
        let failure = PublishFailure(code, url, kind: kind)
        let wasAtStreamName =
            switch state {
            case .publishing: true
            case .accepted(_, let acceptance): acceptance.isRefusedByClosing
            default: false
            }
        enter(.failed(atStreamName: wasAtStreamName && (failure.kind == .lost || failure.kind == .unreachable)))
        return [.fail(failure)]
    }

    private func command(_ name: String, _ transaction: Double, _ arguments: [AMF0Value]) -> Action {
        .send(PublishCommand.named(name, transaction, arguments), chunkStream: ChunkStreamID.command)
    }

    private func serverName(_ arguments: [AMF0Value]) -> String? {
        for argument in arguments {
            for name in ["serverName", "fmsVer"] {
                if let text = argument[name]?.string { return shown(text, atMost: 100) }
            }
        }
        return nil
    }
}
