// Hears from Linux's kernel that a network came, or came back: a link that is up, an address, a route (rtnetlink(7)).
import CLinux
import NIOCore
import NIOPosix

/// Tells its owner, on an event loop, that servers which could not be reached may be reachable now. Used on that loop.
final class NetworkWatch {
    /// A channel that broke, by too many messages at once, is opened anew after this time.
    private static let reopening = TimeAmount.seconds(1)

    private let eventLoop: any EventLoop
    private let returned: @Sendable () -> Void
    private var channel: (any Channel)?
    private var isStopped = false

    /// `returned` is called on `eventLoop`, several times for one change.
    init(on eventLoop: any EventLoop, returned: @escaping @Sendable () -> Void) {
        self.eventLoop = eventLoop
        self.returned = returned
    }

    /// Where the kernel does not let it listen, nothing is ever told.
    func start() {
        guard !isStopped else { return }
        let descriptor = kine_watch_routes()
        guard descriptor >= 0 else { return }
        let opening = NIOPipeBootstrap(group: eventLoop)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8192))
            .channelInitializer { [returned] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(RouteMessageHandler(returned))
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
        opening.assumeIsolated().whenComplete { result in
            switch result {
            case .failure: close(descriptor)
            case .success(let channel) where self.isStopped: channel.close(promise: nil)
            case .success(let channel):
                self.channel = channel
                channel.closeFuture.assumeIsolated().whenComplete { _ in
                    guard !self.isStopped else { return }
                    self.eventLoop.assumeIsolated().scheduleTask(in: Self.reopening) { self.start() }
                }
            }
        }
    }

    func stop() {
        isStopped = true
        channel?.close(promise: nil)
        channel = nil
    }
}

private final class RouteMessageHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let returned: @Sendable () -> Void

    init(_ returned: @escaping @Sendable () -> Void) { self.returned = returned }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if unwrapInboundIn(data).withUnsafeReadableBytes(RouteMessages.tellOfANetwork) { returned() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
