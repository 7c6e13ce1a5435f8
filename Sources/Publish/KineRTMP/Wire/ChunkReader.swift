// Assembles messages from chunks (RTMP 1.0, section 5.3). The peer is not trusted: the reader limits its memory,
// whatever the chunks announce.

/// The receiving half of a chunk stream. Bytes may come in any pieces. After an error no more bytes are read.
public struct ChunkReader: Sendable {
    public enum Error: Swift.Error, Hashable {
        /// The first chunk of a chunk stream has no full header.
        case headerMissing(chunkStream: UInt32)
        /// A message begins while another on the same chunk stream is incomplete.
        case messageInterrupted(chunkStream: UInt32)
        case messageTooLong(Int)
        case tooManyChunkStreams
        case badChunkSize(UInt32)
        case tooManyUnfinishedBytes
    }

    /// The chunk size until a SetChunkSize message (section 5.4.1).
    static let initialChunkSize = 128
    private static let chunkStreamLimit = 64

    private struct Stream: Sendable {
        var timestamp: UInt32 = 0
        /// Added to the timestamp by a type 3 chunk that begins a message.
        var delta: UInt32 = 0
        var isExtended = false
        var length = 0
        var kind = RTMPMessage.Kind(rawValue: 0)
        var streamID: UInt32 = 0
        var payload: [UInt8] = []
        /// Whether the stream is between the first and the last chunk of a message.
        var isWithinMessage = false
    }

    /// The payload bytes of the peer's chunks.
    private var chunkSize = ChunkReader.initialChunkSize
    /// All bytes ever appended.
    private(set) var receivedBytes: UInt64 = 0
    private let messageLimit: Int
    private var streams: [UInt32: Stream] = [:]
    private var buffer: [UInt8] = []
    private var position = 0
    private var failure: Error?
    /// Bytes of payload in unfinished messages.
    private var unfinishedBytes = 0

    /// `messageLimit`: the most bytes of a message; all unfinished messages together may have four times as many.
    public init(messageLimit: Int = 1 << 20) { self.messageLimit = messageLimit }

    /// Stored bytes of incomplete messages.
    public var pendingBytes: Int { buffer.count - position + unfinishedBytes }

    public mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0 {
            buffer.removeFirst(position)
            position = 0
        }
        buffer.append(contentsOf: bytes)
        receivedBytes += UInt64(bytes.count)
    }

    /// The next complete message; nil if more bytes are needed. SetChunkSize and Abort are applied, and returned too.
    public mutating func next() throws(Error) -> RTMPMessage? {
        if let failure { throw failure }
        do {
            while true {
                switch try chunk() {
                case .needsBytes: return nil
                case .unfinished: continue
                case .message(let message):
                    try apply(message)
                    return message
                }
            }
        } catch {
            failure = error
            buffer = []
            position = 0
            streams = [:]
            unfinishedBytes = 0
            throw error
        }
    }

    private enum Step {
        case needsBytes
        case unfinished
        case message(RTMPMessage)
    }

    private mutating func chunk() throws(Error) -> Step {
        var reader = ByteReader(buffer[position...])
        guard let (format, id) = Self.basicHeader(&reader) else { return .needsBytes }
        guard var stream = streams[id] ?? (format == 0 ? Stream() : nil) else {
            throw .headerMissing(chunkStream: id)
        }
        if format != 3, stream.isWithinMessage { throw .messageInterrupted(chunkStream: id) }
        guard try Self.messageHeader(&reader, format: format, &stream) else { return .needsBytes }
        guard stream.length <= messageLimit else { throw .messageTooLong(stream.length) }
        if streams[id] == nil, streams.count >= Self.chunkStreamLimit { throw .tooManyChunkStreams }

        let wanted = min(chunkSize, stream.length - stream.payload.count)
        guard let bytes = reader.bytes(wanted) else { return .needsBytes }
        guard unfinishedBytes + wanted <= 4 * messageLimit else { throw .tooManyUnfinishedBytes }
        position = buffer.count - reader.count
        // Removed from the dictionary, so that appending does not copy.
        streams[id] = nil
        stream.payload.append(contentsOf: bytes)
        unfinishedBytes += wanted
        stream.isWithinMessage = stream.payload.count < stream.length
        defer { streams[id] = stream }
        if stream.isWithinMessage { return .unfinished }
        unfinishedBytes -= stream.length
        let payload = stream.payload
        stream.payload = []
        return .message(
            RTMPMessage(
                kind: stream.kind, streamID: stream.streamID, timestamp: stream.timestamp, payload: payload))
    }

    private static func basicHeader(_ reader: inout ByteReader) -> (format: UInt8, id: UInt32)? {
        guard let first = reader.integer(UInt8.self) else { return nil }
        switch first & 0x3F {
        case 0:
            guard let next = reader.integer(UInt8.self) else { return nil }
            return (first >> 6, 64 + UInt32(next))
        case 1:
            guard let next = reader.integer(UInt16.self) else { return nil }
            return (first >> 6, 64 + UInt32(next.byteSwapped))
        case let id: return (first >> 6, UInt32(id))
        }
    }

    /// Reads the rest of the header; false if it is incomplete.
    private static func messageHeader(
        _ reader: inout ByteReader, format: UInt8, _ stream: inout Stream
    ) throws(Error) -> Bool {
        if format == 3 {
            // The extended timestamp is repeated (section 5.3.1.3).
            if stream.isExtended, reader.integer(UInt32.self) == nil { return false }
            if !stream.isWithinMessage { stream.timestamp &+= stream.delta }
            return true
        }
        guard var time = reader.integer24() else { return false }
        if format < 2 {
            guard let length = reader.integer24(), let kind = reader.integer(UInt8.self) else { return false }
            stream.length = Int(length)
            stream.kind = RTMPMessage.Kind(rawValue: kind)
        }
        if format == 0 {
            guard let id = reader.integer(UInt32.self) else { return false }
            stream.streamID = id.byteSwapped
        }
        stream.isExtended = time == 0xFF_FFFF
        if stream.isExtended {
            guard let extended = reader.integer(UInt32.self) else { return false }
            time = extended
        }
        stream.timestamp = format == 0 ? time : stream.timestamp &+ time
        // A type 3 chunk after a type 0 chunk adds that chunk's timestamp (section 5.3.1.2.4).
        stream.delta = time
        return true
    }

    private mutating func apply(_ message: RTMPMessage) throws(Error) {
        switch ControlMessage(message) {
        case .setChunkSize(let size):
            // The first bit has to be zero (section 5.4.1).
            guard size > 0, size < 1 << 31 else { throw .badChunkSize(size) }
            chunkSize = Int(size)
        case .abort(let id):
            guard let stream = streams[id], stream.isWithinMessage else { return }
            unfinishedBytes -= stream.payload.count
            streams[id]?.payload = []
            streams[id]?.isWithinMessage = false
        default: return
        }
    }
}

/// Decides when to acknowledge received bytes (RTMP 1.0, sections 5.4.3 to 5.4.5). A server without acknowledgements
/// stops sending.
struct AcknowledgementWindow: Sendable {
    /// Bytes after which the peer wants an acknowledgement; 0: it has not requested any.
    private var size: UInt64 = 0
    private var acknowledged: UInt64 = 0
    /// The window that was announced to the peer; 0: none.
    private var announced: UInt32 = 0

    /// The answer to a message from the peer.
    mutating func receive(_ message: ControlMessage) -> RTMPMessage? {
        switch message {
        case .windowAcknowledgementSize(let size):
            self.size = UInt64(size)
            return nil
        case .setPeerBandwidth(let size):
            // Answered if the size differs from the last announcement (section 5.4.5).
            guard size != announced, size > 0 else { return nil }
            announced = size
            return .windowAcknowledgementSize(size)
        case .pingRequest(let time): return .pingResponse(time)
        case .setChunkSize, .abort: return nil
        }
    }

    /// The acknowledgement that is due after `receivedBytes` in total.
    mutating func acknowledgement(receivedBytes: UInt64) -> RTMPMessage? {
        guard size > 0, receivedBytes - acknowledged >= size else { return nil }
        acknowledged = receivedBytes
        return .acknowledgement(UInt32(truncatingIfNeeded: receivedBytes))
    }
}
