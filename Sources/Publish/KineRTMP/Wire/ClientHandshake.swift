// The handshake of a client (RTMP 1.0, section 5.2) in its simple form: servers check digests only of players that
// request protected content.

/// The client's half: each side sends 3,073 bytes before the first chunk.
public struct ClientHandshake: Sendable {
    public enum Error: Swift.Error, Hashable {
        /// The server's first byte is not 3.
        case otherVersion(UInt8)

        /// "H" begins "HTTP/1.1 400 Bad Request".
        static let http: UInt8 = 0x48
        /// TLS's records for alerts and handshakes (RFC 8446, section 5.1).
        static let tls: ClosedRange<UInt8> = 0x15...0x16

        /// Whether the server speaks another protocol, which no further attempt can change.
        public var isOtherProtocol: Bool {
            switch self {
            case .otherVersion(let version): version == Self.http || Self.tls.contains(version)
            }
        }
    }

    public enum Step: Equatable, Sendable {
        case needsBytes
        /// C2, to send now.
        case send([UInt8])
        /// The server's half is complete. The bytes after it begin the chunks.
        case done(remainder: [UInt8])
    }

    /// The parts that the server still has to send.
    private enum Missing {
        case versionAndFirst
        case second
        case nothing
    }

    /// Bytes of C1, S1, C2 and S2 each.
    public static let length = 1536

    private var buffer: [UInt8] = []
    private var missing = Missing.versionAndFirst
    private let first: [UInt8]

    /// `random`: the bytes of C1 after its header, repeated or cut to 1,528.
    public init(random: [UInt8]) {
        // Time zero, and another zero, since any other number here would announce a digest.
        var first = [UInt8](repeating: 0, count: 8)
        let source = random.isEmpty ? [0] : random
        for index in 0..<(Self.length - 8) { first.append(source[index % source.count]) }
        self.first = first
    }

    /// C0 and C1.
    public var hello: [UInt8] { [3] + first }

    public mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The next step. `time`: milliseconds since the connection began.
    public mutating func next(time: UInt32 = 0) throws(Error) -> Step {
        switch missing {
        case .versionAndFirst:
            if let version = buffer.first, version != 3 { throw .otherVersion(version) }
            guard buffer.count >= 1 + Self.length else { return .needsBytes }
            missing = .second
            // C2 is S1 with the time of its arrival in the second field (section 5.2.4).
            var answer = Array(buffer[1..<5])
            answer.append(bigEndian: time)
            answer.append(contentsOf: buffer[9..<(1 + Self.length)])
            buffer.removeFirst(1 + Self.length)
            return .send(answer)
        case .second:
            // S2 is not compared with C1: many good servers do not echo it.
            guard buffer.count >= Self.length else { return .needsBytes }
            missing = .nothing
            defer { buffer = [] }
            return .done(remainder: Array(buffer.dropFirst(Self.length)))
        case .nothing: return .done(remainder: [])
        }
    }
}
