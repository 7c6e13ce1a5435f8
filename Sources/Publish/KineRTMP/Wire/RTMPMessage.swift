// An RTMP message, and the messages that control chunk streams (Adobe's "RTMP Specification 1.0", 5.4 and 7.1).

/// A message, sent in one or more chunks.
public struct RTMPMessage: Equatable, Sendable {
    /// The message type id (sections 5.4 and 7.1).
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let setChunkSize = Kind(rawValue: 1)
        public static let abort = Kind(rawValue: 2)
        public static let acknowledgement = Kind(rawValue: 3)
        public static let userControl = Kind(rawValue: 4)
        public static let windowAcknowledgementSize = Kind(rawValue: 5)
        public static let setPeerBandwidth = Kind(rawValue: 6)
        public static let audio = Kind(rawValue: 8)
        public static let video = Kind(rawValue: 9)
        public static let commandAMF3 = Kind(rawValue: 17)
        public static let dataAMF0 = Kind(rawValue: 18)
        public static let commandAMF0 = Kind(rawValue: 20)
    }

    public var kind: Kind
    /// 0 for the connection itself. A stream's number is the server's answer to createStream.
    public var streamID: UInt32
    /// Milliseconds, modulo 2^32.
    public var timestamp: UInt32
    public var payload: [UInt8]

    public init(kind: Kind, streamID: UInt32 = 0, timestamp: UInt32 = 0, payload: [UInt8]) {
        self.kind = kind
        self.streamID = streamID
        self.timestamp = timestamp
        self.payload = payload
    }

    /// A payload's length has 24 bits (section 5.3.1.2.1).
    public static let lengthLimit = 0xFF_FFFF
}

/// The chunk streams of a publisher. 2 is for protocol control (section 5.3.1.1). The others are arbitrary; servers
/// know these from FFmpeg and librtmp.
enum ChunkStreamID {
    static let control: UInt32 = 2
    static let command: UInt32 = 3
    static let audio: UInt32 = 4
    static let data: UInt32 = 5
    static let video: UInt32 = 6
    static let publish: UInt32 = 8
}

/// The control messages of a server that a publisher handles.
public enum ControlMessage: Equatable, Sendable {
    /// Bytes of payload in each later chunk: 1 to 2^31 - 1.
    case setChunkSize(UInt32)
    /// Drops the unfinished message on this chunk stream.
    case abort(chunkStream: UInt32)
    /// The receiver acknowledges after this many bytes.
    case windowAcknowledgementSize(UInt32)
    /// The receiver announces this window to its peer.
    case setPeerBandwidth(UInt32)
    /// A user control message with this time.
    case pingRequest(UInt32)

    /// Nil for any other message, or one that is too short.
    public init?(_ message: RTMPMessage) {
        var reader = ByteReader(message.payload[...])
        // Section 7.1.7: user control messages begin with an event type.
        let event = message.kind == .userControl ? reader.integer(UInt16.self) : nil
        guard let value = reader.integer(UInt32.self) else { return nil }
        switch (message.kind, event) {
        case (.setChunkSize, _): self = .setChunkSize(value)
        case (.abort, _): self = .abort(chunkStream: value)
        case (.windowAcknowledgementSize, _): self = .windowAcknowledgementSize(value)
        case (.setPeerBandwidth, _): self = .setPeerBandwidth(value)
        case (.userControl, 6): self = .pingRequest(value)
        default: return nil
        }
    }
}

/// A publisher's control messages, sent on chunk stream 2 and message stream 0 (section 5.4).
extension RTMPMessage {
    /// Bytes of payload in each later chunk: 1 to 2^31 - 1.
    public static func setChunkSize(_ size: UInt32) -> RTMPMessage { control(.setChunkSize, size) }

    /// Bytes received so far, modulo 2^32.
    static func acknowledgement(_ count: UInt32) -> RTMPMessage { control(.acknowledgement, count) }

    static func windowAcknowledgementSize(_ size: UInt32) -> RTMPMessage { control(.windowAcknowledgementSize, size) }

    /// `time`: the time of the request (section 7.1.7).
    static func pingResponse(_ time: UInt32) -> RTMPMessage { control(.userControl, time, event: [0, 7]) }

    private static func control(_ kind: Kind, _ value: UInt32, event: [UInt8] = []) -> RTMPMessage {
        var message = RTMPMessage(kind: kind, payload: event)
        message.payload.append(bigEndian: value)
        return message
    }
}
