// What a connection may cost: how long it may take to ask, how long it may refuse to take what it asked for, and how much
// the kernel holds for it.
import NIOCore
import NIOHTTPTypes

/// Closes connections that send their request too slowly (from the first byte of TLS on), and those that have taken
/// nothing for too long. Stands between the HTTP codec and the request's handling; one for each connection.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// From opening, or from the end of a response after which none is owed, to the end of the next request.
    private static let requestTime = TimeAmount.seconds(10)
    /// How long a viewer may take nothing at all.
    private static let stallTime = TimeAmount.seconds(30)
    /// Bytes the kernel may hold that are not on the wire yet: little, so that a slow viewer finds a new keyframe rather
    /// than old pictures.
    private static let unsentLimit = 128 << 10

    private var balance = RequestBalance()
    private var requestDeadline: Scheduled<Void>?
    private var stallDeadline: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        _ = context.channel.setOption(TCPStatistics.unsentLimit.option, value: Self.unsentLimit)
        awaitRequest(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) {
            balance.requestEnded()
            if balance.owesResponse { requestDeadline?.cancel() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            balance.responseEnded()
            if !balance.owesResponse { awaitRequest(context) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stallDeadline?.cancel()
        if !context.channel.isWritable { stallDeadline = close(context.channel, in: Self.stallTime) }
        context.fireChannelWritabilityChanged()
    }

    private func awaitRequest(_ context: ChannelHandlerContext) {
        requestDeadline?.cancel()
        requestDeadline = close(context.channel, in: Self.requestTime)
    }

    private func close(_ channel: any Channel, in time: TimeAmount) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private func cancel() {
        requestDeadline?.cancel()
        stallDeadline?.cancel()
    }
}
