// Listens, and adds the handlers to each connection. Hummingbird and SwiftNIO implement HTTP and TLS; AdmissionControl
// decides which connections are served.
import Glibc
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL

/// Accepts connections and serves each over HTTP, with TLS if there is a certificate.
struct LiveListener: Sendable {
    let channel: any Channel
    let admission: AdmissionControl

    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameters:
    ///   - socket: a listening socket; nil: binds `host` and `port`.
    ///   - host: an address or a name of this machine, without brackets.
    static func start(
        on socket: Int32? = nil, host: String, port: Int, tls: TLSConfiguration?,
        limits: ConnectionAdmission<AdmissionControl.ID>.Limits? = nil, responder: LiveResponder
    ) async throws -> LiveListener {
        let admission = AdmissionControl(limits: limits ?? (tls == nil ? .withoutTLS : .init()))
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                try await responder.respond(to: request, with: writer, on: channel, admission: admission)
            },
            configuration: .init(
                additionalChannelHandlers: [ConnectionGuard(admission: admission)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64)))
        let serve =
            if let tls {
                try server(TLSChannel(http, tlsConfiguration: tls), admission)
            } else {
                server(http, admission)
            }
        let bootstrap = bootstrap(admission, serve, isBound: socket != nil)
        guard let socket else {
            return LiveListener(channel: try await bootstrap.bind(host: host, port: port).get(), admission: admission)
        }
        let channel = try await bootstrap.withBoundSocket(socket).get()
        // SwiftNIO calls listen again, with a backlog of 128.
        listen(socket, backlog)
        return LiveListener(channel: channel, admission: admission)
    }

    /// Connections that the kernel queues before they are accepted; it may have a lower limit.
    private static let backlog: Int32 = 1024

    static func bootstrap(
        _ admission: AdmissionControl, _ serve: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>,
        isBound: Bool, on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) -> ServerBootstrap {
        var bootstrap = ServerBootstrap(group: group)
        if !isBound {
            bootstrap = bootstrap.serverChannelOption(.backlog, value: backlog)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        }
        return
            bootstrap
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause())
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // Requests are short, and there may be hundreds of connections.
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 512))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // Samples for a slow viewer wait in the history, which all viewers share.
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 4 << 10, high: 8 << 10))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    admission.arrived(channel)
                    try channel.pipeline.syncOperations.addHandler(
                        ConnectionEntry(admission: admission, serve: serve))
                }
            }
    }

    static func server<Child: ServerChildChannel>(
        _ child: Child, _ admission: AdmissionControl
    ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
        let logger = Logger(label: "live") { _ in SwiftLogNoOpLogHandler() }
        return { channel in
            child.setup(channel: channel, logger: logger).flatMapThrowing { value in
                try AbsoluteTarget.add(to: channel.pipeline.syncOperations)
                admission.run(channel) { await child.handle(value: value, logger: logger) }
            }
        }
    }

    /// Accepts no more connections and ends the open ones. TLS waits some seconds for a peer's close_notify;
    /// connections still open after one second are closed without it.
    func close() async {
        try? await channel.close()
        admission.end()
        await Self.wait { admission.isEmpty }
        admission.close()
    }

    /// Waits at most a second.
    static func wait(until isDone: () -> Bool) async {
        for _ in 0..<50 where !isDone() { try? await Task.sleep(nanoseconds: 20_000_000) }
    }
}

// Pauses accepting when the process has run out of descriptors. New connections wait in the kernel's queue. When that
// is full, the clients' kernels retry (RFC 6298): no client is refused, and waiting costs this process nothing.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let rest: TimeAmount

    /// - Parameter rest: the time without accepting after descriptors or memory ran out.
    init(rest: TimeAmount = .milliseconds(250)) { self.rest = rest }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            // The socket stays readable: without a pause it would wake the event loop constantly.
            let channel = context.channel
            _ = channel.setOption(.autoRead, value: false)
            channel.eventLoop.scheduleTask(in: rest) { _ = channel.setOption(.autoRead, value: true) }
        default: break
        }
    }
}

// Finds the name by which other machines reach this one.
extension LiveServer {
    /// The host for the link: the server's own listening address or, if it listens on all addresses, the machine's
    /// first address that other machines can use.
    static func reachableName(_ settings: LiveSettings) -> String {
        guard settings.listen.isEverywhere else { return settings.listen.host }
        if let known = settings.reachableHost { return known }
        let addresses = (try? System.enumerateDevices())?.compactMap(\.address) ?? []
        let usable = addresses.compactMap { address -> String? in
            guard case .v4 = address, let text = address.ipAddress, !text.hasPrefix("127."), !text.hasPrefix("169.254.")
            else { return nil }
            return text
        }
        return usable.first ?? machineName ?? "127.0.0.1"
    }

    static var machineName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? nil : name.lowercased()
    }
}
