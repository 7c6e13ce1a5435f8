// The handshake, in pieces of any size.
import KineRTMP
import Testing

@Suite struct HandshakeTests {
    private let peer: [UInt8] = [0, 0, 0, 42, 1, 2, 3, 4] + (0..<1528).map { UInt8(truncatingIfNeeded: $0) }

    @Test func `the first bytes are version, time, zero and random bytes`() {
        let hello = ClientHandshake(random: [9, 8, 7]).hello
        #expect(hello.count == 1537)
        #expect(hello.prefix(12) == [3, 0, 0, 0, 0, 0, 0, 0, 0, 9, 8, 7])
    }

    @Test(arguments: [1, 100, 1537, 4000]) func `it ends however the answer is cut`(pieces: Int) throws {
        var handshake = ClientHandshake(random: [1, 2, 3])
        let answer = [3] + peer + handshake.hello.dropFirst() + [0xAA, 0xBB]
        var sent: [[UInt8]] = []
        var remainder: [UInt8]?
        for start in stride(from: 0, to: answer.count, by: pieces) {
            let piece = answer[start..<min(start + pieces, answer.count)]
            if let bytes = remainder {
                remainder = bytes + piece
                continue
            }
            handshake.append(piece)
            loop: while remainder == nil {
                switch try handshake.next(time: 77) {
                case .needsBytes: break loop
                case .send(let bytes): sent.append(bytes)
                case .done(let bytes): remainder = bytes
                }
            }
        }
        #expect(remainder == [0xAA, 0xBB])
        #expect(sent == [[0, 0, 0, 42, 0, 0, 0, 77] + peer.dropFirst(8)])
        #expect(try handshake.next() == .done(remainder: []))
    }

    @Test(arguments: [("HTTP/1.1 400", 0x48, true), ("\u{15}\u{3}\u{3}", 0x15, true), ("x", 0x78, false)])
    func `another protocol is recognized`(answer: String, version: UInt8, isOtherProtocol: Bool) {
        var handshake = ClientHandshake(random: [1])
        handshake.append(Array(answer.utf8))
        let error = #expect(throws: ClientHandshake.Error.self) { try handshake.next() }
        #expect(error == .otherVersion(version) && error?.isOtherProtocol == isOtherProtocol)
    }
}
