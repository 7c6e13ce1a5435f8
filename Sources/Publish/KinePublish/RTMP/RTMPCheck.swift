// Checks whether a server accepts a stream, and learns about the server, over a connection without samples.
import KineRTMP
import KineText
import NIOCore
import NIOPosix
import NIOSSL

/// The result of checking a server that accepts the stream.
public struct RTMPCheck: Sendable, Equatable {
    /// The server's name for itself; nil if it gives none.
    public var server: String?
    /// Numeric address and port.
    public var address: String
    /// The version of TLS, such as "TLS 1.3"; nil without encryption.
    public var tls: String?
    /// The names in the server's certificate.
    public var certificate: [String] = []
    /// In milliseconds; nil if unknown.
    public var roundTrip: Double?
    /// Milliseconds from the first packet to the permission to publish.
    public var duration: Double

    /// Connects, asks to publish, and says goodbye, within 28 seconds. Throws the reason if the server does not accept
    /// the stream. Reconnects only for authentication, and if the server names another address for the stream. Of the
    /// settings, only address and certificates are used.
    public static func run(_ settings: RTMPSettings) async throws(PublishFailure) -> RTMPCheck {
        let outcome = await withCheckedContinuation { continuation in
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            eventLoop.execute {
                CheckConnection(settings, on: eventLoop) { continuation.resume(returning: $0) }.start()
            }
        }
        return try outcome.get()
    }
}

private final class CheckConnection: @unchecked Sendable {
    // Sendable: all mutable state is used only on `eventLoop`.
    typealias Outcome = Result<RTMPCheck, PublishFailure>

    private enum State {
        case connecting
        /// The server accepted the stream, and may still close the connection; see `StreamAcceptance`.
        case accepted(RTMPCheck)
        case ended
    }

    private static let deadline = TimeAmount.seconds(28)

    private let settings: RTMPSettings
    private var destination: RTMPReconnectStateMachine.Destination
    private var redirects = RedirectLimit()
    private let eventLoop: any EventLoop
    private let done: (Outcome) -> Void
    private lazy var dialer = Dialer(on: eventLoop, resolver: settings.resolver, times: settings.times) {
        [weak self] in self?.connected($0)
    }
    private var state = State.connecting
    private var authentication: PublisherAuthentication?
    private var tls: NIOSSLContext?
    private var client: RTMPClient?
    private var begun: Int64 = 0

    init(_ settings: RTMPSettings, on eventLoop: any EventLoop, _ done: @escaping (Outcome) -> Void) {
        self.settings = settings
        self.eventLoop = eventLoop
        self.done = done
        destination = .init(settings.url)
    }

    private var url: RTMPURL { destination.url }

    private var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    func start() {
        begun = now
        eventLoop.scheduleTask(in: Self.deadline) { self.fail(.checkTimedOut) }
        dial()
    }

    private func dial() {
        do {
            if url.isSecure, tls == nil { tls = try RTMPSocket.tlsContext(settings) }
        } catch {
            return end(.failure(error))
        }
        dialer.dial(destination) { self.end(.failure($0)) }
    }

    /// Follows a redirection within the limits of a stream; see `ReconnectStateMachine.moved`.
    private func moved(to target: RTMPURL) {
        guard settings.url.allowsRedirect(to: target) else { return fail(.redirectForbidden(to: target)) }
        guard redirects.allows(at: now) else { return fail(.redirectedTooOften) }
        destination = .init(target, narrowest: client?.channel.remoteAddress?.scope ?? .global)
        authentication = nil
        client?.close()
        dial()
    }

    private func connected(_ channel: any Channel) {
        let client = RTMPClient(channel, url, authentication, wasLive: false) { self.handle($0) }
        self.client = client
        client.open(tls: tls)
    }

    private func handle(_ event: RTMPClient.Event) {
        switch (event, state) {
        case (.accepted, _): accepted()
        case (.live, _): client?.finish()
        case (.authenticate(let next), _):
            authentication = next
            client?.close()
            dial()
        case (.moved(let target), _): moved(to: target)
        case (.failed(let failure), _): end(.failure(failure))
        case (.finished, .accepted(let check)): end(.success(check))
        // A server that redirects its publisher also accepts the stream.
        case (.redirected, _), (.writable, _), (.finished, _): break
        }
    }

    private func accepted() {
        guard let client else { return }
        let channel = client.channel
        let address = channel.remoteAddress
        var check = RTMPCheck(
            server: client.server,
            address: ListenAddress.description(host: address?.ipAddress ?? url.host, port: address?.port ?? url.port),
            duration: Double(now - begun) / 1e6)
        if url.isSecure, let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self) {
            check.tls = Self.name(handler.tlsVersion)
            check.certificate = Self.names(handler.peerCertificate)
        }
        state = .accepted(check)
        client.expectNothing()
        eventLoop.scheduleTask(in: .nanoseconds(StreamAcceptance.settlingTime)) { client.acknowledged(nil) }
        TCPStatistics.read(channel).whenSuccess { [check] statistics in
            guard case .accepted = self.state else { return }
            var check = check
            check.roundTrip = statistics.map { Double($0.roundTrip) / 1e6 }
            self.state = .accepted(check)
        }
    }

    private static func name(_ version: TLSVersion?) -> String? {
        switch version {
        case .tlsv12: "TLS 1.2"
        case .tlsv13: "TLS 1.3"
        default: nil
        }
    }

    private static func names(_ certificate: NIOSSLCertificate?) -> [String] {
        let names = certificate?._subjectAlternativeNames().compactMap { name in
            name.nameType == .dnsName
                ? name.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } : nil
        }
        return names ?? []
    }

    private func fail(_ code: PublishFailure.Code) { end(.failure(PublishFailure(code, url))) }

    private func end(_ outcome: Outcome) {
        if case .ended = state { return }
        state = .ended
        dialer.stop()
        client?.close()
        client = nil
        done(outcome)
    }
}
