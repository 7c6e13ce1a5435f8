// A connection that has said nothing, or waits for its place. It has no TLS and no HTTP yet, and costs little more than its socket.
import NIOCore

/// The first handler of a connection: waits for its first bytes, has the admission decide when it is served, and then gives it its other
/// handlers and those bytes.
final class ConnectionEntry: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The time in which a connection has to say something: long, since it costs little and gives way to others.
    private static let silenceTime = TimeAmount.minutes(1)

    private let admission: AdmissionControl
    private let serve: @Sendable (any Channel) -> EventLoopFuture<Void>
    private var deadline: Scheduled<Void>?
    /// The bytes of the one read; nil before it.
    private var bytes: ByteBuffer?

    /// - Parameter serve: adds the other handlers. Called by the channel's event loop.
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
        // What follows waits in the kernel until there are handlers for it.
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
        // The peer has said nothing, and sends nothing more.
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
