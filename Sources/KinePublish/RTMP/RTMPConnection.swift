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
    func received(_ bytes: ByteBuffer)
    func becameWritable()
    /// The last call. `failure`: what is known beyond that it closed.
    func closed(_ failure: PublishFailure?)
}

enum RTMPConnection {
    private static let sendingTimeout = TimeAmount.seconds(5)
    private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32 << 10, high: 128 << 10)

    /// Connects to one of the server's addresses. Nothing is read before `adopt`.
    /// - Parameter timeout: the longest that all of them may take.
    static func dial(
        _ url: RTMPURL, _ addresses: [SocketAddress], timeout: TimeAmount, on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        bootstrap(timeout, eventLoop)
            .resolver(KnownAddresses(addresses: addresses, eventLoop: eventLoop))
            .connect(host: url.host, port: url.port)
    }

    private static func bootstrap(_ timeout: TimeAmount, _ eventLoop: any EventLoop) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.writeBufferWaterMark, value: waterMark)
            .channelOption(TCPStatistics.unsentLimit.option, value: TCPStatistics.unsentLimit.bytes)
    }

    /// Begins TLS, where it is given, on a connection of `dial`, and tells the owner what comes. On the channel's event loop.
    static func adopt(
        _ channel: any Channel, _ url: RTMPURL, tls: NIOSSLContext?, owner: any RTMPConnectionOwner
    ) throws {
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(RTMPHandler(url: url, owner: owner))
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
    static func context(_ settings: RTMPSettings) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .fullVerification
        configuration.minimumTLSVersion = .tlsv12
        if let contents = settings.certificateAuthorityContents {
            configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(contents))]
        } else if let file = settings.certificateAuthority {
            configuration.additionalTrustRoots = [.file(file)]
        }
        return try NIOSSLContext(configuration: configuration)
    }

    /// Why no connection came of a dial.
    static func dialFailure(_ error: any Error, _ url: RTMPURL) -> PublishFailure {
        let words = (error as? NIOConnectionError)?.connectionErrors.last.map { reason($0.error) } ?? reason(error)
        return PublishFailure(
            .unreachable, "No connection to \(url.host), port \(url.port)\(words); check the address and the network.")
    }

    /// Why a connection that was there is no more.
    static func failure(_ error: any Error, _ url: RTMPURL) -> PublishFailure {
        if error is NIOSSLError || error is NIOSSLExtraError { return tlsFailure(error, url) }
        return PublishFailure(.lost, "The connection to \(url) was lost\(reason(error)); it is tried again.")
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? IOError { return ": " + String(cString: strerror(error.errnoCode)) }
        if let error = error as? ChannelError, case .connectTimeout = error { return ": it does not answer" }
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
    private let owner: any RTMPConnectionOwner
    private var failure: PublishFailure?

    init(url: RTMPURL, owner: any RTMPConnectionOwner) {
        self.url = url
        self.owner = owner
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { owner.received(unwrapInboundIn(data)) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { owner.becameWritable() }
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
        owner.closed(failure)
        context.fireChannelInactive()
    }
}
