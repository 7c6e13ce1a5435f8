// Streams so long that their timestamps wrap: an hour around each number at which a writer or a reader could fail.
import CoreTesting
import KineRTMP
import RTMPTesting
import Testing

@Suite struct LongStreamTests {
    /// Milliseconds. 2^24: times need the extended field from here on (RTMP 1.0, section 5.3.1.3). 2^31: a signed number ends,
    /// after 24 days. 2^32: times begin again at zero, after 49.
    @Test(.tags(.slow), arguments: [24, 31, 32])
    func `an hour around a wrap arrives with every time, and nothing twice`(bits: Int64)
        throws
    {
        let wrap = Int64(1) << bits
        let (start, end) = (wrap - 1_800_000, wrap + 1_800_000)
        var talk = try Conversation()
        try talk.start()
        _ = try talk.send(talk.session.beginStream(SessionTests.format, timestamp: UInt32(truncatingIfNeeded: start)))
        #expect(talk.server.removeMedia().map(\.type) == [18, 9, 8])

        // Samples go through the queue, as in a publisher.
        var queue = SendQueue()
        var (frames, audioUnits) = (0, 0)
        var received: [Int: (count: Int, time: Int64)] = [:]
        for time in stride(from: start, to: end, by: 20) {
            if time % 100 == start % 100 {
                let isKeyframe = frames % 20 == 0
                let outcome = queue.append(
                    .init(
                        isVideo: true, isKeyframe: isKeyframe, time: time,
                        payload: [isKeyframe ? 0x17 : 0x27, 1, 0, 0, 0, 0, 0, 0, 2, 9, 0xF0]
                            + Self.stamp(frames)))
                try #require(outcome == .queued)
                frames += 1
            }
            if time % 60 == start % 60 {
                _ = queue.append(
                    .init(isVideo: false, isKeyframe: true, time: time, payload: [0xAF, 1] + Self.stamp(audioUnits)))
                audioUnits += 1
            }
            var bytes: [UInt8] = []
            while let item = queue.popFirst() { bytes += talk.session.sample(item) }
            if !bytes.isEmpty { _ = try talk.send(bytes) }
            for message in talk.server.removeMedia() {
                // The reader counts on by differences, as a player does.
                let before = received[message.type] ?? (0, start)
                let now = before.time + Int64(message.timestamp &- UInt32(truncatingIfNeeded: before.time))
                try #require(now == time, "message \(before.count) of type \(message.type)")
                let stamp = Array(message.payload.suffix(4))
                try #require(stamp == Self.stamp(before.count))
                received[message.type] = (before.count + 1, now)
            }
        }
        #expect(received[9]?.count == frames && received[8]?.count == audioUnits)
        #expect(frames == 36_000 && audioUnits == 60_000)
        try talk.carry(talk.session.finish())
        try talk.server.expectEnd()
    }

    private static func stamp(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
