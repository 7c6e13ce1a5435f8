// What a connection may cost, over real sockets: another user can open as many as they like.
import CoreTesting
import Glibc
import KinePlatform
import SystemPackage
import Testing

@testable import KineStudio

@Suite(.tags(.real)) struct StudioListenerTests {
    /// Closes its socket when it is released.
    private final class Client {
        let descriptor: Int32

        init(port: Int) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw Errno(rawValue: errno) }
        }

        deinit { close(descriptor) }

        func send(_ text: String) {
            _ = Array(text.utf8).withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
        }

        /// The first bytes of the answer; nil: none by then.
        func answer(by deadline: Int64 = MonotonicClock.now() + 20_000_000_000) -> String? {
            guard WakeSignal.poll([descriptor], until: deadline)[0] else { return nil }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
    }

    /// A studio that answers with the host of a request. `/let-in` has a session, `/refused` is refused by its head.
    private static func start() throws -> Int {
        try StudioListener.start(port: 0) { request, showedToken, body in
            if request.path == "/refused" { return .answer(StudioAnswer(.unauthorized, message: "no")) }
            if request.path == "/let-in", !showedToken() {
                return .answer(StudioAnswer(.serviceUnavailable, message: ""))
            }
            if request.method == "POST" { _ = try? await body() }
            return .answer(StudioAnswer(["host": request.host ?? ""]))
        }
    }

    @Test func `a request that its head condemns is refused before its body has come`() throws {
        let client = try Client(port: try Self.start())
        client.send("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{")
        let answer = try #require(client.answer())
        #expect(answer.hasPrefix("HTTP/1.1 401") && answer.lowercased().contains("connection: close"), "\(answer)")
    }

    @Test func `three hundred connections that drip their requests do not keep a person out`() throws {
        let port = try Self.start()
        let dripping = try (0..<300).map { number in
            let client = try Client(port: port)
            client.send(number % 2 == 0 ? "GET / HT" : "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
            return client
        }
        let person = try Client(port: port)
        person.send("GET /let-in HTTP/1.1\r\nHost: person\r\n\r\n")
        var answer: String?
        for _ in 0..<20 where answer == nil {
            for client in dripping { client.send("x") }
            answer = person.answer(by: MonotonicClock.now() + 1_000_000_000)
        }
        #expect(answer?.hasPrefix("HTTP/1.1 200") == true)
    }

    @Test func `a whole address as a target counts instead of the Host`() throws {
        let port = try Self.start()
        for (target, host) in [
            ("/", "own"), ("http://evil.example:1/a?b", "evil.example:1"), ("http://own/", "own"), ("http:///", ""),
        ] {
            let client = try Client(port: port)
            client.send("GET \(target) HTTP/1.1\r\nHost: own\r\n\r\n")
            let answer = try #require(client.answer())
            #expect(answer.hasSuffix("{\"host\":\"\(host)\"}"), "\(target) \(answer)")
        }
    }
}
