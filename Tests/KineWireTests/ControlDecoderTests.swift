// The wire format without a socket: cut anywhere, too long, or not ours at all.
import CoreTesting
import KineMedia
import Testing

@testable import KineWire

@Suite struct ControlDecoderTests {
    static let messages = [ClientRequest.start(configuration), .pause, .resume, .status, .stop(immediately: true)]
        .enumerated().map { ClientMessage(id: $0, $1) }
    private static let pause = [ClientMessage(id: 1, .pause), ClientMessage(id: 2, .resume)]

    static let configuration = {
        var configuration = TakeConfiguration(
            source: .virtual(PixelSize(width: 1280, height: 720)), output: "/tmp/Kinecast ü.mp4")
        configuration.video.rateControl = .bitsPerSecondPerPixel(11.4)
        configuration.durationLimit = .seconds(3)
        return configuration
    }()

    static func stream(_ messages: [ClientMessage]) throws -> [UInt8] {
        try ControlEncoder.frame(ControlHello()) + messages.flatMap { try ControlEncoder.frame($0) }
    }

    func decode(_ decoder: inout ControlDecoder) throws(ControlDecoder.Error) -> [ClientMessage] {
        var messages: [ClientMessage] = []
        while let message = try decoder.next(ClientMessage.self) { messages.append(message) }
        return messages
    }

    @Test(arguments: [1, 2, 3, 4, 5, 7, 64, 1000])
    func `messages are whole however the bytes are cut`(piece: Int) throws {
        var decoder = ControlDecoder()
        var received: [ClientMessage] = []
        let bytes = try Self.stream(Self.messages)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            decoder.append(bytes[start..<min(start + piece, bytes.count)])
            received += try decode(&decoder)
        }
        #expect(received == Self.messages)
        #expect(decoder.pendingBytes == 0)
    }

    @Test func `a frame that announces more than the limit is refused before its bytes come`() throws {
        var decoder = ControlDecoder()
        decoder.append(try ControlEncoder.frame(ControlHello()) + [0x7f, 0xff, 0xff, 0xff])
        let error = ControlDecoder.Error.tooLarge(length: 0x7fff_ffff, limit: ControlDecoder.messageLimit)
        #expect(throws: error) { try decode(&decoder) }
    }

    @Test func `a message beyond the limit is not sent`() {
        #expect(throws: ControlDecoder.Error.self) {
            try ControlEncoder.frame(
                EngineMessage.event(.warning(String(repeating: "x", count: ControlDecoder.messageLimit))))
        }
    }

    @Test(arguments: [
        Array("GET / HTTP/1.1\r\n\r\n".utf8), [0, 0, 0, 2, 0x7b, 0x7d], [0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff],
        [0, 0, 0, 3, 0x22, 0x80, 0x22],
    ])
    func `a peer without a hello is not Kinecast`(bytes: [UInt8]) {
        var decoder = ControlDecoder()
        decoder.append(bytes)
        #expect(throws: ControlDecoder.Error.notKinecast) { try decode(&decoder) }
    }

    @Test func `another version is named`() throws {
        var decoder = ControlDecoder()
        decoder.append(try ControlEncoder.frame(ControlHello(kinecast: 9)))
        #expect(throws: ControlDecoder.Error.version(theirs: 9)) { try decode(&decoder) }
    }

    @Test(arguments: ["", "{", "null", "[]", "1", "\"stop\"", "{\"stop\":{\"immediately\":", "{\"stop\"}"])
    func `a frame that is not a JSON object is an error`(json: String) throws {
        var decoder = ControlDecoder()
        let body = Array(json.utf8)
        decoder.append(try ControlEncoder.frame(ControlHello()) + [0, 0, 0, UInt8(body.count)] + body)
        #expect(throws: ControlDecoder.Error.self) { try decode(&decoder) }
    }

    @Test func `too deeply nested brackets are an error, not a crash`() throws {
        var decoder = ControlDecoder()
        let body = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        decoder.append(try ControlEncoder.frame(ControlHello()) + [0, 1, 0x86, 0xa0] + body)
        #expect(throws: ControlDecoder.Error.self) { try decode(&decoder) }
    }

    @Test func `after an error nothing is read any more`() throws {
        var decoder = ControlDecoder()
        decoder.append([0, 0, 0, 0])
        #expect(throws: ControlDecoder.Error.notKinecast) { try decode(&decoder) }
        decoder.append(try Self.stream(Self.pause))
        #expect(throws: ControlDecoder.Error.notKinecast) { try decode(&decoder) }
    }

    @Test func `random bytes end in an error or in waiting, never in a message`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            var decoder = ControlDecoder()
            let count = Int.random(in: 0...200, using: &generator)
            decoder.append((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
            let received = try? decode(&decoder)
            #expect(received == nil || received == [])
        }
    }

    @Test func `one changed byte never crashes the decoder`() throws {
        let bytes = try Self.stream(Self.messages)
        var generator = SeededGenerator(seed: 2)
        for position in bytes.indices {
            var changed = bytes
            changed[position] = UInt8.random(in: 0...255, using: &generator)
            var decoder = ControlDecoder()
            decoder.append(changed)
            _ = try? decode(&decoder)
        }
    }
}
