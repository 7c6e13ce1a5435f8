// TLS in front of a server that has none.
import NIOCore
import NIOPosix
import NIOSSL

/// Takes TLS connections on a free port, and hands their bytes to another port of this machine and back.
final class TLSFront: Sendable {
    let port: Int
    private let channel: any Channel

    /// `certificate` and `key`: PEM files.
    init(to backend: Int, certificate: String, key: String) async throws {
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        let context = try NIOSSLContext(configuration: configuration)
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { front in
                ClientBootstrap(group: front.eventLoop).connect(host: "127.0.0.1", port: backend).flatMapThrowing {
                    back in
                    try front.pipeline.syncOperations.addHandlers(
                        [NIOSSLServerHandler(context: context), Forwarder(to: back)] as [any ChannelHandler])
                    try back.pipeline.syncOperations.addHandler(Forwarder(to: front))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    deinit { channel.close(promise: nil) }
}

private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let peer: any Channel

    init(to peer: any Channel) { self.peer = peer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        peer.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { peer.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
