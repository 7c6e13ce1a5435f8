// A message of RTMP, and those that control the chunk stream itself (Adobe's "RTMP Specification 1.0", sections 5.4 and 7.1).

/// A message, which is sent in one or more chunks.
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

/// The chunk streams that a publisher uses. 2 is for protocol control (section 5.3.1.1). The others are free; these are the
/// ones that servers know from FFmpeg and librtmp.
public enum ChunkStreamID {
    public static let control: UInt32 = 2
    public static let command: UInt32 = 3
    public static let audio: UInt32 = 4
    public static let data: UInt32 = 5
    public static let video: UInt32 = 6
    public static let publish: UInt32 = 8
}

/// Protocol control and user control messages.
public enum ControlMessage: Equatable, Sendable {
    /// Bytes of payload in each chunk from the next one on: 1 to 2^31 - 1.
    case setChunkSize(UInt32)
    /// The unfinished message on this chunk stream is dropped.
    case abort(chunkStream: UInt32)
    /// Bytes received so far, modulo 2^32.
    case acknowledgement(UInt32)
    /// The receiver acknowledges after so many bytes.
    case windowAcknowledgementSize(UInt32)
    /// The limit type is 0 hard, 1 soft, 2 dynamic.
    case setPeerBandwidth(UInt32, limitType: UInt8)
    case streamBegin(UInt32)
    case pingRequest(UInt32)
    case pingResponse(UInt32)
    /// Another event of section 7.1.7, which does not matter to a publisher.
    case otherEvent(UInt16)

    /// nil for a message of another kind, or one that is too short.
    public init?(_ message: RTMPMessage) {
        var reader = ByteReader(message.payload[...])
        let event = message.kind == .userControl ? reader.integer(UInt16.self) : nil
        switch (message.kind, event, reader.integer(UInt32.self)) {
        case (.setChunkSize, _, let size?): self = .setChunkSize(size)
        case (.abort, _, let id?): self = .abort(chunkStream: id)
        case (.acknowledgement, _, let count?): self = .acknowledgement(count)
        case (.windowAcknowledgementSize, _, let size?): self = .windowAcknowledgementSize(size)
        case (.setPeerBandwidth, _, let size?):
            guard let limitType = reader.integer(UInt8.self) else { return nil }
            self = .setPeerBandwidth(size, limitType: limitType)
        case (.userControl, 0, let value): guard let value else { return nil }; self = .streamBegin(value)
        case (.userControl, 6, let value): guard let value else { return nil }; self = .pingRequest(value)
        case (.userControl, 7, let value): guard let value else { return nil }; self = .pingResponse(value)
        case (.userControl, let event?, _): self = .otherEvent(event)
        default: return nil
        }
    }

    /// To be sent on chunk stream 2 and message stream 0 (section 5.4).
    public var message: RTMPMessage {
        switch self {
        case .setChunkSize(let size): Self.message(.setChunkSize, size)
        case .abort(let id): Self.message(.abort, id)
        case .acknowledgement(let count): Self.message(.acknowledgement, count)
        case .windowAcknowledgementSize(let size): Self.message(.windowAcknowledgementSize, size)
        case .setPeerBandwidth(let size, let limitType): Self.message(.setPeerBandwidth, size, [limitType])
        case .streamBegin(let value): Self.message(.userControl, event: 0, value)
        case .pingRequest(let value): Self.message(.userControl, event: 6, value)
        case .pingResponse(let value): Self.message(.userControl, event: 7, value)
        case .otherEvent(let event): Self.message(.userControl, event: event, nil)
        }
    }

    private static func message(
        _ kind: RTMPMessage.Kind, event: UInt16? = nil, _ value: UInt32?, _ rest: [UInt8] = []
    ) -> RTMPMessage {
        var payload: [UInt8] = []
        if let event { payload.append(bigEndian: event) }
        if let value { payload.append(bigEndian: value) }
        return RTMPMessage(kind: kind, payload: payload + rest)
    }
}
