// Serves one broadcast to browsers: a page, and the stream that it plays. LiveListener accepts connections, RequestGate
// decides on requests, and LiveStream has the data for viewers.
import KineLive
import KineMedia
@_exported import KineText
import NIOCore
import NIOSSL
import Synchronization
import SystemPackage

/// A running server of one live stream. Any thread may call; samples of one type must be in order.
///
/// Call `finish()` at the end: releasing the server alone keeps its port and its viewers.
public final class LiveServer: Sendable {
    /// The reason why the server cannot run. LiveSentences.swift has the sentences for a person.
    public enum Error: Swift.Error, Equatable {
        case certificateUnreadable(file: String)
        /// The key's file cannot be read, or the key does not belong to the certificate.
        case keyUnusable(file: String, certificate: String)
        /// The host has no known address.
        case hostUnknown(place: String)
        /// `Errno` is nil if the reason has no number.
        case cannotListen(place: String, Errno?)
    }

    /// A condition of the running server that the broadcaster should know.
    public enum Warning: Equatable, Sendable {
        /// The server listens on `host` for other machines, without TLS.
        case notEncrypted(host: String)
        /// The page was requested as `authority`, which is not its address.
        case foreignHost(authority: String, scheme: String)
    }

    /// The callbacks of a running server, which come from any thread.
    public struct Events: Sendable {
        /// Viewers need a new keyframe; called at most once every two seconds.
        public var wantsKeyframe: @Sendable () -> Void = {}
        /// Called twice a second with the number of viewers and the total of sent bytes.
        public var observe: @Sendable (_ viewers: Int, _ sentBytes: Int) -> Void = { _, _ in }
        public var warn: @Sendable (Warning) -> Void = { _ in }

        public init() {}
    }

    /// The links to the stream. Anyone with a link can watch.
    public var links: LiveLinks { currentLinks.withLock { $0 } }

    var port: Int { listener.port }

    private let stream: LiveStream
    private let access: LiveAccess
    private let listener: LiveListener
    private let base: String
    private let currentLinks: Mutex<LiveLinks>
    private let ticking: Task<Void, Never>

    /// Starts the server. It reuses an earlier run's tokens only with its port: open pages send them there.
    public static func start(
        _ settings: LiveSettings, format: LiveFormat, events: Events = Events()
    ) async throws(Error) -> LiveServer {
        let stream = LiveStream(title: settings.title, format: format, wantsKeyframe: events.wantsKeyframe)
        guard let previous = settings.previous else {
            return try await LiveServer(settings, port: settings.listen.port, stream: stream, events: events)
        }
        // A passed socket is the earlier run's, and so is its port.
        if settings.listen.port != 0 || settings.boundSocket != nil {
            return try await LiveServer(
                settings, port: settings.listen.port, keeping: previous, stream: stream, events: events)
        }
        if let port = previous.port,
            let server = try? await LiveServer(settings, port: port, keeping: previous, stream: stream, events: events)
        {
            return server
        }
        return try await LiveServer(settings, port: 0, stream: stream, events: events)
    }

    private init(
        _ settings: LiveSettings, port: Int, keeping previous: LiveSettings.Previous? = nil, stream: LiveStream,
        events: Events
    ) async throws(Error) {
        let listen = settings.listen
        let reachable = Self.reachableName(settings)
        var hosts: Set = ["localhost", "127.0.0.1", "::1", listen.host, reachable]
        if !listen.isLoopback, let own = Self.machineName { hosts.formUnion([own, own + ".local"]) }
        let token = previous?.token ?? RandomToken()
        let playerToken = settings.hasPlayerLink ? previous?.playerToken ?? RandomToken() : nil
        access = LiveAccess(
            RequestGate(
                token: token, playerToken: playerToken, hosts: hosts, acceptsAnyAddress: listen.isEverywhere,
                publicURL: settings.publicURL),
            isEncrypted: settings.certificate != nil, warn: events.warn)
        let tls = try Self.tls(settings.certificate)
        do {
            listener = try await LiveListener.start(
                on: settings.boundSocket, host: listen.host == "localhost" ? "127.0.0.1" : listen.host, port: port,
                tls: tls, responder: LiveResponder(access: access, stream: stream))
        } catch {
            let place = ListenAddress.description(host: listen.host, port: port)
            if error is SocketAddressError.UnknownHost { throw .hostUnknown(place: place) }
            throw .cannotListen(place: place, (error as? IOError).map { Errno(rawValue: $0.errnoCode) })
        }
        base =
            settings.publicURL?.description
            ?? "http\(tls == nil ? "" : "s")://"
            + "\(ListenAddress.description(host: reachable, port: listener.port))/"
        currentLinks = Mutex(LiveLinks(base: base, token: token, playerToken: playerToken))
        self.stream = stream
        ticking = Task {
            while !Task.isCancelled {
                stream.tick()
                let counts = stream.counts
                events.observe(counts.viewers, counts.sentBytes)
                try? await Task.sleep(nanoseconds: UInt64(LiveEdge.tickInterval / 2))
            }
        }
        if settings.isOpenAndPlain { events.warn(.notEncrypted(host: listen.host)) }
    }

    /// Creates new links. The old ones stop working, and their viewers are disconnected.
    public func renewLinks() -> LiveLinks {
        let (token, playerToken) = access.renew()
        let links = LiveLinks(base: base, token: token, playerToken: playerToken)
        currentLinks.withLock { $0 = links }
        stream.disconnectViewers()
        return links
    }

    /// Sends a sample to all viewers. The bytes are copied before this returns; it never waits for a viewer.
    /// - Parameters:
    ///   - presentationTime: on the take's timeline. Samples before time zero are dropped.
    ///   - bytes: as in `EncodedSample.data`.
    ///   - format: of a keyframe and the frames after it, in the stream's codec; nil: as before.
    public func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, bytes: UnsafeRawBufferPointer,
        format: VideoFormat? = nil
    ) {
        stream.publish(type, presentationTime: presentationTime, isKeyframe: isKeyframe, bytes: bytes, format: format)
    }

    /// Sends a sample to all viewers, like `publish(_:presentationTime:isKeyframe:bytes:format:)`. Its duration is not
    /// used.
    public func publish(_ sample: EncodedSample) {
        sample.data.withUnsafeBytes {
            publish(
                sample.type, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe, bytes: $0,
                format: sample.format)
        }
    }

    /// Tells viewers that the broadcast is paused.
    public func pause() { stream.set(.paused) }

    /// Tells viewers that the broadcast continues.
    public func resume() { stream.set(.live) }

    /// Browsers and players that are watching now.
    var viewers: Int { stream.counts.viewers }
    /// Frames skipped for slow viewers, all viewers together.
    var droppedFrames: Int { stream.counts.droppedFrames }

    /// Tells viewers that the broadcast has ended, gives them a second to read the rest, and closes the server. Takes
    /// at most two seconds. Samples published afterwards are ignored.
    public func finish() async {
        stream.set(.ended)
        stream.close()
        await LiveListener.wait { viewers == 0 }
        ticking.cancel()
        await listener.close()
    }

    private static func tls(_ certificate: LiveSettings.Certificate?) throws(Error) -> TLSConfiguration? {
        guard let certificate else { return nil }
        let chain: [NIOSSLCertificate]
        do {
            chain =
                try certificate.contents.map { try NIOSSLCertificate.fromPEMBytes($0.chain) }
                ?? NIOSSLCertificate.fromPEMFile(certificate.chain)
        } catch {
            throw .certificateUnreadable(file: certificate.chain)
        }
        do {
            let key =
                try certificate.contents.map { try NIOSSLPrivateKey(bytes: $0.key, format: .pem) }
                ?? NIOSSLPrivateKey(file: certificate.key, format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            // Older versions are deprecated (RFC 8996).
            tls.minimumTLSVersion = .tlsv12
            // Only this detects a key that does not belong to the certificate, and here the error can be explained.
            _ = try NIOSSLContext(configuration: tls)
            return tls
        } catch {
            throw .keyUnusable(file: certificate.key, certificate: certificate.chain)
        }
    }
}
