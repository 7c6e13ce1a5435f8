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
    /// what authentication needs. Takes 20 seconds at most. Of the settings only address and certificates count.
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

private final class TrialConnection: RTMPConnectionOwner, @unchecked Sendable {
    // Sendable: everything that changes is touched only on `eventLoop`.
    private static let deadline = TimeAmount.seconds(20)
    /// Servers that look a key up elsewhere first say yes and close a moment later.
    private static let secondThoughts = TimeAmount.milliseconds(500)

    private let settings: RTMPSettings
    private let url: RTMPURL
    private let eventLoop: any EventLoop
    private var done: ((Result<RTMPTrial, PublishFailure>) -> Void)?
    private var authentication: PublisherAuthentication
    private var tls: NIOSSLContext?
    private var session: RTMPSession?
    private var channel: (any Channel)?
    private var number = 0
    private var begun: Int64 = 0
    private var deadlineTimer: Scheduled<Void>?
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
            if url.isSecure { tls = try RTMPConnection.context(certificateAuthority: settings.certificateAuthority) }
        } catch {
            return end(.failure(RTMPConnection.unreadableAuthority(settings.certificateAuthority)))
        }
        connect()
    }

    private func connect() {
        number += 1
        let mine = number
        RTMPConnection.dial(url, timeout: RTMPConnection.connectTimeout, on: eventLoop).whenComplete { result in
            guard mine == self.number, self.done != nil else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            do {
                let channel = try result.get()
                self.channel = channel
                try RTMPConnection.adopt(channel, self.url, tls: self.tls, number: mine, owner: self)
                let random = (0..<1528).map { _ in UInt8.random(in: 0 ... .max) }
                self.session = RTMPSession(self.url, authentication: self.authentication, random: random)
                self.perform(self.session?.connected(now: self.now) ?? [])
            } catch {
                self.end(.failure(RTMPConnection.failure(error, self.url)))
            }
        }
    }

    private func perform(_ events: [RTMPSession.Event]) {
        for event in events {
            switch event {
            case .send(let bytes):
                if let channel { channel.write(channel.allocator.buffer(bytes: bytes), promise: nil) }
            case .live: accepted()
            case .authenticate(let next):
                authentication = next
                channel?.close(promise: nil)
                channel = nil
                session = nil
                return connect()
            // A server that would rather have the publisher elsewhere takes the stream all the same.
            case .move: break
            case .fail(let failure): end(.failure(failure))
            case .close: farewell()
            }
        }
        channel?.flush()
        scheduleDeadline()
    }

    private func scheduleDeadline() {
        deadlineTimer?.cancel()
        guard let deadline = session?.deadline else { return }
        let mine = number
        deadlineTimer = eventLoop.scheduleTask(in: .nanoseconds(max(0, deadline - now))) {
            if mine == self.number { self.perform(self.session?.tick(now: self.now) ?? []) }
        }
    }

    private func accepted() {
        guard let channel else { return }
        let address = channel.remoteAddress
        let host = address?.ipAddress ?? url.host
        var trial = RTMPTrial(
            server: session?.server,
            address: "\(host.contains(":") ? "[\(host)]" : host):\(address?.port ?? url.port)",
            duration: Double(now - begun) / 1e6)
        if url.isSecure { (trial.tls, trial.certificate) = encryption(of: channel) }
        self.trial = trial
        TCPStatistics.read(channel).whenSuccess { statistics in
            self.trial?.roundTrip = statistics.map { Double($0.roundTrip) / 1e6 }
            self.eventLoop.scheduleTask(in: Self.secondThoughts) {
                if self.done != nil { self.perform(self.session?.finish() ?? []) }
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

    private func farewell() {
        guard let channel, let trial else { return }
        RTMPConnection.closeWhenSent(channel, isSecure: url.isSecure).whenComplete { _ in self.end(.success(trial)) }
    }

    private func end(_ result: Result<RTMPTrial, PublishFailure>) {
        guard let done else { return }
        self.done = nil
        number += 1
        deadlineTimer?.cancel()
        channel?.close(promise: nil)
        channel = nil
        session = nil
        done(result)
    }

    func received(_ bytes: ByteBuffer, connection: Int) {
        guard connection == number else { return }
        perform(session?.receive(bytes.readableBytesView, now: now) ?? [])
    }

    func becameWritable(connection: Int) {}

    func closed(_ failure: PublishFailure?, connection: Int) {
        guard connection == number else { return }
        // After the goodbye it is the server's turn to close.
        if let trial, session?.state == .finished { return end(.success(trial)) }
        if let failure, failure.isFinal || session == nil { return end(.failure(failure)) }
        if trial != nil {
            return end(
                .failure(
                    PublishFailure(
                        .refused,
                        "The server \(url) took the stream and closed the connection at once; check the stream key.")))
        }
        perform(session?.disconnected() ?? [])
    }
}
