// One connection without a socket: handshake, chunks, acknowledgements and commands put together. Bytes and samples go in,
// bytes and events come out. For each connection a new one: nothing of the chunks' state survives.

/// The protocol of one connection. Times are nanoseconds on any steady clock.
public struct RTMPSession: Sendable {
    public enum Event: Equatable, Sendable {
        /// These bytes are to be sent, in this order.
        case send([UInt8])
        /// Samples are taken, from a keyframe on. `beginStream` has to be called first.
        case live
        case authenticate(PublisherAuthentication)
        case move(RTMPURL)
        case fail(PublishFailure)
        case close
    }

    /// What FFmpeg sends too, so that no server can be surprised by it: nearly every message is one chunk.
    public static let chunkSize: UInt32 = 60_000
    /// The longest that connecting and the handshake may take.
    public static let handshakeDeadline: Int64 = 10_000_000_000

    private let url: RTMPURL
    private let wasLive: Bool
    private var handshake: ClientHandshake?
    private var reader = ChunkReader()
    private var writer = ChunkWriter()
    private var window = AcknowledgementWindow()
    private var publishing: PublishStateMachine
    private var handshakeEnd: Int64?
    private var begun: Int64 = 0
    private var streamID: UInt32?
    private var hasFailed = false

    public init(
        _ url: RTMPURL, authentication: PublisherAuthentication, random: [UInt8], wasLive: Bool = false
    ) {
        self.url = url
        self.wasLive = wasLive
        handshake = ClientHandshake(random: random)
        publishing = PublishStateMachine(url, authentication: authentication, wasLive: wasLive)
    }

    public var state: PublishStateMachine.State { publishing.state }
    public var server: String? { publishing.server }
    /// As in `PublishStateMachine`.
    public var endedAtStreamName: Bool { publishing.endedAtStreamName }
    /// When `tick` has to be called at the latest.
    public var deadline: Int64? { handshakeEnd ?? publishing.deadline }

    /// The connection is there.
    public mutating func connected(now: Int64) -> [Event] {
        begun = now
        handshakeEnd = now + Self.handshakeDeadline
        return handshake.map { [.send($0.hello)] } ?? []
    }

    public mutating func receive(_ bytes: some Collection<UInt8>, now: Int64) -> [Event] {
        guard !hasFailed else { return [] }
        var events: [Event] = []
        guard handshake != nil else {
            readChunks(bytes, now: now, &events)
            return events
        }
        handshake?.append(bytes)
        do throws(ClientHandshake.Error) {
            while var waiting = handshake {
                let step = try waiting.next(time: UInt32(truncatingIfNeeded: (now - begun) / 1_000_000))
                handshake = waiting
                switch step {
                case .needsBytes: return events
                case .send(let answer): events.append(.send(answer))
                case .done:
                    let rest = waiting.takeRest()
                    handshake = nil
                    handshakeEnd = nil
                    // Before `connect`: servers read it in chunks of 128 bytes otherwise.
                    var output: [UInt8] = []
                    writer.write(
                        ControlMessage.setChunkSize(Self.chunkSize).message, on: ChunkStreamID.control, to: &output)
                    events.append(.send(output))
                    perform(publishing.start(now: now), &events)
                    readChunks(rest, now: now, &events)
                }
            }
        } catch {
            // A server that was one before is restarting, and another answers in its place.
            fail(error.isOtherProtocol && !wasLive ? .configuration : .broken, error.description, &events)
        }
        return events
    }

    public mutating func tick(now: Int64) -> [Event] {
        var events: [Event] = []
        if let end = handshakeEnd, now >= end {
            fail(
                .unreachable,
                "The server \(url) took the connection and did not answer within 10 seconds; it is tried again.",
                &events)
        } else {
            perform(publishing.tick(now: now), &events)
        }
        return events
    }

    public mutating func disconnected(reason: String? = nil) -> [Event] {
        var events: [Event] = []
        if !hasFailed { perform(publishing.disconnected(reason: reason), &events) }
        return events
    }

    /// Ends the stream; what was to be sent before is sent before.
    public mutating func finish() -> [Event] {
        var events: [Event] = []
        perform(publishing.finish(), &events)
        return events
    }

    /// The bytes that announce the stream: metadata at time zero, and how pictures and sound are decoded.
    /// - Parameter timestamp: no sample that follows may be earlier: servers count from the first message, and cannot count
    ///   below zero.
    public mutating func beginStream(_ format: RTMPStreamFormat, timestamp: UInt32 = 0) -> [UInt8] {
        var output: [UInt8] = []
        write(.dataAMF0, ChunkStreamID.data, 0, format.metadata(), &output)
        if let video = format.video {
            write(.video, ChunkStreamID.video, timestamp, VideoTag.sequenceHeader(video), &output)
        }
        if let audio = format.audio {
            write(.audio, ChunkStreamID.audio, timestamp, AudioTag.sequenceHeader(audio), &output)
        }
        return output
    }

    /// The bytes of a video message; `payload` is of VideoTag, `timestamp` milliseconds modulo 2^32.
    public mutating func video(_ payload: [UInt8], timestamp: UInt32) -> [UInt8] {
        var output: [UInt8] = []
        write(.video, ChunkStreamID.video, timestamp, payload, &output)
        return output
    }

    /// The bytes of an audio message; `payload` is of AudioTag, `timestamp` milliseconds modulo 2^32.
    public mutating func audio(_ payload: [UInt8], timestamp: UInt32) -> [UInt8] {
        var output: [UInt8] = []
        write(.audio, ChunkStreamID.audio, timestamp, payload, &output)
        return output
    }

    private mutating func write(
        _ kind: RTMPMessage.Kind, _ chunkStream: UInt32, _ timestamp: UInt32, _ payload: [UInt8],
        _ output: inout [UInt8]
    ) {
        guard let streamID, payload.count <= RTMPMessage.lengthLimit else { return }
        writer.write(
            RTMPMessage(kind: kind, streamID: streamID, timestamp: timestamp, payload: payload), on: chunkStream,
            to: &output)
    }

    private mutating func readChunks(_ bytes: some Collection<UInt8>, now: Int64, _ events: inout [Event]) {
        reader.append(bytes)
        do {
            while !hasFailed, let message = try reader.next() {
                if let control = ControlMessage(message) {
                    if let answer = window.receive(control) { send(answer, &events) }
                } else {
                    perform(publishing.receive(message, now: now), &events)
                }
            }
        } catch {
            fail(.broken, "\(error)", &events)
            return
        }
        if !hasFailed, let due = window.acknowledgement(receivedBytes: reader.receivedBytes) { send(due, &events) }
    }

    private mutating func send(_ control: ControlMessage, _ events: inout [Event]) {
        var output: [UInt8] = []
        writer.write(control.message, on: ChunkStreamID.control, to: &output)
        events.append(.send(output))
    }

    private mutating func perform(_ actions: [PublishStateMachine.Action], _ events: inout [Event]) {
        for action in actions {
            switch action {
            case .send(let message, let chunkStream):
                var output: [UInt8] = []
                writer.write(message, on: chunkStream, to: &output)
                events.append(.send(output))
            case .live(let id):
                streamID = id
                events.append(.live)
            case .authenticate(let authentication):
                hasFailed = true
                events.append(.authenticate(authentication))
            case .move(let url): events.append(.move(url))
            case .fail(let failure):
                hasFailed = true
                events.append(.fail(failure))
            case .close: events.append(.close)
            }
        }
    }

    private mutating func fail(_ kind: PublishFailure.Kind, _ sentence: String, _ events: inout [Event]) {
        guard !hasFailed else { return }
        hasFailed = true
        handshakeEnd = nil
        events.append(.fail(PublishFailure(kind, sentence)))
    }
}
