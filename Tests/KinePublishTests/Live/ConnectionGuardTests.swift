// How long a connection may take to send a request, in whatever order requests and responses end.
import CoreTesting
import KineLive
import KinePlatform
import KineText
import Testing

@testable import KinePublish

@Suite(.tags(.real, .margins)) struct ConnectionGuardTests {
    @Test func `a response that ends before its request is counted against it`() {
        var balance = RequestBalance()
        balance.responseEnded()
        #expect(!balance.owesResponse && !balance.isEven)
        balance.requestEnded()
        #expect(!balance.owesResponse && balance.isEven)
        balance.requestEnded()
        #expect(balance.owesResponse)
    }

    @Test func `after the first of two responses one is still due`() {
        var balance = RequestBalance()
        balance.requestEnded()
        balance.requestEnded()
        balance.responseEnded()
        #expect(balance.owesResponse)
        balance.responseEnded()
        #expect(!balance.owesResponse)
    }

    @Test func `a client that sends nothing more after an early response is closed`() async throws {
        let (server, port, _) = try await Self.start()
        let isClosed = try await blocking {
            let client = try PlainClient(port: port)
            client.get("/", headers: "Content-Length: 5\r\n", method: "POST")
            let head = try client.head()
            guard head.hasPrefix("HTTP/1.1 405") else { throw PlainClient.Failure(description: head) }
            // The request ends after its response.
            client.send("12345")
            while try client.read(deadline: MonotonicClock.now() + PlainClient.timeout) {}
            return true
        }
        #expect(isClosed)
        await server.finish()
    }

    /// The server waits ten seconds for a request, so this takes a little longer.
    @Test func `a stream that was requested behind another request continues`() async throws {
        let (server, port, token) = try await Self.start()
        let ticks = try await blocking {
            let client = try PlainClient(port: port)
            let request = " HTTP/1.1\r\nHost: 127.0.0.1\r\n\(token.header)\r\n"
            client.send("HEAD /state\(request)GET /samples\(request)")
            _ = try client.head()
            _ = try client.head()
            // A tick each second, until after the deadline of a request.
            let end = MonotonicClock.now() + 12_000_000_000
            var chunks = 0
            while MonotonicClock.now() < end, let chunk = try client.chunk(), !chunk.isEmpty { chunks += 1 }
            return MonotonicClock.now() < end ? 0 : chunks
        }
        #expect(ticks > 0, "the connection was closed")
        await server.finish()
    }

    @Test func `connections that idle at an address do not keep a viewer out`() async throws {
        let (server, port, token) = try await Self.start()
        // More than are served at a time without a token. Each gets a file and stays.
        let viewer = try await blocking {
            let idle = try (0..<20).map { _ in
                let client = try PlainClient(port: port)
                client.get("/icon.svg", method: "HEAD")
                return client
            }
            defer { withExtendedLifetime(idle) {} }
            return try RecordClient(port: port, token: token)
        }
        #expect(server.viewers == 1)
        withExtendedLifetime(viewer) {}
        await server.finish()
    }

    /// Three hundred from the viewer's own address.
    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
    func `connections that say nothing, or half a request, do not keep a viewer out`(_ words: String) async throws {
        let (server, port, token) = try await Self.start()
        server.publish(Samples.frame(0))
        let frame = try await blocking {
            let others = try (0..<300).map { _ in
                let client = try PlainClient(port: port)
                client.send(words)
                return client
            }
            defer { withExtendedLifetime(others) {} }
            let begun = MonotonicClock.now()
            let frame = try RecordClient(port: port, token: token).frame()
            Margin.atMost(
                words.isEmpty ? 1 : 3, Double(MonotonicClock.now() - begun) / 1e9, "s",
                "until the first frame beside \(words.isEmpty ? "silent ones" : "half requests")")
            return frame
        }
        #expect(frame?.isKeyframe == true)
        await server.finish()
    }

    private static func start() async throws -> (server: LiveServer, port: Int, token: RandomToken) {
        let server = try await LiveServer.start(LiveSettings(setupInfo: [:]), format: Samples.format)
        let link = try #require(LiveLinks.parse(page: server.links.page))
        return (server, try #require(link.port), link.token)
    }
}
