// The listening socket, and from a connection to its handler. HTTP and TLS are Hummingbird's and SwiftNIO's; who may be served
// is AdmissionControl's.
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Accepts connections and has each served by HTTP, over TLS if there is a certificate.
struct LiveListener: Sendable {
    let channel: any Channel
    let admission: AdmissionControl

    /// The port that it listens on.
    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameters:
    ///   - socket: is bound and listens already; nil: `host` and `port` are bound.
    ///   - host: an address or a name of this machine, without brackets.
    static func start(
        on socket: Int32? = nil, host: String, port: Int, tls: TLSConfiguration?,
        limits: ConnectionAdmission<AdmissionControl.ID>.Limits = .init(),
        responder: LiveResponder
    ) async throws -> LiveListener {
        let admission = AdmissionControl(limits: limits)
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                try await responder.respond(to: request, with: writer, on: channel, admission: admission)
            },
            configuration: .init(
                additionalChannelHandlers: [ConnectionGuard(admission: admission)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64)))
        let channel =
            if let tls {
                try await bind(
                    socket, host: host, port: port, admission: admission,
                    serve: server(TLSChannel(http, tlsConfiguration: tls), admission))
            } else {
                try await bind(
                    socket, host: host, port: port, admission: admission, serve: server(http, admission))
            }
        return LiveListener(channel: channel, admission: admission)
    }

    /// How many connections the kernel keeps that have not been accepted; it may have a lower limit of its own.
    private static let backlog: Int32 = 1024

    /// The one place where a socket is bound.
    private static func bind(
        _ socket: Int32?, host: String, port: Int, admission: AdmissionControl,
        serve: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        let bootstrap = bootstrap(admission, serve, isBound: socket != nil)
        guard let socket else { return try await bootstrap.bind(host: host, port: port).get() }
        let channel = try await bootstrap.withBoundSocket(socket).get()
        // SwiftNIO has it listen once more, with a backlog of 128.
        listen(socket, backlog)
        return channel
    }

    private static func bootstrap(
        _ admission: AdmissionControl, _ serve: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>,
        isBound: Bool
    ) -> ServerBootstrap {
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if !isBound {
            bootstrap = bootstrap.serverChannelOption(.backlog, value: backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        }
        return
            bootstrap
            // One at a time: none comes after the one that fills the queue.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(admission: admission))
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // Requests are short, and there may be hundreds of connections.
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 512))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // What a viewer does not take waits in the history, once for all of them, and not here.
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 4 << 10, high: 8 << 10))
            .childChannelInitializer(serve)
    }

    private static func server<Child: ServerChildChannel>(
        _ child: Child, _ admission: AdmissionControl
    ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
        let logger = Logger(label: "live") { _ in SwiftLogNoOpLogHandler() }
        return { channel in
            admission.admit(channel).flatMap {
                child.setup(channel: channel, logger: logger)
            }.map { value in
                admission.run(channel) { await child.handle(value: value, logger: logger) }
            }
        }
    }

    /// Takes no more connections and has those there are end. TLS waits some seconds for the farewell of those who say none:
    /// after one second they are closed without.
    func close() async {
        try? await channel.close()
        admission.end()
        for _ in 0..<Self.closingSteps where !admission.isEmpty {
            try? await Task.sleep(nanoseconds: Self.closingStep)
        }
        admission.close()
    }

    private static let closingStep: UInt64 = 20_000_000
    private static let closingSteps = 50
}
