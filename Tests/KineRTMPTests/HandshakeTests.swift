// The handshake, in pieces of any size.
import KineRTMP
import Testing

@Suite struct HandshakeTests {
    private let peer: [UInt8] = [0, 0, 0, 42, 1, 2, 3, 4] + (0..<1528).map { UInt8(truncatingIfNeeded: $0) }

    @Test func theFirstBytesAreVersionTimeZeroAndNoise() {
        let hello = ClientHandshake(random: [9, 8, 7], time: 0x01020304).hello
        #expect(hello.count == 1537)
        #expect(hello.prefix(12) == [3, 1, 2, 3, 4, 0, 0, 0, 0, 9, 8, 7])
    }

    @Test(arguments: [1, 100, 1537, 4000]) func itEndsHoweverTheAnswerIsCut(pieces: Int) throws {
        var handshake = ClientHandshake(random: [1, 2, 3])
        let answer = [3] + peer + handshake.hello.dropFirst() + [0xAA, 0xBB]
        var sent: [[UInt8]] = []
        var isDone = false
        for start in stride(from: 0, to: answer.count, by: pieces) {
            handshake.append(answer[start..<min(start + pieces, answer.count)])
            loop: while !isDone {
                switch try handshake.next(time: 77) {
                case .needsBytes: break loop
                case .send(let bytes): sent.append(bytes)
                case .done: isDone = true
                }
            }
        }
        #expect(isDone)
        #expect(sent == [[0, 0, 0, 42, 0, 0, 0, 77] + peer.dropFirst(8)])
        #expect(handshake.takeRest() == [0xAA, 0xBB])
    }

    @Test func anotherProtocolIsNamed() {
        for (bytes, words) in [("HTTP/1.1 400", "HTTP"), ("\u{15}\u{3}\u{3}", "rtmps://"), ("x", "version 120")] {
            var handshake = ClientHandshake(random: [1])
            handshake.append(Array(bytes.utf8))
            let error = #expect(throws: ClientHandshake.Error.self) { try handshake.next() }
            #expect(error?.description.contains(words) == true)
            #expect(error?.isOtherProtocol == (bytes != "x"))
        }
    }
}
