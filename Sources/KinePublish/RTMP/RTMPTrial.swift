// One connection to see whether a server takes a stream, and who it is. No sample is sent.
import KineRTMP
import NIOCore
import NIOPosix
import NIOSSL

/// What a server says of itself when it takes a stream.
public struct RTMPTrial: Sendable, Equatable {
    /// As in `RTMPStatus`.
    public var server: String?
    /// Address and port in numbers.
    public var address: String
    /// The version, "TLS 1.3"; nil without encryption.
    public var tls: String?
    /// The names in the certificate.
    public var certificate: [String] = []
    /// Milliseconds; nil where the system does not tell.
    public var roundTrip: Double?
    /// Milliseconds from the first packet to the permission to publish.
    public var duration: Double

    /// Connects, asks to publish, says goodbye. Throws why the server does not take the stream; nothing is tried again but
    /// what authentication needs. Takes 28 seconds at most. Of the settings only address
    /// and certificates count.
    public static func run(_ settings: RTMPSettings) async throws(PublishFailure) -> RTMPTrial {
        let outcome = await withCheckedContinuation { continuation in
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            eventLoop.execute {
                TrialConnection(settings, on: eventLoop) { continuation.resume(returning: $0) }.start()
            }
        }
        return try outcome.get()
    }
}

private final class TrialConnection: @unchecked Sendable {
    // Sendable: everything that changes is touched only on `eventLoop`.
    private static let deadline = TimeAmount.seconds(28)
    /// Servers that look a key up elsewhere first say yes and close a moment later.
    private static let secondThoughts = TimeAmount.milliseconds(500)

    private let settings: RTMPSettings
    private let url: RTMPURL
    private let eventLoop: any EventLoop
    private var done: ((Result<RTMPTrial, PublishFailure>) -> Void)?
    private var authentication: PublisherAuthentication
    private lazy var dialer = Dialer(on: eventLoop, resolver: settings.resolver, times: settings.times) {
        [weak self] in self?.connected($0)
    }
    private var tls: NIOSSLContext?
    private var client: RTMPClient?
    private var begun: Int64 = 0
    private var trial: RTMPTrial?

    init(
        _ settings: RTMPSettings, on eventLoop: any EventLoop,
        _ done: @escaping (Result<RTMPTrial, PublishFailure>) -> Void
    ) {
        self.settings = settings
        self.eventLoop = eventLoop
        self.done = done
        url = settings.url
        authentication = PublisherAuthentication(settings.url, challenge: .random(in: 0 ... .max))
    }

    private var now: Int64 { Int64(NIODeadline.now().uptimeNanoseconds) }

    func start() {
        begun = now
        eventLoop.scheduleTask(in: Self.deadline) {
            self.end(
                .failure(
                    PublishFailure(.unreachable, "The server \(self.url) did not answer in time; try again later.")))
        }
        do {
            if url.isSecure { tls = try RTMPConnection.context(settings) }
        } catch {
            return end(.failure(RTMPConnection.unreadableAuthority(settings.certificateAuthority)))
        }
        dial()
    }

    private func dial() {
        dialer.dial(.init(url)) { self.end(.failure($0)) }
    }

    private func connected(_ channel: any Channel) {
        let client = RTMPClient(channel) { self.heard($0) }
        self.client = client
        client.open(url, authentication, wasLive: false, tls: tls)
    }

    private func heard(_ event: RTMPClient.Event) {
        switch event {
        case .live: accepted()
        case .authenticate(let next):
            authentication = next
            client?.close()
            dial()
        // A server that would rather have the publisher elsewhere takes the stream all the same.
        case .askedToMove, .writable: break
        case .failed(let failure) where trial == nil || failure.isFinal: end(.failure(failure))
        case .failed:
            end(
                .failure(
                    PublishFailure(
                        .refused,
                        "The server \(url) took the stream and closed the connection at once; check the stream key.")))
        case .finished: if let trial { end(.success(trial)) }
        }
    }

    private func accepted() {
        guard let channel = client?.channel else { return }
        let address = channel.remoteAddress
        let host = address?.ipAddress ?? url.host
        var trial = RTMPTrial(
            server: client?.server,
            address: "\(host.contains(":") ? "[\(host)]" : host):\(address?.port ?? url.port)",
            duration: Double(now - begun) / 1e6)
        if url.isSecure { (trial.tls, trial.certificate) = encryption(of: channel) }
        self.trial = trial
        TCPStatistics.read(channel).whenSuccess { statistics in
            self.trial?.roundTrip = statistics.map { Double($0.roundTrip) / 1e6 }
            self.eventLoop.scheduleTask(in: Self.secondThoughts) {
                if self.done != nil { self.client?.finish() }
            }
        }
    }

    private func encryption(of channel: any Channel) -> (version: String?, names: [String]) {
        guard let handler = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self) else {
            return (nil, [])
        }
        let version: String? =
            switch handler.tlsVersion {
            case .tlsv1: "TLS 1.0"
            case .tlsv11: "TLS 1.1"
            case .tlsv12: "TLS 1.2"
            case .tlsv13: "TLS 1.3"
            default: nil
            }
        let names = handler.peerCertificate?._subjectAlternativeNames().compactMap { name in
            name.nameType == .dnsName
                ? name.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } : nil
        }
        return (version, names ?? [])
    }

    private func end(_ result: Result<RTMPTrial, PublishFailure>) {
        guard let done = done.take() else { return }
        dialer.stop()
        client?.close()
        client = nil
        done(result)
    }
}
