// Opens sockets for RTMP, with TLS where the address asks for it, and hands bytes on. What they mean is RTMPSession's.
import KineRTMP
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a connection tells its owner, on its event loop.
protocol RTMPConnectionOwner: AnyObject, Sendable {
    func received(_ bytes: ByteBuffer, connection: Int)
    func becameWritable(connection: Int)
    func closed(_ failure: PublishFailure?, connection: Int)
}

enum RTMPConnection {
    /// The longest that one address of the server may take; then the next is tried, all within this time (RFC 8305).
    static let connectTimeout = TimeAmount.seconds(5)
    private static let sendingTimeout = TimeAmount.seconds(5)
    private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32 << 10, high: 128 << 10)

    /// Connects to one of the server's addresses, to `avoiding` only where it is the only one. Nothing is read before `adopt`.
    static func dial(
        _ url: RTMPURL, avoiding: SocketAddress? = nil, timeout: TimeAmount, on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        var bootstrap = bootstrap(timeout, eventLoop)
        if let avoiding {
            bootstrap = bootstrap.resolver(OtherAddresses(of: url, than: avoiding, on: eventLoop))
        }
        return bootstrap.connect(host: url.host, port: url.port)
    }

    /// Connects to this address.
    static func dial(
        _ address: SocketAddress, timeout: TimeAmount, on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        bootstrap(timeout, eventLoop).connect(to: address)
    }

    private static func bootstrap(_ timeout: TimeAmount, _ eventLoop: any EventLoop) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.writeBufferWaterMark, value: waterMark)
            .channelOption(TCPStatistics.unsentLimit.option, value: TCPStatistics.unsentLimit.bytes)
    }

    /// Begins TLS, where it is given, on a connection of `dial`, and tells the owner what comes, with `number`. On the
    /// channel's event loop.
    static func adopt(
        _ channel: any Channel, _ url: RTMPURL, tls: NIOSSLContext?, number: Int, owner: any RTMPConnectionOwner
    ) throws {
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(RTMPHandler(url: url, number: number, owner: owner))
        if let tls {
            // An address in numbers has no name to send; its certificate is checked against the address.
            let isNumeric = (try? SocketAddress(ipAddress: url.host, port: url.port)) != nil
            try pipeline.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: isNumeric ? nil : url.host), position: .first)
        }
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// Ends a connection at once: what was not sent is thrown away, and the server is told that nobody is there any more.
    static func reset(_ channel: any Channel) {
        guard let provider = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
        // With no time to linger, close sends a reset (socket(7), tcp(7)).
        provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Sends what waits, then closes. The peer has everything when it closes in its turn; it may take a second. A peer that
    /// takes nothing more is left after `sendingTimeout`.
    static func closeWhenSent(_ channel: any Channel, isSecure: Bool) -> EventLoopFuture<Void> {
        channel.flush()
        let sending = channel.eventLoop.scheduleTask(in: sendingTimeout) { reset(channel) }
        channel.closeFuture.whenComplete { _ in sending.cancel() }
        // TLS's farewell goes behind the last data, and is answered.
        guard !isSecure else { return channel.close() }
        // Closing at once, with data unread, would throw away what the peer has not got yet (RFC 1122, 4.2.2.13). This is done
        // when the kernel has everything; from then on it goes its way whether this process lives or not.
        channel.close(mode: .output).whenComplete { _ in
            let timer = channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in timer.cancel() }
        }
        return channel.closeFuture
    }

    static func unreadableAuthority(_ file: String?) -> PublishFailure {
        PublishFailure(
            .configuration,
            "The certificates in \(file ?? "the system's store") cannot be read; give a PEM file with --ca.")
    }

    /// The trust for RTMPS: the system's authorities, and those of the file.
    static func context(certificateAuthority: String?) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .fullVerification
        configuration.minimumTLSVersion = .tlsv12
        if let certificateAuthority { configuration.additionalTrustRoots = [.file(certificateAuthority)] }
        return try NIOSSLContext(configuration: configuration)
    }

    /// Why there is no connection.
    static func failure(_ error: any Error, _ url: RTMPURL) -> PublishFailure {
        if error is NIOSSLError || error is NIOSSLExtraError { return tlsFailure(error, url) }
        if let error = error as? NIOConnectionError {
            guard !error.connectionErrors.isEmpty else {
                return PublishFailure(
                    .unreachable, "The name \(url.host) is not known now; check the address and the network.")
            }
            let words = error.connectionErrors.last.map { reason($0.error) } ?? ""
            return PublishFailure(
                .unreachable,
                "No connection to \(url.host), port \(url.port)\(words); check the address and the network.")
        }
        return PublishFailure(.lost, "The connection to \(url) was lost\(reason(error)); it is tried again.")
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? IOError { return ": " + String(cString: strerror(error.errnoCode)) }
        if let error = error as? ChannelError, case .connectTimeout = error { return ": it did not answer in time" }
        return ""
    }

    private static func tlsFailure(_ error: any Error, _ url: RTMPURL) -> PublishFailure {
        let words = String(describing: error)
        if (error as? NIOSSLExtraError) == .failedToValidateHostname {
            return PublishFailure(
                .certificate, "The certificate of \(url.host) is for another name; check the address.")
        }
        if words.contains("CERTIFICATE_VERIFY_FAILED") || words.contains("unableToValidateCertificate") {
            return PublishFailure(
                .certificate,
                "The certificate of \(url.host) is not trusted, or not valid now; check this machine's clock, and for a private "
                    + "authority give its certificate with --ca."
            )
        }
        if words.contains("WRONG_VERSION_NUMBER") {
            return PublishFailure(
                .configuration, "The server \(url) does not speak TLS on this port; write the address with rtmp://.")
        }
        return PublishFailure(.lost, "The encrypted connection to \(url) was lost; it is tried again.")
    }
}

/// The end of the pipeline.
private final class RTMPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let url: RTMPURL
    private let number: Int
    private let owner: any RTMPConnectionOwner
    private var failure: PublishFailure?

    init(url: RTMPURL, number: Int, owner: any RTMPConnectionOwner) {
        self.url = url
        self.number = number
        self.owner = owner
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        owner.received(unwrapInboundIn(data), connection: number)
    }

    /// A server that asks and asks, and does not read the answers, is not listened to until it has taken them. Only here, and
    /// not as soon as the channel is full: a stream on a slow link fills it up again whenever it has room, and the server's
    /// words have to come through in between.
    func channelReadComplete(context: ChannelHandlerContext) {
        if !context.channel.isWritable { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
            owner.becameWritable(connection: number)
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A peer that goes without TLS's farewell is an ordinary end.
        if failure == nil, (error as? NIOSSLError) != .uncleanShutdown {
            failure = RTMPConnection.failure(error, url)
        }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        owner.closed(failure, connection: number)
        context.fireChannelInactive()
    }
}
