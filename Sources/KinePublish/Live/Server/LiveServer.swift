// Serves one broadcast to browsers: a page, and the stream that it plays. HTTP, TLS and the waiting for slow sockets are
// Hummingbird's and SwiftNIO's; who may ask is RequestGate's, who gets what is LiveStream's.
import HummingbirdCore
import HummingbirdTLS
import KineMedia
import Logging
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A running server of one live stream. All methods may be called from any thread, but samples of one type in their order.
///
/// It runs until `finish()` is called, which has to be: a server that is only let go of keeps its port and its viewers.
public final class LiveServer: Sendable {
    /// Why the server cannot run. One sentence.
    public struct Error: Swift.Error, Equatable, CustomStringConvertible {
        public let description: String
    }

    /// The most connections that are taken at a time; others wait until one is closed.
    public static let connectionLimit = 500

    /// Where the stream can be watched; the token in it is all that is needed to watch.
    public let link: String

    private let stream: LiveStream
    private let running: Task<Void, any Swift.Error>
    private let ticking: Task<Void, Never>

    /// Opens the server.
    /// - Parameters:
    ///   - wantsKeyframe: called, at most once a second and from any thread, when viewers need a new keyframe.
    ///   - observe: called twice a second, from any thread, with how many watch now and how many bytes were sent in all.
    public static func start(
        _ settings: LiveSettings, format: LiveFormat, wantsKeyframe: @escaping @Sendable () -> Void = {},
        observe: @escaping @Sendable (_ viewers: Int, _ sentBytes: Int64) -> Void = { _, _ in }
    ) async throws(Error) -> LiveServer {
        let stream = LiveStream(title: settings.title, format: format, wantsKeyframe: wantsKeyframe)
        if let port = settings.previousPort,
            let server = try? await LiveServer(settings, port: port, stream: stream, observe: observe)
        {
            return server
        }
        return try await LiveServer(settings, port: settings.port, stream: stream, observe: observe)
    }

    private init(
        _ settings: LiveSettings, port: Int, stream: LiveStream, observe: @escaping @Sendable (Int, Int64) -> Void
    ) async throws(Error) {
        let reachable = Self.reachableName(settings)
        var hosts: Set = ["localhost", "127.0.0.1", "::1", settings.host, reachable]
        if !settings.isLoopback, let own = Self.machineName {
            hosts.formUnion([own, own + ".local"])
        }
        let responder = LiveResponder(
            gate: RequestGate(token: settings.token, hosts: hosts, acceptsAnyAddress: settings.isEverywhere),
            stream: stream, page: LivePage(title: settings.title), isEncrypted: settings.certificate != nil)
        let http = HTTPServerBuilder.http1(
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [ConnectionGuard()],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: 8 << 10, maxHeaderListSize: 16 << 10, maxHeaderFieldCount: 64)))
        let builder = try Self.secured(http, settings.certificate)
        let logger = Logger(label: "live") { _ in SwiftLogNoOpLogHandler() }
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let address = settings.isEverywhere ? settings.host : settings.host == "localhost" ? "127.0.0.1" : settings.host
        running = Task {
            defer { found.finish() }
            let server = try builder.buildServer(
                configuration: ServerConfiguration(
                    address: .hostname(address, port: port),
                    availableConnectionsDelegate: .maximum(Self.connectionLimit, logger: logger)),
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
            ) { request, writer, channel in
                try await responder.respond(to: request, with: writer, on: channel.eventLoop)
            } onServerRunning: { channel in
                found.yield(channel.localAddress?.port ?? port)
                found.finish()
            }
            try await server.run()
        }
        var iterator = ports.makeAsyncIterator()
        guard let actual = await iterator.next() else {
            ticking = Task {}
            throw Self.explanation(of: await running.result, settings: settings, port: port)
        }
        let name = reachable.contains(":") ? "[\(reachable)]" : reachable
        link = "http\(settings.certificate == nil ? "" : "s")://\(name):\(actual)/\(settings.token)/"
        self.stream = stream
        ticking = Task {
            while !Task.isCancelled {
                stream.tick()
                let counts = stream.counts
                observe(counts.viewers, counts.sentBytes)
                try? await Task.sleep(nanoseconds: UInt64(LiveStream.tickInterval / 2))
            }
        }
    }

    /// Hands a sample to all viewers. The bytes are copied before this returns; it never waits for a viewer.
    /// - Parameters:
    ///   - presentationTime: on the take's timeline. Samples before time zero are left out.
    ///   - bytes: as in `EncodedSample.data`.
    public func publish(
        _ type: SampleType, presentationTime: MediaTime, isKeyframe: Bool,
        bytes: UnsafeRawBufferPointer
    ) {
        stream.publish(
            type, presentationTime: presentationTime, isKeyframe: isKeyframe,
            bytes: bytes)
    }

    /// Hands a sample to all viewers, as `publish(_:presentationTime:isKeyframe:bytes:)` does. Its duration is
    /// not used.
    public func publish(_ sample: EncodedSample) {
        sample.data.withUnsafeBytes {
            publish(sample.type, presentationTime: sample.presentationTime, isKeyframe: sample.isKeyframe, bytes: $0)
        }
    }

    /// Tells viewers that the broadcast is paused.
    public func pause() { stream.set(.paused) }

    /// Tells viewers that it goes on.
    public func resume() { stream.set(.live) }

    /// Browsers and players that watch now.
    public var viewers: Int { stream.counts.viewers }
    /// Bytes of samples sent, all viewers together.
    public var sentBytes: Int64 { stream.counts.sentBytes }
    /// Pictures left out for viewers that were too slow, all viewers together.
    public var droppedPictures: Int { stream.counts.droppedPictures }

    /// Tells viewers that the broadcast has ended, gives them a moment to take what is on its way, and closes the server.
    /// Takes two seconds at most. What is published afterwards reaches nobody.
    public func finish() async {
        stream.set(.ended)
        stream.close()
        for _ in 0..<Self.farewells where viewers > 0 { try? await Task.sleep(nanoseconds: Self.farewell) }
        ticking.cancel()
        running.cancel()
        // TLS waits some seconds for the farewell of viewers who say none; nobody else does.
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task { [running] in
            _ = await running.result
            end.finish()
        }
        Task {
            try? await Task.sleep(nanoseconds: Self.closingTime)
            end.finish()
        }
        for await _ in ends {}
    }

    /// A viewer's last bytes take as long as they take; nobody is waited for longer than a second.
    private static let farewell: UInt64 = 20_000_000
    private static let farewells = 50
    /// The longest that is waited for connections to close, in nanoseconds.
    private static let closingTime: UInt64 = 1_000_000_000

    private static func secured(
        _ http: HTTPServerBuilder, _ certificate: LiveSettings.Certificate?
    ) throws(Error) -> HTTPServerBuilder {
        guard let certificate else { return http }
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificate.chain)
        } catch {
            throw Error(
                description:
                    "The live page's certificate \(certificate.chain) cannot be read: give a PEM file with “cert”.")
        }
        do {
            let key = try NIOSSLPrivateKey(file: certificate.key, format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
            // What is older is deprecated (RFC 8996).
            tls.minimumTLSVersion = .tlsv12
            return try .tls(http, tlsConfiguration: tls)
        } catch {
            throw Error(
                description: "The live page's key \(certificate.key) cannot be used: "
                    + "give the PEM file of the key that belongs to \(certificate.chain) with “key”.")
        }
    }

    private static func explanation(
        of result: Result<Void, any Swift.Error>, settings: LiveSettings, port: Int
    ) -> Error {
        let place = "\(settings.host):\(port)"
        guard case .failure(let failure) = result else {
            return Error(
                description: "The live page's server on \(place) ended before it began; start the broadcast again.")
        }
        if failure is SocketAddressError.UnknownHost {
            return Error(
                description: "The live page cannot be served on \(place): no address is known for that name; set "
                    + "“listen” to an address of this machine, or to 0.0.0.0 for all.")
        }
        let reason =
            switch (failure as? IOError)?.errnoCode {
            case EADDRINUSE:
                "something else listens there already; set “listen” to another port, or to none for a free one"
            case EACCES: "ports below 1024 are for root; set “listen” to a port above"
            case EADDRNOTAVAIL:
                "this machine has no such address; set “listen” to one of its own, or to 0.0.0.0 for all"
            default: "\(failure); set “listen” to another address"
            }
        return Error(description: "The live page cannot be served on \(place): \(reason).")
    }
}
