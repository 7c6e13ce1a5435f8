// The wire format of the control channel, without a socket: bytes in, messages out. A frame is a length of four bytes,
// big-endian, and that many bytes of JSON. The first frame of each side is its `ControlHello`.
import FoundationEssentials

/// The first frame of each side. A later version of Kinecast may say more; it may not mean anything else by this key.
public struct ControlHello: Codable, Sendable, Equatable {
    /// The version of the messages that follow.
    public var kinecast: Int

    /// Raised whenever a message changes so that the other side would misread it.
    public static let currentVersion = 1

    public init(kinecast: Int = currentVersion) { self.kinecast = kinecast }
}

/// Turns received bytes into messages, however they were cut. After an error it stays in error: nothing behind damaged
/// bytes can be trusted.
public struct ControlDecoder: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// A frame announces more bytes than any message has.
        case tooLarge(length: Int, limit: Int)
        /// The first frame was no hello: whatever is at the other end, it does not speak this protocol.
        case notKinecast
        /// The other side speaks another version.
        case version(theirs: Int)
        /// A frame holds no message that this version knows.
        case malformed(String)

        public var description: String {
            switch self {
            case .tooLarge(let length, let limit):
                "A control message of \(length) bytes was announced, and \(limit) is the limit; the connection is closed."
            case .notKinecast:
                "The process at the other end of the control socket is not Kinecast; stop it, or choose another take."
            case .version(let theirs):
                "The other process speaks version \(theirs) of the control protocol and this one version "
                    + "\(ControlHello.currentVersion); use the kinecast and kinecast-engine of one installation."
            case .malformed(let reason):
                "A control message cannot be understood (\(reason)); use the kinecast and kinecast-engine of one installation."
            }
        }
    }

    /// The longest JSON of one message, in bytes.
    public static let messageLimit = 1 << 20
    /// The longest JSON of a hello: short, so that a stranger cannot make this side wait for a megabyte.
    static let helloLimit = 1024

    private var buffer: [UInt8] = []
    private var consumed = 0
    private var greeted = false
    private var failure: Error?

    public init() {}

    /// Bytes that are held until their frame is complete.
    public var pendingBytes: Int { buffer.count - consumed }

    /// Adds received bytes. Take every message out with `next` before adding more: that bounds what is held.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        if consumed > 0 {
            buffer.removeFirst(consumed)
            consumed = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole message, or nil while its bytes are not all there.
    public mutating func next<Message: Decodable>(_ type: Message.Type = Message.self) throws(Error) -> Message? {
        if let failure { throw failure }
        do {
            if !greeted {
                guard let frame = try nextFrame(limit: Self.helloLimit) else { return nil }
                guard let hello = try? JSONDecoder().decode(ControlHello.self, from: Data(frame)) else {
                    throw Error.notKinecast
                }
                guard hello.kinecast == ControlHello.currentVersion else { throw Error.version(theirs: hello.kinecast) }
                greeted = true
            }
            guard let frame = try nextFrame(limit: Self.messageLimit) else { return nil }
            do {
                return try JSONDecoder().decode(type, from: Data(frame))
            } catch {
                throw Error.malformed(Self.reason(error))
            }
        } catch let error as Error {
            failure = error
            buffer = []
            consumed = 0
            throw error
        } catch {
            // Not reached: every throw above is an Error of this type; the compiler cannot see it through `do`.
            throw .malformed("\(error)")
        }
    }

    private mutating func nextFrame(limit: Int) throws(Error) -> ArraySlice<UInt8>? {
        guard pendingBytes >= 4 else { return nil }
        let length = buffer[consumed..<consumed + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= limit else {
            throw greeted ? .tooLarge(length: length, limit: limit) : .notKinecast
        }
        guard pendingBytes >= 4 + length else { return nil }
        let frame = buffer[consumed + 4..<consumed + 4 + length]
        consumed += 4 + length
        return frame
    }

    private static func reason(_ error: any Swift.Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "\(key.stringValue) is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "the value of \(context.codingPath.map(\.stringValue).joined(separator: ".")) is of another kind"
        case DecodingError.dataCorrupted(let context): context.debugDescription
        default: "\(error)"
        }
    }
}

/// Turns messages into frames.
public enum ControlEncoder {
    /// The frame of one message: length and JSON. Throws where a value has no JSON (a number that is not finite) or where
    /// the JSON is longer than `ControlDecoder.messageLimit`.
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
