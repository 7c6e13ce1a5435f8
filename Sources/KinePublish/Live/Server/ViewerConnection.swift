// Sends the stream to one viewer, as fast as the viewer reads it. Records are chunked already and shared by all viewers, so they go
// to the socket, or to TLS, past every handler of HTTP.
import NIOCore
import NIOSSL

/// The handler nearest to the socket, or to TLS, from the head of the response to the stream's end. Used in its event loop.
final class ViewerConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes that are encrypted at a time: with what TLS adds, two pages of SwiftNIO's buffer for encrypted bytes. More pages of it
    /// would stay resident for each viewer, and whole records (RFC 8446, section 5.1) double it.
    private static let encryptedPiece = 7 << 10
    /// The write buffer's marks for shared bytes: a sample that is written at once must not count as waiting.
    private static let sharedBytes = ChannelOptions.Types.WriteBufferWaterMark(low: 16 << 10, high: 32 << 10)

    private let stream: LiveStream
    private let distributor: ViewerDistributor
    private let channel: any Channel
    private let isEncrypted: Bool
    private let ended: EventLoopPromise<Void>
    private var viewer: LiveStream.Viewer
    /// Records of this viewer that have not been written.
    private var unsent: [ByteBuffer]
    private var context: ChannelHandlerContext?
    private var isDelivering = false

    private init(
        _ stream: LiveStream, _ viewer: LiveStream.Viewer, preface: [ByteBuffer], isEncrypted: Bool,
        on channel: any Channel, ended: EventLoopPromise<Void>
    ) {
        self.stream = stream
        self.viewer = viewer
        self.channel = channel
        self.isEncrypted = isEncrypted
        self.ended = ended
        unsent = preface
        distributor = stream.distributor(for: channel.eventLoop)
    }

    /// Sends `preface` and then the stream to a viewer who has joined it; the response's head has been written. Succeeds when the stream
    /// is over and all of it is written, fails when the connection is lost.
    static func serve(
        _ stream: LiveStream, to viewer: LiveStream.Viewer, preface: [ByteBuffer], on channel: any Channel
    ) -> EventLoopFuture<Void> {
        let ended = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute {
            let pipeline = channel.pipeline.syncOperations
            let tls = try? pipeline.handler(type: NIOSSLServerHandler.self)
            let connection = ViewerConnection(
                stream, viewer, preface: preface, isEncrypted: tls != nil, on: channel, ended: ended)
            do {
                try pipeline.addHandler(connection, position: tls.map { .after($0) } ?? .first)
            } catch {
                ended.fail(error)
            }
        }
        return ended.futureResult
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if !isEncrypted { try? channel.syncOptions?.setOption(.writeBufferWaterMark, value: Self.sharedBytes) }
        distributor.add(self)
        deliver()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        guard self.context != nil else { return }
        self.context = nil
        distributor.remove(self)
        ended.fail(ChannelError.eof)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        deliver()
        context.fireChannelWritabilityChanged()
    }

    /// Writes what this viewer has not been sent, until the connection accepts no more.
    func deliver() {
        // A write may call `channelWritabilityChanged`.
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        distributor.withBuffers { buffers in
            buffers.append(contentsOf: unsent)
            unsent = []
            var progress = LiveStream.Progress.more
            while let context, channel.isWritable {
                if buffers.isEmpty {
                    if progress == .complete { return }
                    progress = stream.next(for: &viewer, into: &buffers)
                    if progress == .over { return end(context) }
                    if buffers.isEmpty { return }
                }
                write(&buffers, context)
            }
            if !buffers.isEmpty { unsent = Array(buffers) }
        }
    }

    /// Writes as much of `buffers` as the connection accepts, and removes it.
    private func write(_ buffers: inout [ByteBuffer], _ context: ChannelHandlerContext) {
        guard isEncrypted else {
            // They are shared: waiting in the channel costs no memory.
            for buffer in buffers { context.write(wrapOutboundOut(buffer), promise: nil) }
            context.flush()
            buffers.removeAll(keepingCapacity: true)
            return
        }
        var index = 0
        while index < buffers.count, channel.isWritable {
            var room = Self.encryptedPiece
            while room > 0, index < buffers.count {
                let length = min(room, buffers[index].readableBytes)
                guard let piece = buffers[index].readSlice(length: length) else { break }
                context.write(wrapOutboundOut(piece), promise: nil)
                room -= length
                if buffers[index].readableBytes == 0 { index += 1 }
            }
            context.flush()
        }
        buffers.removeFirst(index)
    }

    private func end(_ context: ChannelHandlerContext) {
        self.context = nil
        distributor.remove(self)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        ended.succeed()
    }
}
