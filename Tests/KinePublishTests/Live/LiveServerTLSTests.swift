// The server over TLS, with a client that checks its certificate.
import CoreTesting
import KineLive
import KineMeasure
import KineMedia
import KinePlatform
import KineText
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import KinePublish

@Suite(.timeLimit(.minutes(10)), .tags(.real, .margins)) struct LiveServerTLSTests {
    private let certificate: SelfSignedCertificate

    init() throws { certificate = try SelfSignedCertificate(name: "live", alternativeName: "IP:127.0.0.1") }

    private func start() async throws -> (server: LiveServer, port: Int, token: RandomToken) {
        let server = try await LiveServer.start(
            LiveSettings(setupInfo: ["tls-cert": certificate.path, "tls-key": certificate.key]), format: Samples.format)
        let link = try #require(LiveLinks.parse(page: server.links.page))
        #expect(server.links.page.hasPrefix("https://127.0.0.1:"))
        return (server, try #require(link.port), link.token)
    }

    /// Requests `path`, with TLS `newest` at most, and reads until `isEnough` accepts the answer or it ends.
    private func get(
        _ path: String, port: Int, token: RandomToken? = nil, trusting roots: NIOSSLTrustRoots,
        newest: TLSVersion? = nil,
        until isEnough: (String) -> Bool
    ) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.maximumTLSVersion = newest
        configuration.trustRoots = roots
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.minutes(5))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: nil)
                    try channel.pipeline.syncOperations.addHandler(handler)
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        var received = ""
        do {
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(token?.header ?? "")\r\n"))
                for try await buffer in inbound {
                    received += String(buffer: buffer)
                    if isEnough(received) { break }
                }
            }
        } catch  where isEnough(received) {
            // A stream that the client leaves does not end with close_notify.
        }
        return received
    }

    @Test func `page and stream come over a connection whose certificate is checked`() async throws {
        let (server, port, token) = try await start()
        let own = NIOSSLTrustRoots.file(certificate.path)
        let page = try await get("/", port: port, trusting: own) { $0.contains("</html>") }
        #expect(page.hasPrefix("HTTP/1.1 200") && page.contains("<script type=\"module\" src=\"page.js\">"))
        let text = "a picture that no decoder will see"
        server.publish(
            EncodedSample(
                type: .video, presentationTime: .zero, duration: .zero, isKeyframe: true, data: Array(text.utf8)))
        let stream = try await get("/samples", port: port, token: token, trusting: own) { $0.contains(text) }
        #expect(stream.contains("avc1.640028") && stream.contains(text))
        let movie = try await get("/live.mp4", port: port, token: token, trusting: own) { $0.contains(text) }
        #expect(movie.contains("ftyp") && movie.contains("moof") && movie.contains(text))
        await server.finish()
    }

    @Test func `a keyframe that is sent in pieces is whole`() async throws {
        let (server, port, token) = try await start()
        let (size, end) = (100_000, "the end of it")
        server.publish(
            EncodedSample(
                type: .video, presentationTime: .zero, duration: .zero, isKeyframe: true,
                data: [UInt8](repeating: UInt8(ascii: "~"), count: size) + Array(end.utf8)))
        let own = NIOSSLTrustRoots.file(certificate.path)
        let stream = try await get("/samples", port: port, token: token, trusting: own) { $0.contains(end) }
        #expect(stream.utf8.count { $0 == UInt8(ascii: "~") } >= size)
        await server.finish()
    }

    /// From the viewer's own address: three hundred that are silent, and a few that send the head of a ClientHello (RFC 8446, section 5.1)
    /// and leave one place.
    @Test func `connections that say nothing, or half a greeting, do not keep a viewer out`() async throws {
        let (server, port, token) = try await start()
        let text = "a picture that no decoder will see"
        server.publish(
            EncodedSample(
                type: .video, presentationTime: .zero, duration: .zero, isKeyframe: true, data: Array(text.utf8)))
        let others = try await blocking {
            try (0..<307).map { number in
                let client = try PlainClient(port: port)
                if number >= 300 { client.send("\u{16}\u{3}\u{1}\u{2}") }
                return client
            }
        }
        let own = NIOSSLTrustRoots.file(certificate.path)
        let begun = MonotonicClock.now()
        let stream = try await get("/samples", port: port, token: token, trusting: own) { received in
            guard received.contains(text) else { return false }
            Margin.atMost(1, Double(MonotonicClock.now() - begun) / 1e9, "s", "until the first frame")
            return true
        }
        #expect(stream.contains(text))
        withExtendedLifetime(others) {}
        await server.finish()
    }

    @Test func `a client with TLS 1.1 or older does not connect`() async throws {
        let (server, port, _) = try await start()
        await #expect(throws: (any Error).self) {
            try await get("/", port: port, trusting: .file(certificate.path), newest: .tlsv11) { !$0.isEmpty }
        }
        await server.finish()
    }

    @Test func `a client that does not trust the certificate does not connect`() async throws {
        let (server, port, _) = try await start()
        await #expect(throws: (any Error).self) {
            try await get("/", port: port, trusting: .default) { !$0.isEmpty }
        }
        await server.finish()
    }

    @Test func `without TLS the port tells nothing`() async throws {
        let (server, port, _) = try await start()
        let answer = try await blocking {
            let client = try PlainClient(port: port)
            client.get("/")
            while try client.read(deadline: MonotonicClock.now() + PlainClient.timeout) {}
            return String(decoding: client.received, as: UTF8.self)
        }
        #expect(!answer.contains("HTTP/"))
        await server.finish()
    }
}
