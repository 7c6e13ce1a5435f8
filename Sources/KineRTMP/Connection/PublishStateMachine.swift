// The order of commands from `connect` to live and back (RTMP 1.0, section 7.2), with deadlines on a clock that the caller
// brings. Chunks, handshake and sockets are RTMPSession's and its driver's.

/// One connection's commands. Times are nanoseconds on any steady clock.
public struct PublishStateMachine: Sendable {
    public enum State: Equatable, Sendable {
        case idle
        /// `connect` is sent.
        case connecting
        /// `createStream` is sent, and what goes before it without waiting.
        case creating
        case publishing(streamID: UInt32)
        /// Samples are taken.
        case live(streamID: UInt32)
        /// This side has said its last words.
        case finished
        case failed
    }

    public enum Action: Equatable, Sendable {
        case send(RTMPMessage, chunkStream: UInt32)
        /// Samples may be sent with this message stream id, from a keyframe on.
        case live(streamID: UInt32)
        /// Close, and connect anew with this suffix behind the application: the server asks who is there.
        case authenticate(PublisherAuthentication)
        /// The server asks to connect anew, at this address: at the next keyframe.
        case move(RTMPURL)
        case fail(PublishFailure)
        /// Everything is said; what is still to be sent may go, then close.
        case close
    }

    /// The longest that a server may take for each answer.
    public static let answerDeadline: Int64 = 10_000_000_000

    public private(set) var state: State = .idle
    /// When `tick` has to be called at the latest, if nothing comes; nil: not at all.
    public private(set) var deadline: Int64?
    /// What the server calls itself; nil before it has answered, or where it does not say.
    public private(set) var server: String?
    /// The server was told the stream's name and ended the connection without a yes or a no, or gave no answer in time.
    public private(set) var endedAtStreamName = false

    private let url: RTMPURL
    private var authentication: PublisherAuthentication
    /// The key was taken before, so that a refusal now means something else.
    private let wasLive: Bool

    public init(_ url: RTMPURL, authentication: PublisherAuthentication, wasLive: Bool = false) {
        self.url = url
        self.authentication = authentication
        self.wasLive = wasLive
    }

    /// The handshake is done.
    public mutating func start(now: Int64) -> [Action] {
        guard state == .idle else { return [] }
        state = .connecting
        deadline = now + Self.answerDeadline
        return [.send(PublishCommand.connect(url, suffix: authentication.suffix), chunkStream: ChunkStreamID.command)]
    }

    /// A message that is no protocol control.
    public mutating func receive(_ message: RTMPMessage, now: Int64) -> [Action] {
        guard state != .failed, state != .finished else { return [] }
        let command: (name: String, transaction: Double, arguments: [AMF0Value])?
        do {
            command = try PublishCommand.read(message)
        } catch {
            // To a stream that is live it says nothing that must be known.
            if isLive { return [] }
            return fail(.broken, error.description)
        }
        guard let command else { return [] }
        // Answers are a null or an object, and then what is told.
        let told = command.arguments.dropFirst().first
        switch command.name {
        case "_result": return answered(command.transaction, command.arguments, now: now)
        case "_error": return refused(command.transaction, told ?? command.arguments.first)
        case "onStatus": return status(told ?? command.arguments.first, now: now)
        case "close":
            return fail(.lost, "The server \(url) closed the stream; it is tried again.")
        default: return []
        }
    }

    /// The server closed the connection, or it broke.
    public mutating func disconnected(reason: String? = nil) -> [Action] {
        switch state {
        case .failed, .finished: return []
        case .publishing where !wasLive:
            // Services close without a word where they do not know the key; so do servers that restart.
            return fail(
                .lost,
                "The server \(url) closed the connection when it was told the stream's name; check the stream key.")
        default:
            return fail(.lost, "The connection to \(url) was lost\(reason.map { ": \($0)" } ?? ""); it is tried again.")
        }
    }

    public mutating func tick(now: Int64) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        let step =
            switch state {
            case .connecting: "the connect command"
            case .creating: "the request for a stream"
            default: "the request to publish"
            }
        return fail(.unreachable, "The server \(url) did not answer \(step) within 10 seconds; it is tried again.")
    }

    /// The last sample is sent.
    public mutating func finish() -> [Action] {
        defer {
            state = .finished
            deadline = nil
        }
        switch state {
        case .live(let streamID), .publishing(let streamID):
            return [
                command("FCUnpublish", PublishCommand.Transaction.unpublishForward, [.string(url.streamName)]),
                command("deleteStream", PublishCommand.Transaction.deleteStream, [.number(Double(streamID))]),
                .close,
            ]
        case .failed, .finished: return []
        default: return [.close]
        }
    }

    private mutating func answered(_ transaction: Double, _ arguments: [AMF0Value], now: Int64) -> [Action] {
        switch (state, transaction) {
        case (.connecting, PublishCommand.Transaction.connect):
            server = serverName(arguments)
            state = .creating
            deadline = now + Self.answerDeadline
            let name = AMF0Value.string(url.streamName)
            // The answers to the first two are not waited for: many servers give none.
            return [
                command("releaseStream", PublishCommand.Transaction.releaseStream, [name]),
                command("FCPublish", PublishCommand.Transaction.publishForward, [name]),
                command("createStream", PublishCommand.Transaction.createStream, []),
            ]
        case (.creating, PublishCommand.Transaction.createStream):
            guard let number = arguments.dropFirst().first?.number, let streamID = UInt32(exactly: number) else {
                return fail(.broken, "The server \(url) gave no stream to publish on; try again, or another server.")
            }
            state = .publishing(streamID: streamID)
            deadline = now + Self.answerDeadline
            return [
                .send(PublishCommand.publish(url, streamID: streamID), chunkStream: ChunkStreamID.publish)
            ]
        default: return []
        }
    }

    private mutating func refused(_ transaction: Double, _ told: AMF0Value?) -> [Action] {
        let words = said(told)
        switch (state, transaction) {
        case (.connecting, PublishCommand.Transaction.connect):
            switch authentication.refused(told?["description"]?.string ?? "") {
            case .again:
                state = .failed
                deadline = nil
                return [.authenticate(authentication)]
            case .credentialsMissing:
                return fail(
                    .unauthorized,
                    "The server \(url) asks for a user and a password; put them in the address: USER:PASSWORD@HOST.")
            case .refused:
                return fail(.unauthorized, "The server \(url) does not take this user and password; check them.")
            case .none:
                return fail(
                    wasLive ? .lost : .wrongApplication,
                    "The server \(url) refused the application\(words); check the address up to the stream key.")
            }
        case (.creating, PublishCommand.Transaction.createStream):
            return fail(.broken, "The server \(url) gave no stream to publish on\(words); it is tried again.")
        case (.publishing, PublishCommand.Transaction.publish):
            return refusedStream(told)
        default: return []
        }
    }

    private mutating func status(_ told: AMF0Value?, now: Int64) -> [Action] {
        let code = told?["code"]?.string ?? ""
        switch code {
        case "NetStream.Publish.Start":
            guard case .publishing(let streamID) = state else { return [] }
            state = .live(streamID: streamID)
            deadline = nil
            return [.live(streamID: streamID)]
        case "NetConnection.Connect.ReconnectRequest":
            // Enhanced RTMP v2, "Reconnect Request": without an address, or with one that cannot be, the present one.
            let target = told?["tcUrl"]?.string.flatMap { url.moved(to: $0) }
            return [.move(target ?? url)]
        case "NetConnection.Connect.Rejected", "NetConnection.Connect.InvalidApp":
            return refused(PublishCommand.Transaction.connect, told)
        case "NetConnection.Connect.Closed", "NetStream.Unpublish.Success", "NetStream.Publish.Failed",
            "NetStream.Failed":
            return fail(.lost, "The server \(url) ended the stream\(said(told)); it is tried again.")
        default:
            guard told?["level"]?.string == "error" else { return [] }
            return refusedStream(told)
        }
    }

    private mutating func refusedStream(_ told: AMF0Value?) -> [Action] {
        let words = said(told)
        let isTaken = told?["description"]?.string?.lowercased().contains("already") == true
        if isTaken || wasLive || isLive {
            return fail(.busy, "The server \(url) does not take the stream now\(words); it is tried again.")
        }
        return fail(.refused, "The server \(url) refused the stream\(words); check the stream key.")
    }

    private var isLive: Bool { if case .live = state { true } else { false } }

    /// The server's words in brackets, where they may be repeated.
    private func said(_ told: AMF0Value?) -> String {
        guard let text = told?["description"]?.string ?? told?["code"]?.string else { return "" }
        return shown(text, atMost: 200).map { " (“\($0)”)" } ?? ""
    }

    /// What of a server's words can be shown; nil: nothing, for they may hold a secret. Neither what is left out nor what is
    /// cut off may hide one.
    private func shown(_ text: String, atMost length: Int) -> String? {
        // No server has so much to say, and all of it would be searched.
        guard text.utf8.count <= 4096 else { return nil }
        let line = text.filter { $0.isASCII && $0 >= " " && $0 != "\u{7F}" }
        guard !line.isEmpty, url.isFreeOfSecrets(text), url.isFreeOfSecrets(line) else { return nil }
        return String(line.prefix(length))
    }

    private mutating func fail(_ kind: PublishFailure.Kind, _ sentence: String) -> [Action] {
        if case .publishing = state { endedAtStreamName = kind == .lost || kind == .unreachable }
        state = .failed
        deadline = nil
        return [.fail(PublishFailure(kind, sentence))]
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
