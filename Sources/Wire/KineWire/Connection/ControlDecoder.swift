// The wire format of the control channel, without a socket: bytes in, messages out. A frame is a length of four bytes,
// big-endian, and that many bytes of JSON. The first frame of each side is its `ControlHello`.
import FoundationEssentials
import KineText

/// The first frame of each side. A later version of Kinecast may add keys; these keep their meaning.
public struct ControlHello: Codable, Sendable, Equatable {
    /// The version of the frames, and of the messages of a channel without a protocol number.
    public var kinecast: Int
    /// The `ControlMessage.protocolNumber` of the messages that this side reads.
    public var protocolNumber: Int?

    /// Raised if a change of frames would make the other side misread them. Unknown messages are skipped instead.
    public static let currentVersion = 1

    public init(kinecast: Int = currentVersion, protocolNumber: Int? = nil) {
        self.kinecast = kinecast
        self.protocolNumber = protocolNumber
    }
}

/// A message that can be received on a control channel.
public protocol ControlMessage: Decodable, Sendable {
    /// The protocol number of the messages, if the two ends may have different versions. The reader of a message
    /// decides which messages it accepts from a peer with another number.
    static var protocolNumber: Int? { get }

    /// The message to receive instead of `name`, which this version cannot read; nil skips it.
    static func replacement(forUnknown name: String) -> Self?
}

extension ControlMessage {
    public static var protocolNumber: Int? { nil }

    public static func replacement(forUnknown name: String) -> Self? { nil }
}

/// Turns received bytes into messages, however they were split. A frame that is a JSON object but not a known message
/// is of a later version and is skipped. Every other error is final: bytes after it cannot be trusted.
public struct ControlDecoder: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable {
        /// A frame announces more bytes than a message may have.
        case tooLarge(length: Int, limit: Int)
        /// The first frame was not a hello: the other end does not speak this protocol.
        case notKinecast
        /// The other side speaks another version.
        case version(theirs: Int)
        /// A frame is not a JSON object; the decoder's reason.
        case malformed(String)
    }

    /// The longest JSON of one message, in bytes.
    public static let messageLimit = 1 << 20
    /// The longest JSON of a hello: short, so that an unknown peer cannot make this side wait for a megabyte.
    static let helloLimit = 1024

    private var buffer: [UInt8] = []
    private var consumed = 0
    /// The other side's hello; nil until it was read.
    private(set) var hello: ControlHello?
    private var failure: Error?

    public init() {}

    /// Bytes of an incomplete frame.
    public var pendingBytes: Int { buffer.count - consumed }

    /// Adds received bytes. Call `next` until it returns nil before adding more: that bounds the buffer.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        if consumed > 0 {
            buffer.removeFirst(consumed)
            consumed = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete message; nil until all of its bytes are there.
    public mutating func next<Message: ControlMessage>(_ type: Message.Type = Message.self) throws(Error) -> Message? {
        if let failure { throw failure }
        do throws(Error) {
            if hello == nil {
                guard let frame = try nextFrame(limit: Self.helloLimit) else { return nil }
                guard let hello = try? JSONDecoder().decode(ControlHello.self, from: Data(frame)) else {
                    throw .notKinecast
                }
                guard hello.kinecast == ControlHello.currentVersion else { throw .version(theirs: hello.kinecast) }
                self.hello = hello
            }
            while let frame = try nextFrame(limit: Self.messageLimit) {
                if let message: Message = try Self.message(Data(frame)) { return message }
            }
            return nil
        } catch {
            failure = error
            buffer = []
            consumed = 0
            throw error
        }
    }

    private static func message<Message: ControlMessage>(_ json: Data) throws(Error) -> Message? {
        do {
            return try JSONDecoder().decode(Message.self, from: json)
        } catch {
            guard let object = try? JSONDecoder().decode([String: Anything].self, from: json) else {
                throw .malformed(reason(error))
            }
            // The first key, or the beginning of a long one.
            return Message.replacement(forUnknown: (object.keys.min() ?? "").printable(limit: 100))
        }
    }

    private mutating func nextFrame(limit: Int) throws(Error) -> ArraySlice<UInt8>? {
        guard pendingBytes >= 4 else { return nil }
        let length = buffer[consumed..<consumed + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= limit else {
            throw hello != nil ? .tooLarge(length: length, limit: limit) : .notKinecast
        }
        guard pendingBytes >= 4 + length else { return nil }
        let frame = buffer[consumed + 4..<consumed + 4 + length]
        consumed += 4 + length
        return frame
    }

    private static func reason(_ error: any Swift.Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "it is not an object" }
        return context.debugDescription
    }
}

/// A value that is ignored.
private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}

/// Turns messages into frames.
public enum ControlEncoder {
    /// The frame of one message: length and JSON. Throws if a value has no JSON, such as infinity, or if the JSON is
    /// longer than `ControlDecoder.messageLimit`.
    public static func frame(_ message: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(message)
        guard json.count <= ControlDecoder.messageLimit else {
            throw ControlDecoder.Error.tooLarge(length: json.count, limit: ControlDecoder.messageLimit)
        }
        let length = UInt32(json.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + json
    }
}
