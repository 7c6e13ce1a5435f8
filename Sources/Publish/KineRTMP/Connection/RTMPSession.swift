// One connection without a socket: combines handshake, chunks, acknowledgements and commands. Bytes and samples go in,
// bytes and events come out. Each connection needs a new session, since no chunk state survives a connection.

/// The protocol of one connection. Times are nanoseconds on any steady clock.
public struct RTMPSession: Sendable {
    public enum Event: Equatable, Sendable {
        /// Send these bytes, in this order.
        case send([UInt8])
        /// The server accepts samples, from a keyframe on. Send `beginStream` before them.
        case accepted
        /// See `StreamAcceptance`.
        case live
        case authenticate(PublisherAuthentication)
        case redirect(RTMPURL)
        case moved(RTMPURL)
        case fail(PublishFailure)
        case close
    }

    private enum Stage: Sendable {
        case idle(ClientHandshake)
        case handshake(ClientHandshake, begun: Int64)
        case messages
        /// The end was reported; no further events.
        case over
    }

    /// FFmpeg's chunk size, which all servers know. Nearly every message is one chunk.
    private static let chunkSize: UInt32 = 60_000
    /// Nanoseconds for the handshake, from the connection of the socket.
    public static let handshakeDeadline: Int64 = 10_000_000_000

    private let url: RTMPURL
    private let wasLive: Bool
    private var stage: Stage
    private var reader = ChunkReader()
    private var writer = ChunkWriter()
    private var window = AcknowledgementWindow()
    private var publishing: PublishStateMachine

    public init(
        _ url: RTMPURL, authentication: PublisherAuthentication, random: [UInt8], wasLive: Bool = false
    ) {
        self.url = url
        self.wasLive = wasLive
        stage = .idle(ClientHandshake(random: random))
        publishing = PublishStateMachine(url, authentication: authentication, wasLive: wasLive)
    }

    public var state: PublishStateMachine.State { publishing.state }
    public var server: String? { publishing.server }
    /// See `PublishStateMachine.endedAtStreamName`.
    public var endedAtStreamName: Bool { publishing.endedAtStreamName }
    /// The time at which to call `tick`, if any.
    public var deadline: Int64? {
        if case .handshake(_, let begun) = stage { begun + Self.handshakeDeadline } else { publishing.deadline }
    }

    /// Call when the socket is connected.
    public mutating func connected(now: Int64) -> [Event] {
        guard case .idle(let handshake) = stage else { return [] }
        stage = .handshake(handshake, begun: now)
        return [.send(handshake.hello)]
    }

    public mutating func receive(_ bytes: some Collection<UInt8>, now: Int64) -> [Event] {
        var events: [Event] = []
        switch stage {
        case .handshake(var handshake, let begun):
            handshake.append(bytes)
            advance(handshake, begun: begun, now: now, &events)
        case .messages: readChunks(bytes, now: now, &events)
        case .idle, .over: break
        }
        return events
    }

    public mutating func tick(now: Int64) -> [Event] {
        var events: [Event] = []
        switch stage {
        case .handshake(_, let begun) where now >= begun + Self.handshakeDeadline:
            fail(PublishFailure(.handshakeTimedOut, url), &events)
        case .messages: perform(publishing.tick(now: now), &events)
        case .idle, .handshake, .over: break
        }
        return events
    }

    public mutating func disconnected(_ error: PublishFailure.SystemError? = nil) -> [Event] {
        var events: [Event] = []
        if case .over = stage { return events }
        perform(publishing.disconnected(error), &events)
        return events
    }

    /// See `PublishStateMachine.expectAcknowledgement(of:now:)`.
    public mutating func expectAcknowledgement(of bytes: Int64, now: Int64) {
        publishing.expectAcknowledgement(of: bytes, now: now)
    }

    /// See `PublishStateMachine.acknowledged(_:now:)`.
    public mutating func acknowledged(_ bytes: Int64?, now: Int64) -> [Event] {
        var events: [Event] = []
        perform(publishing.acknowledged(bytes, now: now), &events)
        return events
    }

    /// Ends the stream after all sent data.
    public mutating func finish() -> [Event] {
        var events: [Event] = []
        perform(publishing.finish(), &events)
        return events
    }

    /// The bytes that announce the stream: metadata at time zero, and the sequence headers of video and audio.
    /// - Parameter timestamp: the earliest time of any sample: servers count from the first message, and cannot count
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

    /// The bytes that announce audio which begins later than the stream: metadata again, and the sequence header.
    public mutating func beginAudio(_ format: RTMPStreamFormat, timestamp: UInt32) -> [UInt8] {
        guard let audio = format.audio else { return [] }
        var output: [UInt8] = []
        write(.dataAMF0, ChunkStreamID.data, timestamp, format.metadata(), &output)
        write(.audio, ChunkStreamID.audio, timestamp, AudioTag.sequenceHeader(audio), &output)
        return output
    }

    /// The bytes that announce a new format of the video: metadata again, and the sequence header.
    /// - Parameter timestamp: the timestamp of the first frame that has this format.
    public mutating func beginVideo(_ format: RTMPStreamFormat, timestamp: UInt32) -> [UInt8] {
        guard let video = format.video else { return [] }
        var output: [UInt8] = []
        write(.dataAMF0, ChunkStreamID.data, timestamp, format.metadata(), &output)
        write(.video, ChunkStreamID.video, timestamp, VideoTag.sequenceHeader(video), &output)
        return output
    }

    /// The bytes of a sample's message. VideoTag or AudioTag makes the item's payload.
    public mutating func sample(_ item: SendQueue.Item) -> [UInt8] {
        var output: [UInt8] = []
        let timestamp = UInt32(truncatingIfNeeded: item.time)
        let chunkStream = item.isVideo ? ChunkStreamID.video : ChunkStreamID.audio
        write(item.isVideo ? .video : .audio, chunkStream, timestamp, item.payload, &output)
        return output
    }

    private mutating func write(
        _ kind: RTMPMessage.Kind, _ chunkStream: UInt32, _ timestamp: UInt32, _ payload: [UInt8],
        _ output: inout [UInt8]
    ) {
        guard let streamID = publishing.streamID, payload.count <= RTMPMessage.lengthLimit else { return }
        writer.write(
            RTMPMessage(kind: kind, streamID: streamID, timestamp: timestamp, payload: payload), on: chunkStream,
            to: &output)
    }

    private mutating func advance(
        _ unfinished: ClientHandshake, begun: Int64, now: Int64, _ events: inout [Event]
    ) {
        var handshake = unfinished
        do throws(ClientHandshake.Error) {
            while true {
                switch try handshake.next(time: UInt32(truncatingIfNeeded: (now - begun) / 1_000_000)) {
                case .needsBytes:
                    stage = .handshake(handshake, begun: begun)
                    return
                case .send(let answer): events.append(.send(answer))
                case .done(let remainder):
                    stage = .messages
                    // Before `connect`, which servers would otherwise read in chunks of 128 bytes.
                    send(.setChunkSize(Self.chunkSize), on: ChunkStreamID.control, &events)
                    perform(publishing.start(now: now), &events)
                    readChunks(remainder, now: now, &events)
                    return
                }
            }
        } catch {
            // A server that has spoken RTMP before is restarting, and another program answers in its place.
            fail(PublishFailure(.handshake(error), url, kind: wasLive ? .broken : nil), &events)
        }
    }

    private mutating func readChunks(_ bytes: some Collection<UInt8>, now: Int64, _ events: inout [Event]) {
        reader.append(bytes)
        do {
            while case .messages = stage, let message = try reader.next() {
                if let control = ControlMessage(message) {
                    if let answer = window.receive(control) { send(answer, on: ChunkStreamID.control, &events) }
                } else {
                    perform(publishing.receive(message, now: now), &events)
                }
            }
        } catch {
            return fail(PublishFailure(.chunks(error), url), &events)
        }
        if case .messages = stage, let due = window.acknowledgement(receivedBytes: reader.receivedBytes) {
            send(due, on: ChunkStreamID.control, &events)
        }
    }

    private mutating func perform(_ actions: [PublishStateMachine.Action], _ events: inout [Event]) {
        for action in actions {
            switch action {
            case .send(let message, let chunkStream): send(message, on: chunkStream, &events)
            case .accepted: events.append(.accepted)
            case .live: events.append(.live)
            case .authenticate(let authentication):
                stage = .over
                events.append(.authenticate(authentication))
            case .redirect(let url): events.append(.redirect(url))
            case .moved(let url):
                stage = .over
                events.append(.moved(url))
            case .fail(let failure): fail(failure, &events)
            case .close: events.append(.close)
            }
        }
    }

    private mutating func send(_ message: RTMPMessage, on chunkStream: UInt32, _ events: inout [Event]) {
        var output: [UInt8] = []
        writer.write(message, on: chunkStream, to: &output)
        events.append(.send(output))
    }

    private mutating func fail(_ failure: PublishFailure, _ events: inout [Event]) {
        stage = .over
        events.append(.fail(failure))
    }
}
