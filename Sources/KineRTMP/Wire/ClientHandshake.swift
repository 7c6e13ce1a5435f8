// The handshake of a client (RTMP 1.0, section 5.2), in its simple form: servers check digests only of players, for
// protected content.

/// 3,073 bytes each way, before the first chunk.
public struct ClientHandshake: Sendable {
    public enum Error: Swift.Error, Equatable, CustomStringConvertible {
        /// The server's first byte is not 3.
        case otherVersion(UInt8)

        /// "H" begins "HTTP/1.1 400 Bad Request".
        private static let http: UInt8 = 0x48
        /// An alert, and a part of a handshake (RFC 8446, section 5.1).
        private static let tls: ClosedRange<UInt8> = 0x15...0x16

        /// What answers is no RTMP server, and will be none.
        public var isOtherProtocol: Bool {
            switch self {
            case .otherVersion(let version): version == Self.http || Self.tls.contains(version)
            }
        }

        public var description: String {
            switch self {
            case .otherVersion(let version) where version == Self.http:
                "The server answered in HTTP, not in RTMP; check the address and the port."
            case .otherVersion(let version) where Self.tls.contains(version):
                "The server answered in TLS, not in RTMP; write the address with rtmps://."
            case .otherVersion(let version):
                "The server answered with version \(version) of RTMP, not 3; check the address and the port."
            }
        }
    }

    public enum Step: Equatable, Sendable {
        case needsBytes
        /// C2, to be sent now.
        case send([UInt8])
        /// The server's half is complete: chunks follow.
        case done
    }

    /// Bytes of C1, S1, C2 and S2 each.
    public static let length = 1536

    private var buffer: [UInt8] = []
    private var hasAnswered = false
    private var isDone = false
    private let first: [UInt8]

    /// `random`: of its bytes, repeated or cut, 1,528 are sent: enough to tell this connection from another.
    public init(random: [UInt8], time: UInt32 = 0) {
        var first: [UInt8] = []
        first.append(bigEndian: time)
        // Zero here: any other number announces a digest, which is not there.
        first.append(bigEndian: UInt32(0))
        let source = random.isEmpty ? [0] : random
        for index in 0..<(Self.length - 8) { first.append(source[index % source.count]) }
        self.first = first
    }

    /// C0 and C1.
    public var hello: [UInt8] { [3] + first }

    public mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes) }

    /// What is next. `time`: milliseconds since the connection began.
    public mutating func next(time: UInt32 = 0) throws(Error) -> Step {
        if let version = buffer.first, !isDone, !hasAnswered, version != 3 { throw .otherVersion(version) }
        if !hasAnswered {
            guard buffer.count >= 1 + Self.length else { return .needsBytes }
            hasAnswered = true
            let peer = buffer[1..<(1 + Self.length)]
            var answer = Array(peer.prefix(4))
            answer.append(bigEndian: time)
            answer.append(contentsOf: peer.dropFirst(8))
            return .send(answer)
        }
        guard !isDone else { return .done }
        guard buffer.count >= 1 + 2 * Self.length else { return .needsBytes }
        isDone = true
        // Whether it gives back what it was sent is not looked at: many do not, and are good servers.
        buffer.removeFirst(1 + 2 * Self.length)
        return .done
    }

    /// What came behind the handshake; they are the first bytes of chunks. Once, after `done`.
    public mutating func takeRest() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }
}
