// Chunk streams, both ways, with their limits.
import CoreTesting
import KineRTMP
import RTMPTesting
import Testing

@Suite struct ChunkTests {
    static func message(
        _ timestamp: UInt32, _ length: Int, kind: RTMPMessage.Kind = .video, streamID: UInt32 = 1
    ) -> RTMPMessage {
        RTMPMessage(
            kind: kind, streamID: streamID, timestamp: timestamp,
            payload: (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(timestamp & 0xFF)) })
    }

    static func strict(_ message: RTMPMessage, on id: Int) -> StrictChunkReader.Message {
        .init(
            chunkStream: id, type: Int(message.kind.rawValue), streamID: Int(message.streamID),
            timestamp: message.timestamp, payload: message.payload)
    }

    /// Writes the messages, and reads them with both readers.
    static func expectSame(
        _ messages: [(RTMPMessage, UInt32)], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var writer = ChunkWriter()
        var bytes: [UInt8] = []
        for (message, id) in messages { writer.write(message, on: id, to: &bytes) }
        var oracle = StrictChunkReader()
        let seen = try oracle.read(bytes)
        #expect(seen == messages.map { strict($0.0, on: Int($0.1)) }, sourceLocation: sourceLocation)
        for pieces in [1, 7, bytes.count] {
            var reader = ChunkReader(messageLimit: 1 << 24)
            var read: [RTMPMessage] = []
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                reader.append(bytes[start..<min(start + pieces, bytes.count)])
                while let message = try reader.next() { read.append(message) }
            }
            #expect(read == messages.map(\.0), sourceLocation: sourceLocation)
            #expect(reader.pendingBytes == 0, sourceLocation: sourceLocation)
        }
    }

    @Test func `messages of every length around a chunk come back`() throws {
        let lengths = [0, 1, 127, 128, 129, 255, 256, 257, 1000]
        try Self.expectSame(lengths.enumerated().map { (Self.message(UInt32($0.offset) * 40, $0.element), 6) })
    }

    @Test func `a chunk size holds from the next message on`() throws {
        try Self.expectSame([
            (Self.message(0, 300), 6), (RTMPMessage.setChunkSize(60_000), 2), (Self.message(40, 130_000), 6),
            (Self.message(40, 60_000, kind: .audio), 4),
        ])
    }

    @Test func `every number of a chunk stream comes back`() throws {
        try Self.expectSame([2, 3, 63, 64, 319, 320, 65_599].map { (Self.message(5, 200, kind: .dataAMF0), $0) })
    }

    @Test(.tags(.slow), arguments: [0xFF_FFFF, 1 << 31, 1 << 32] as [UInt64])
    func `timestamps go on over a wrap`(wrap: UInt64) throws {
        // A frame every 40 ms and audio every 23 ms, ten seconds before and after the wrap; each frame has several chunks.
        var messages: [(RTMPMessage, UInt32)] = []
        for time in stride(from: wrap - 10_000, to: wrap + 10_000, by: 40) {
            messages.append((Self.message(UInt32(truncatingIfNeeded: time), 300 + Int(time % 200)), 6))
        }
        for time in stride(from: wrap - 10_000, to: wrap + 10_000, by: 23) {
            messages.append((Self.message(UInt32(truncatingIfNeeded: time), 140, kind: .audio), 4))
        }
        try Self.expectSame(messages)
    }

    @Test func `timestamps are extended from the largest short one on`() throws {
        for time in [0xFF_FFFE, 0xFF_FFFF, 0x100_0000] as [UInt32] {
            try Self.expectSame([(Self.message(time, 300), 6)])
            try Self.expectSame([(Self.message(1, 300), 6), (Self.message(1 + time, 400), 6)])
        }
    }

    @Test func `a timestamp that goes back is written in full`() throws {
        try Self.expectSame([(Self.message(1000, 10), 6), (Self.message(900, 10), 6), (Self.message(940, 10), 6)])
    }

    @Test func `headers leave out what is known`() throws {
        var writer = ChunkWriter()
        var sizes: [Int] = []
        for message in [Self.message(0, 20), Self.message(40, 20), Self.message(80, 21)] {
            var bytes: [UInt8] = []
            writer.write(message, on: 6, to: &bytes)
            sizes.append(bytes.count - message.payload.count)
        }
        #expect(sizes == [12, 4, 8])
    }

    @Test func `chunks of several streams may interleave`() throws {
        // Type 0 on 4 and on 6 with two chunks each, one of each in turn.
        func head(_ id: UInt8, _ kind: UInt8) -> [UInt8] { [id, 0, 0, 9, 0, 0, 130, kind, 1, 0, 0, 0] }
        let (a, b) = ([UInt8](repeating: 1, count: 130), [UInt8](repeating: 2, count: 130))
        var reader = ChunkReader()
        for piece in [head(4, 8), Array(a.prefix(128)), head(6, 9), Array(b.prefix(128)), [0xC4, 1, 1], [0xC6, 2, 2]]
            as [[UInt8]]
        {
            reader.append(piece)
        }
        #expect(try reader.next()?.payload == a)
        #expect(try reader.next()?.payload == b)
    }

    @Test func `a type 3 chunk that begins a message repeats the last delta`() throws {
        var reader = ChunkReader()
        reader.append([6, 0, 0, 10, 0, 0, 1, 9, 1, 0, 0, 0, 0xAA])
        reader.append([0x86, 0, 0, 40, 0xBB])
        reader.append([0xC6, 0xCC])
        var times: [UInt32] = []
        while let message = try reader.next() { times.append(message.timestamp) }
        #expect(times == [10, 50, 90])
    }

    @Test func `abort drops the unfinished message`() throws {
        var reader = ChunkReader()
        reader.append([4, 0, 0, 0, 0, 0, 200, 8, 1, 0, 0, 0] + [UInt8](repeating: 1, count: 128))
        reader.append([2, 0, 0, 0, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 4])
        #expect(try reader.next()?.kind == .abort)
        #expect(reader.pendingBytes == 0)
        reader.append([4, 0, 0, 0, 0, 0, 1, 8, 1, 0, 0, 0, 0x55])
        #expect(try reader.next()?.payload == [0x55])
    }

    @Test func `each violation of the protocol has a code`() {
        func read(_ bytes: [UInt8]) throws(ChunkReader.Error) {
            var reader = ChunkReader(messageLimit: 1000)
            reader.append(bytes)
            while try reader.next() != nil {}
        }
        #expect(throws: ChunkReader.Error.headerMissing(chunkStream: 6)) { try read([0x46, 0, 0, 0]) }
        #expect(throws: ChunkReader.Error.messageTooLong(1001)) {
            try read([6, 0, 0, 0, 0, 3, 0xE9, 9, 1, 0, 0, 0])
        }
        #expect(throws: ChunkReader.Error.badChunkSize(0)) {
            try read([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        }
        #expect(throws: ChunkReader.Error.badChunkSize(1 << 31)) {
            try read([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0x80, 0, 0, 0])
        }
        #expect(throws: ChunkReader.Error.messageInterrupted(chunkStream: 6)) {
            let head: [UInt8] = [6, 0, 0, 0, 0, 1, 0, 9, 1, 0, 0, 0]
            try read(head + [UInt8](repeating: 0, count: 128) + head)
        }
        #expect(throws: ChunkReader.Error.tooManyChunkStreams) {
            try read((64..<130).flatMap { [0, UInt8($0 - 64), 0, 0, 0, 0, 0, 1, 9, 1, 0, 0, 0, 7] })
        }
    }
}
