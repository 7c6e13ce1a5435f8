// How a viewer's connection follows the stream.
import NIOCore
import NIOEmbedded
import Testing

@testable import KinePublish

@Suite struct ViewerConnectionTests {
    private let stream = LiveStream(title: "", format: Samples.format, wantsKeyframe: {})
    private let channel = EmbeddedChannel()
    private let flushes = FlushCount()

    /// Nearest to the socket.
    private final class FlushCount: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var count = 0

        func flush(context: ChannelHandlerContext) {
            count += 1
            context.flush()
        }
    }

    /// Lets a viewer join, and returns what ends with their stream.
    private func watch(on channel: EmbeddedChannel? = nil) throws -> EventLoopFuture<Void> {
        let channel = channel ?? self.channel
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let (viewer, preface) = stream.join(.records)
        let ended = ViewerConnection.serve(stream, to: viewer, preface: preface, on: channel)
        channel.embeddedEventLoop.run()
        if channel === self.channel { try channel.pipeline.syncOperations.addHandler(flushes, position: .first) }
        return ended
    }

    private func publish(_ numbers: Range<Int>, bytes: Int = 100) {
        for number in numbers {
            let sample = Samples.frame(number, bytes: bytes)
            sample.data.withUnsafeBytes {
                stream.publish(
                    .video, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe, bytes: $0)
            }
        }
    }

    /// The records that were flushed.
    private func sent(on other: EmbeddedChannel? = nil) throws -> [LiveRecord.Kind] {
        var kinds: [LiveRecord.Kind] = []
        while let record = try (other ?? channel).readOutbound(as: ByteBuffer.self) {
            let kind = record.getInteger(at: record.readerIndex + 8, as: UInt8.self)
            kinds.append(try #require(kind.flatMap { LiveRecord.Kind(rawValue: $0) }))
        }
        return kinds
    }

    /// Longer than any pass waits.
    private func advance() { channel.embeddedEventLoop.advanceTime(by: .seconds(1)) }

    @Test func `what comes before a pass goes out in one flush`() throws {
        _ = try watch()
        #expect(try sent() == [.description, .videoInitialization, .initialization, .state, .tick])
        publish(0..<3)
        #expect(try sent().isEmpty)
        advance()
        #expect(try sent() == [.video, .video, .video] && flushes.count == 1)
        advance()
        #expect(flushes.count == 1)
        publish(3..<4)
        advance()
        #expect(try sent() == [.video] && flushes.count == 2)
    }

    @Test func `viewers at one place share a pass, and one who is behind gets what they missed`() throws {
        let other = EmbeddedChannel(loop: channel.embeddedEventLoop)
        _ = try watch()
        _ = try watch(on: other)
        _ = try (sent(), sent(on: other))
        let before = stream.counts.sentBytes
        publish(0..<1)
        advance()
        let sample = stream.counts.sentBytes - before
        #expect(try sent() == [.video] && sent(on: other) == [.video])
        other.isWritable = false
        publish(1..<2)
        advance()
        #expect(try sent() == [.video] && sent(on: other).isEmpty)
        other.isWritable = true
        publish(2..<3)
        advance()
        #expect(try sent() == [.video] && sent(on: other) == [.video, .video])
        // All of them are counted for each viewer; no two records differ in size.
        #expect(stream.counts.sentBytes - before == 3 * sample)
    }

    @Test func `few viewers are sent a sample at once, and many within twelve milliseconds`() {
        let waits = [1, 84, 85, 100, 360, 1000].map { ViewerDistributor.wait(viewers: $0)?.nanoseconds }
        #expect(waits == [nil, nil, 1_000_000, 1_600_000, 12_000_000, 12_000_000])
    }

    @Test func `a viewer who reads nothing is sent nothing until they do`() throws {
        _ = try watch()
        _ = try sent()
        channel.isWritable = false
        publish(0..<3)
        advance()
        #expect(try sent().isEmpty)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(try sent() == [.video, .video, .video])
    }

    @Test func `more than a batch is sent at once where the connection takes it`() throws {
        _ = try watch()
        _ = try sent()
        publish(0..<10, bytes: 50_000)
        advance()
        #expect(try sent().count == 10 && flushes.count > 1)
    }

    @Test func `a stream that is over ends when its viewer has everything`() throws {
        let ended = try watch()
        let isOver = NIOLoopBoundBox(false, eventLoop: channel.eventLoop)
        ended.whenSuccess { isOver.value = true }
        _ = try sent()
        channel.isWritable = false
        publish(0..<2)
        stream.set(.ended)
        stream.close()
        advance()
        #expect(!isOver.value)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        #expect(try sent() == [.video, .video, .state] && isOver.value)
    }

    @Test func `disconnected viewers are sent nothing more`() throws {
        let ended = try watch()
        _ = try sent()
        publish(0..<1)
        stream.disconnectViewers()
        advance()
        #expect(try sent().isEmpty)
        try ended.wait()
    }

    @Test func `a connection that is lost ends its stream`() throws {
        let ended = try watch()
        try channel.close().wait()
        channel.embeddedEventLoop.run()
        #expect(throws: ChannelError.eof) { try ended.wait() }
        publish(0..<1)
        advance()
    }
}
