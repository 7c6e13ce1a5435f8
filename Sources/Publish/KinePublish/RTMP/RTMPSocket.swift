// Opens and closes sockets for RTMP, with TLS if the address requires it.
import Glibc
import KineRTMP
import NIOCore
import NIOPosix
import NIOSSL
import SystemPackage

enum RTMPSocket {
    private static let sendingTimeout = TimeAmount.seconds(5)
    private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32 << 10, high: 128 << 10)

    /// Connects to one of the server's addresses. Nothing is read before `adopt`.
    /// - Parameter timeout: the limit for all addresses together.
    static func connect(
        to url: RTMPURL, at addresses: [SocketAddress], timeout: TimeAmount, on eventLoop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.writeBufferWaterMark, value: waterMark)
            .channelOption(TCPStatistics.unsentLimit.option, value: TCPStatistics.unsentLimit.bytes)
            .resolver(KnownAddresses(addresses: addresses, eventLoop: eventLoop))
            .connect(host: url.host, port: url.port)
    }

    /// Starts TLS, unless it is nil, and lets `handler` read. Call on the channel's event loop.
    /// - Parameter sentBytes: counts from now on.
    static func adopt(
        _ channel: any Channel, _ url: RTMPURL, tls: NIOSSLContext?, handler: any ChannelHandler, sentBytes: SentBytes
    ) throws {
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandlers(sentBytes, handler)
        if let tls {
            // A numeric address is not a server name. The certificate is then checked against the address.
            let isNumeric = (try? SocketAddress(ipAddress: url.host, port: url.port)) != nil
            try pipeline.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: isNumeric ? nil : url.host),
                position: .after(sentBytes))
        }
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// Ends a connection at once: drops unsent data, and the server detects the end.
    static func reset(_ channel: any Channel) {
        guard let provider = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
        // With no time to linger, close sends a reset (socket(7), tcp(7)).
        provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Sends all waiting data, closes, and gives the peer a second to close too, which shows that it has everything. A
    /// peer that stops reading is reset after `sendingTimeout`.
    static func closeWhenSent(_ channel: any Channel, isSecure: Bool) -> EventLoopFuture<Void> {
        channel.flush()
        let sending = channel.eventLoop.scheduleTask(in: sendingTimeout) { reset(channel) }
        channel.closeFuture.whenComplete { _ in sending.cancel() }
        // With TLS, the goodbye follows the last data, and the peer answers it.
        guard !isSecure else { return channel.close() }
        // Closing both directions with unread data would drop data on its way to the peer (RFC 1122, 4.2.2.13). Output
        // is closed when the kernel has all data, which it sends even after this process ends.
        channel.close(mode: .output).whenComplete { _ in
            let timer = channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in timer.cancel() }
        }
        return channel.closeFuture
    }

    /// Trusts the system's certificates, and those of the settings.
    static func tlsContext(_ settings: RTMPSettings) throws(PublishFailure) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .fullVerification
        configuration.minimumTLSVersion = .tlsv12
        do {
            if let contents = settings.certificateAuthorityContents {
                configuration.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(contents))]
            } else if let file = settings.certificateAuthority {
                configuration.additionalTrustRoots = [.file(file)]
            }
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw PublishFailure(.authorityUnreadable(file: settings.certificateAuthority), settings.url)
        }
    }
}

/// Counts the bytes that go to the socket: with TLS the encrypted ones, as the kernel counts those that are acknowledged.
final class SentBytes: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private(set) var count: Int64 = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        count += Int64(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }
}

// Maps errors of sockets and TLS to a publisher's failures.
extension PublishFailure.Code {
    /// The code for an error of dialing.
    init(dialing error: any Error) {
        // The last of several addresses determines the reason.
        let error = (error as? NIOConnectionError)?.connectionErrors.last?.error ?? error
        if let error = error as? ChannelError, case .connectTimeout = error {
            self = .connectTimedOut
        } else {
            self = .connectFailed(.init(error))
        }
    }

    /// The code for an error that broke a connection. NIOSSL gives OpenSSL's reasons only in the error's description.
    init(connected error: any Error) {
        let text = String(describing: error)
        if !(error is NIOSSLError || error is NIOSSLExtraError) {
            self = .connectionLost(.init(error))
        } else if (error as? NIOSSLExtraError) == .failedToValidateHostname {
            self = .certificateForAnotherName
        } else if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
            self = .certificateUntrusted
        } else {
            self = text.contains("WRONG_VERSION_NUMBER") ? .tlsMissing : .tlsFailed
        }
    }
}

extension PublishFailure.SystemError {
    /// Nil if the error has no number.
    fileprivate init?(_ error: any Error) {
        guard let error = error as? IOError else { return nil }
        self.init(number: error.errnoCode, text: Errno(rawValue: error.errnoCode).description)
    }
}
