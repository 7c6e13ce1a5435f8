// Splits messages into chunks (RTMP 1.0, section 5.3). Each connection has its own writer, since headers omit the
// fields that the peer knows from earlier chunks.

/// The sending half of a chunk stream.
public struct ChunkWriter: Sendable {
    /// The last header on a chunk stream.
    private struct Previous: Sendable {
        var timestamp: UInt32
        var length: Int
        var kind: RTMPMessage.Kind
        var streamID: UInt32
    }

    /// The payload bytes of a chunk; changed by writing `RTMPMessage.setChunkSize`.
    private var chunkSize = ChunkReader.initialChunkSize
    private var previous: [UInt32: Previous] = [:]

    public init() {}

    /// Appends a message's chunks to `output`. A payload has at most `RTMPMessage.lengthLimit` bytes, and chunk stream
    /// ids are from 2 to 65,599.
    public mutating func write(_ message: RTMPMessage, on chunkStream: UInt32, to output: inout [UInt8]) {
        precondition(message.payload.count <= RTMPMessage.lengthLimit, "a message has at most 2^24 - 1 bytes")
        output.reserveCapacity(output.count + message.payload.count + 18 + 7 * (message.payload.count / chunkSize))
        let extended = writeHeader(of: message, on: chunkStream, to: &output)
        var rest = message.payload[...]
        output.append(contentsOf: rest.prefix(chunkSize))
        rest = rest.dropFirst(chunkSize)
        while !rest.isEmpty {
            Self.basicHeader(format: 3, chunkStream, to: &output)
            // The extended timestamp is repeated in every chunk of the message (section 5.3.1.3).
            if let extended { output.append(bigEndian: extended) }
            output.append(contentsOf: rest.prefix(chunkSize))
            rest = rest.dropFirst(chunkSize)
        }
        if case .setChunkSize(let size) = ControlMessage(message), size > 0 { chunkSize = Int(size & 0x7FFF_FFFF) }
    }

    /// Returns the extended timestamp, if the message needs one.
    private mutating func writeHeader(
        of message: RTMPMessage, on chunkStream: UInt32, to output: inout [UInt8]
    ) -> UInt32? {
        let new = Previous(
            timestamp: message.timestamp, length: message.payload.count, kind: message.kind,
            streamID: message.streamID)
        let old = previous.updateValue(new, forKey: chunkStream)
        // A delta cannot be negative; times are compared modulo 2^32 (section 4, "timestamps").
        let delta = old.map { message.timestamp &- $0.timestamp } ?? 0
        // No message begins with a type 3 chunk: readers disagree about its timestamp after a type 0 chunk.
        let format: UInt8
        if let old, old.streamID == new.streamID, delta < 1 << 31 {
            format = old.length == new.length && old.kind == new.kind ? 2 : 1
        } else {
            format = 0
        }
        let time = format == 0 ? message.timestamp : delta
        Self.basicHeader(format: format, chunkStream, to: &output)
        output.append(bigEndian24: min(time, 0xFF_FFFF))
        if format < 2 {
            output.append(bigEndian24: UInt32(message.payload.count))
            output.append(message.kind.rawValue)
        }
        if format == 0 { output.append(littleEndian: message.streamID) }
        guard time >= 0xFF_FFFF else { return nil }
        output.append(bigEndian: time)
        return time
    }

    /// One to three bytes (section 5.3.1.1).
    private static func basicHeader(format: UInt8, _ chunkStream: UInt32, to output: inout [UInt8]) {
        let top = format << 6
        switch chunkStream {
        case ...63: output.append(top | UInt8(truncatingIfNeeded: chunkStream))
        case ...319:
            output.append(top)
            output.append(UInt8(truncatingIfNeeded: chunkStream - 64))
        default:
            output.append(top | 1)
            output.append(littleEndian: UInt16(truncatingIfNeeded: chunkStream - 64))
        }
    }
}
