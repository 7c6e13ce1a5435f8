// Limits what a connection costs: the time to send a request, the time without reading the response, and the bytes in
// the kernel's buffer.
import NIOCore
import NIOHTTPTypes

/// Closes connections that send their request too slowly (from TLS's first byte on), read nothing for too long, or get
/// a response with “close”. One for each connection, between HTTP's codec and the request's handler.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The time from opening, or from the end of the last response due, to the end of the next request.
    private static let requestTime = TimeAmount.seconds(10)
    /// The time, from its opening or from its last request, after which a connection without a token counts as delayed.
    private static let placeTime = TimeAmount.seconds(2)
    /// The time for which a viewer may read nothing at all.
    private static let stallTime = TimeAmount.seconds(30)
    /// Unsent bytes in the kernel's buffer: few, so that a slow viewer gets a new keyframe instead of old frames.
    private static let unsentLimit = 128 << 10
    /// The time for a request to end after its response has said “close”: closing earlier could lose the response.
    private static let lingerTime = TimeAmount.seconds(1)

    private let admission: AdmissionControl
    private var balance = RequestBalance()
    /// Requests that have begun and whose responses are not complete.
    private var openRequests = 0
    private var isLastResponse = false
    /// Players do not read while they pause, and can ask for the rest again (RFC 9110, section 14.3). Such responses need a token.
    private var mayStall = false
    private var requestDeadline: Scheduled<Void>?
    private var placeCheck: RepeatedTask?
    private var stallDeadline: Scheduled<Void>?

    init(admission: AdmissionControl) { self.admission = admission }

    func handlerAdded(context: ChannelHandlerContext) {
        _ = context.channel.setOption(TCPStatistics.unsentLimit.option, value: Self.unsentLimit)
        awaitRequest(context)
        keepPlace(of: context.channel)
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            openRequests += 1
            admission.asked(context.channel)
            keepPlace(of: context.channel)
        case .body: break
        case .end:
            balance.requestEnded()
            if balance.owesResponse { requestDeadline?.cancel() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isLastResponse = head.headerFields[.connection] == "close"
            mayStall = head.headerFields[.acceptRanges] != nil
        case .body: break
        case .end:
            balance.responseEnded()
            openRequests -= 1
            if isLastResponse { return end(context, data, promise) }
            if !balance.owesResponse { awaitRequest(context) }
            let written = promise ?? context.eventLoop.makePromise()
            let channel = context.channel
            // Not before the response is written: an idle connection may be closed at once.
            written.futureResult.assumeIsolated().whenComplete { [self] _ in
                if openRequests == 0 { admission.yields(channel) }
            }
            return context.write(data, promise: written)
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stallDeadline?.cancel()
        if !context.channel.isWritable, !mayStall { stallDeadline = close(context.channel, in: Self.stallTime) }
        context.fireChannelWritabilityChanged()
    }

    /// Writes the end of the last response, and closes once it has been sent.
    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        let channel = context.channel
        let isWhole = balance.isEven
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { _ in
            if isWhole {
                channel.close(promise: nil)
            } else {
                channel.eventLoop.scheduleTask(in: Self.lingerTime) { channel.close(promise: nil) }
            }
        }
        context.writeAndFlush(data, promise: written)
    }

    private func awaitRequest(_ context: ChannelHandlerContext) {
        requestDeadline?.cancel()
        requestDeadline = close(context.channel, in: Self.requestTime)
    }

    private func keepPlace(of channel: any Channel) {
        placeCheck?.cancel()
        placeCheck = channel.eventLoop.scheduleRepeatedTask(initialDelay: Self.placeTime, delay: Self.placeTime) {
            [admission] task in if !admission.delayed(channel) { task.cancel() }
        }
    }

    private func close(_ channel: any Channel, in time: TimeAmount) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private func cancel() {
        requestDeadline?.cancel()
        placeCheck?.cancel()
        stallDeadline?.cancel()
    }
}
