// Sends the stream to one viewer, as fast as the viewer reads it. Records are already chunked and shared by all
// viewers, so they bypass the HTTP handlers and go directly to the socket or to TLS.
import Glibc
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOSSL

/// The handler nearest to the socket or to TLS, from the response's head to the stream's end. For its event loop.
final class ViewerConnection: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes to encrypt at a time. With TLS's overhead they fill two pages of SwiftNIO's buffer for encrypted bytes,
    /// which stays resident for each viewer; whole records (RFC 8446, section 5.1) would double it.
    private static let encryptedPiece = 7 << 10
    /// The write buffer's marks for shared bytes: a sample that can be written at once must not count as waiting.
    private static let sharedBytes = ChannelOptions.Types.WriteBufferWaterMark(low: 16 << 10, high: 32 << 10)
    /// The marks for encrypted bytes, of which each viewer has a copy: no piece is encrypted while another one waits.
    private static let encryptedBytes = ChannelOptions.Types.WriteBufferWaterMark(low: 1, high: 1 << 10)

    private let stream: LiveStream
    private let distributor: ViewerDistributor
    private let channel: any Channel
    private let isEncrypted: Bool
    private let ended: EventLoopPromise<Void>
    private var viewer: LiveStream.Viewer
    /// Bytes that are not yet written.
    private var unsent: [ByteBuffer]
    /// Without TLS, the channel's socket, which is open as long as the channel is active.
    private var socket: NIOBSDSocket.Handle?
    /// Incomplete writes of the channel. Nothing may be written to the socket before they are complete.
    private var channelWrites = 0
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

    /// Sends `preface` and then the stream to a viewer who has joined it; the response's head has been written.
    /// Succeeds when the stream has ended and all of it is written, fails when the connection is lost.
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
        distributor.add(self)
        try? channel.syncOptions?.setOption(
            .writeBufferWaterMark, value: isEncrypted ? Self.encryptedBytes : Self.sharedBytes)
        if !isEncrypted {
            // Through the channel, since the response's head may still wait there.
            let preface = unsent
            unsent = []
            writeToChannel(preface, context)
            socket = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable { $0 }
        }
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

    /// Writes the rest of the stream so far, until the connection accepts no more.
    func deliver() {
        // A write may call `channelWritabilityChanged`.
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        var progress = LiveStream.Progress.more
        while let context, acceptsBytes {
            if !unsent.isEmpty {
                let buffers = unsent
                unsent = []
                write(buffers, context)
                continue
            }
            if progress == .complete { return }
            // Viewers over TLS often cannot accept a whole step. Waiting bytes of the stream itself cost no memory.
            let step = distributor.step(from: viewer, in: stream, joined: !isEncrypted)
            viewer = step.to
            progress = step.progress
            if progress == .over { return end(context) }
            if step.buffers.isEmpty { return }
            write(step.buffers, context)
        }
    }

    private var acceptsBytes: Bool { socket != nil && channelWrites == 0 || channel.isWritable }

    /// Writes as much of `buffers` as the connection accepts, and keeps the rest.
    private func write(_ buffers: [ByteBuffer], _ context: ChannelHandlerContext) {
        if isEncrypted {
            encrypt(buffers, context)
        } else if let socket, channelWrites == 0, channel.isActive, buffers.count == 1 {
            write(buffers[0], to: socket, context)
        } else {
            writeToChannel(buffers, context)
        }
    }

    /// Bypasses the channel, whose work is a third of the server's with many viewers. The channel gets the bytes that
    /// the socket does not accept. After an error it gets all of them, and detects the error too.
    private func write(_ buffer: ByteBuffer, to socket: NIOBSDSocket.Handle, _ context: ChannelHandlerContext) {
        let count = buffer.withUnsafeReadableBytes { send(socket, $0.baseAddress, $0.count, 0) }
        guard count < buffer.readableBytes else { return }
        var rest = buffer
        rest.moveReaderIndex(forwardBy: max(0, count))
        writeToChannel([rest], context)
    }

    /// Waiting shared bytes in the channel cost no memory.
    private func writeToChannel(_ buffers: [ByteBuffer], _ context: ChannelHandlerContext) {
        guard let last = buffers.last else { return }
        channelWrites += 1
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { [self] _ in channelWrites -= 1 }
        for buffer in buffers.dropLast() { context.write(wrapOutboundOut(buffer), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(last), promise: written)
    }

    private func encrypt(_ buffers: [ByteBuffer], _ context: ChannelHandlerContext) {
        // The position of the first unwritten byte.
        var (index, offset) = (0, 0)
        while index < buffers.count, channel.isWritable {
            var room = Self.encryptedPiece
            while room > 0, index < buffers.count {
                let buffer = buffers[index]
                let length = min(room, buffer.readableBytes - offset)
                guard let piece = buffer.getSlice(at: buffer.readerIndex + offset, length: length) else { break }
                context.write(wrapOutboundOut(piece), promise: nil)
                room -= length
                offset += length
                if offset == buffer.readableBytes { (index, offset) = (index + 1, 0) }
            }
            context.flush()
        }
        guard index < buffers.count else { return }
        unsent = Array(buffers[index...])
        unsent[0].moveReaderIndex(forwardBy: offset)
    }

    private func end(_ context: ChannelHandlerContext) {
        self.context = nil
        distributor.remove(self)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        ended.succeed()
    }
}

extension LiveStream {
    /// The media type of `serve(head:with:on:)`, which sends `LiveRecord`s.
    package static let recordsType = "application/octet-stream"

    /// Answers a request with the stream in records, which Page/player.js plays. Returns at its end; throws if the
    /// viewer leaves.
    package func serve(
        head: HTTPResponse, with writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        try await serve(.records, head: head, with: writer, on: channel)
    }

    func serve(
        _ form: ViewerCursor.Form, head: HTTPResponse, with writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        // Before the head, so that a viewer with the head is counted and misses nothing afterwards.
        let (viewer, preface) = join(form)
        defer { leave(viewer) }
        let body = try await writer.writeHead(head)
        try await ViewerConnection.serve(self, to: viewer, preface: preface, on: channel).get()
        try await body.finish(nil)
    }
}
