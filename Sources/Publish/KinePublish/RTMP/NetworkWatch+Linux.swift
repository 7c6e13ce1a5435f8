// Detects that a network has appeared or returned, by a new link, address or route (rtnetlink(7)).
import CLinux
import NIOCore
import NIOPosix

/// Reports that an unreachable server may be reachable now. Used on its event loop.
final class NetworkWatch {
    /// Too many messages at once break a channel; it is reopened after this time.
    private static let reopeningDelay = TimeAmount.seconds(1)

    private let eventLoop: any EventLoop
    private let returned: @Sendable () -> Void
    private var channel: (any Channel)?
    private var isStopped = false

    /// `returned` is called on `eventLoop`, perhaps several times for one change.
    init(on eventLoop: any EventLoop, returned: @escaping @Sendable () -> Void) {
        self.eventLoop = eventLoop
        self.returned = returned
    }

    /// Starts listening. If the kernel does not allow that, there are no reports.
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
                    self.eventLoop.assumeIsolated().scheduleTask(in: Self.reopeningDelay) { self.start() }
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
        if unwrapInboundIn(data).withUnsafeReadableBytes(RouteMessages.announceNetwork) { returned() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
