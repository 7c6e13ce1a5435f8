// A connection that is silent or waits for its place. Without TLS and HTTP, it costs little more than its socket.
import NIOCore

/// The first handler of a connection: waits for its first bytes, lets the admission decide when it is served, and then
/// adds the other handlers and passes them those bytes.
final class ConnectionEntry: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The time for a connection to send its first bytes: long, since it costs little and yields to others.
    private static let silenceTime = TimeAmount.minutes(1)

    private let admission: AdmissionControl
    private let serve: @Sendable (any Channel) -> EventLoopFuture<Void>
    private var deadline: Scheduled<Void>?
    /// The first bytes, once they have been read.
    private var bytes: ByteBuffer?

    /// - Parameter serve: adds the other handlers. Called on the channel's event loop.
    init(admission: AdmissionControl, serve: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>) {
        self.admission = admission
        self.serve = serve
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: Self.silenceTime) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        deadline?.cancel()
        bytes = unwrapInboundIn(data)
        // Later bytes wait in the kernel until there are handlers for them.
        _ = context.channel.setOption(.autoRead, value: false)
        let this = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        admission.spoke(context.channel) { [eventLoop = context.eventLoop] in
            eventLoop.execute {
                let (entry, context) = this.value
                entry.enter(context)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The peer has sent nothing, and will send nothing.
        if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func enter(_ context: ChannelHandlerContext) {
        let channel = context.channel
        guard channel.isActive, let bytes else { return }
        serve(channel).assumeIsolated().whenComplete { [self] result in
            guard case .success = result else { return channel.close(promise: nil) }
            context.fireChannelRead(wrapInboundOut(bytes))
            context.fireChannelReadComplete()
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
            _ = channel.setOption(.autoRead, value: true)
        }
    }
}
