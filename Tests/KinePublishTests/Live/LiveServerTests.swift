// The server over real sockets.
import CoreTesting
import FoundationEssentials
import Glibc
import KineLive
import KineMedia
import KinePlatform
import KineText
import Synchronization
import SystemPackage
import Testing

@testable import KinePublish

@Suite(.serialized, .tags(.real)) struct LiveServerTests {
    /// Starts a server. Returns its port and its token too.
    private static func start(
        _ setupInfo: [String: String] = [:], format: LiveFormat = Samples.format,
        wantsKeyframe: @escaping @Sendable () -> Void = {},
        warn: @escaping @Sendable (LiveServer.Warning) -> Void = { _ in }
    ) async throws -> (server: LiveServer, port: Int, token: RandomToken) {
        var events = LiveServer.Events()
        events.wantsKeyframe = wantsKeyframe
        events.warn = warn
        let server = try await LiveServer.start(LiveSettings(setupInfo: setupInfo), format: format, events: events)
        let link = try #require(LiveLinks.parse(page: server.links.page))
        return (server, try #require(link.port), link.token)
    }

    /// A whole answer, read until the connection is closed.
    private static func answer(
        _ path: String, port: Int, host: String = "127.0.0.1", headers: String = "", method: String = "GET"
    ) throws -> String {
        let client = try PlainClient(port: port)
        client.get(path, host: host, headers: headers, method: method)
        let head = try client.head()
        while try client.read(deadline: MonotonicClock.now() + PlainClient.timeout) {}
        return head + "\r\n\r\n" + String(decoding: client.received, as: UTF8.self)
    }

    @Test func `the page and its files have every protection and reveal nothing of the broadcast`() async throws {
        let (server, port, token) = try await Self.start(["title": "Mine and yours"])
        let page = try await blocking { try Self.answer("/", port: port, headers: "Connection: close\r\n") }
        for expected in ["200 OK", "default-src 'none'", "nosniff", "no-referrer", "no-store", "<title>Live screen"] {
            #expect(page.contains(expected))
        }
        #expect(!page.contains("Mine") && !page.contains("://") && !page.contains(token.description))
        let heads = try await blocking {
            try RequestGate.Resource.allCases.map { resource in
                let client = try PlainClient(port: port)
                client.get("/" + resource.rawValue, headers: resource.needsToken ? token.header : "", method: "HEAD")
                return try client.head()
            }
        }
        let protections = [
            "content-security-policy", "cross-origin-opener-policy", "cross-origin-resource-policy", "cache-control",
            "referrer-policy", "x-content-type-options",
        ]
        for head in heads {
            #expect(head.hasPrefix("HTTP/1.1 200") && head.lowercased().contains("cache-control: no-store"))
            let names = head.split(separator: "\r\n").map { $0.prefix { $0 != ":" }.lowercased() }
            #expect(names.filter { protections.contains($0) } == protections)
        }
        await server.finish()
    }

    @Test func `wrong requests get nothing and are disconnected`() async throws {
        let warnings = Mutex<[LiveServer.Warning]>([])
        let (server, port, token) = try await Self.start(warn: { warning in warnings.withLock { $0.append(warning) } })
        let answers = try await blocking {
            // Each is read to the connection's end.
            (
                token: try Self.answer("/samples", port: port, headers: RandomToken().header),
                host: try (0..<2).map { _ in
                    try Self.answer("/samples", port: port, host: "evil.example:\(port)", headers: token.header)
                } + [try Self.answer("http://evil.example:\(port)/samples", port: port, headers: token.header)],
                origin: try Self.answer(
                    "/samples", port: port, headers: token.header + "Origin: http://evil.example\r\n"),
                method: try Self.answer("/", port: port, method: "DELETE")
            )
        }
        #expect(answers.token.hasPrefix("HTTP/1.1 404"))
        #expect(answers.origin.hasPrefix("HTTP/1.1 403"))
        #expect(answers.method.hasPrefix("HTTP/1.1 405") && answers.method.lowercased().contains("allow: get, head"))
        for answer in answers.host {
            // The same answer as for a wrong token: it does not even reveal that there is a broadcast.
            #expect(answer.hasPrefix("HTTP/1.1 404 Not Found\r\n") && answer.hasSuffix("\r\n\r\n"))
        }
        #expect(warnings.withLock { $0 } == [.foreignHost(authority: "evil.example:\(port)", scheme: "http")])
        await server.finish()
    }

    @Test func `a public address is in the link and is answered`() async throws {
        var settings = try LiveSettings(
            setupInfo: ["listen": "8080", "public-url": "https://live.example/a", "player-link": "yes"])
        // Any free port, which cannot be known beforehand.
        settings.listen = .standard
        let server = try await LiveServer.start(settings, format: Samples.format)
        let port = server.port
        let token = try #require(LiveLinks.parse(page: server.links.page)?.token)
        #expect(server.links.page == "https://live.example/a/#\(token)")
        #expect(server.links.player?.hasPrefix("https://live.example/a/") == true)
        let answer = try await blocking {
            try Self.answer(
                "/a/state", port: port, host: "live.example",
                headers: token.header + "Origin: https://live.example\r\nConnection: close\r\n")
        }
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        let moved = try await blocking {
            try Self.answer("/a", port: port, host: "live.example", headers: "Connection: close\r\n")
        }
        #expect(moved.hasPrefix("HTTP/1.1 308") && moved.lowercased().contains("location: a/"))
        await server.finish()
    }

    @Test func `listening for others without TLS is warned about`() async throws {
        let warnings = Mutex<[LiveServer.Warning]>([])
        let (server, _, _) = try await Self.start(
            ["listen": "0.0.0.0:0"], warn: { warning in warnings.withLock { $0.append(warning) } })
        #expect(warnings.withLock { $0 } == [.notEncrypted(host: "0.0.0.0")])
        await server.finish()
    }

    @Test func `a renewed link is the only one, and old viewers are disconnected`() async throws {
        let (server, port, token) = try await Self.start(["player-link": "yes"])
        let old = server.links
        let viewer = try await blocking { try RecordClient(port: port, token: token) }
        let new = server.renewLinks()
        #expect(new == server.links && new.page != old.page && new.player != old.player)
        let isOver = try await blocking {
            while try viewer.next() != nil {}
            return true
        }
        #expect(isOver)
        let fresh = try #require(LiveLinks.parse(page: new.page)?.token)
        let (before, after, player) = try await blocking {
            (
                try Self.answer("/state", port: port, headers: token.header),
                try Self.answer("/state", port: port, headers: fresh.header + "Connection: close\r\n"),
                try Self.answer("/\(try #require(LiveLinks.parse(player: old.player ?? "")))/live.mp4", port: port)
            )
        }
        #expect(before.hasPrefix("HTTP/1.1 404") && player.hasPrefix("HTTP/1.1 404"))
        #expect(after.hasPrefix("HTTP/1.1 200"))
        await server.finish()
    }

    @Test func `viewers are told how many they are and the clock`() async throws {
        let (server, port, token) = try await Self.start()
        server.publish(Samples.frame(0))
        let standing = try await blocking { () -> LiveEdge.Status in
            let viewer = try RecordClient(port: port, token: token)
            while let record = try viewer.next() {
                if record.kind == 6 {
                    return try JSONDecoder().decode(LiveEdge.Status.self, from: Data(record.content))
                }
            }
            throw PlainClient.Failure(description: "no tick came")
        }
        #expect(standing.viewers == 1 && standing.phase == .live && standing.ahead != nil)
        await server.finish()
    }

    @Test func `a viewer begins at the newest keyframe and is told the phase`() async throws {
        let (server, port, token) = try await Self.start()
        for number in 0..<15 { server.publish(Samples.frame(number)) }
        let viewer = try await blocking { try RecordClient(port: port, token: token) }
        let first = try await blocking { try (0..<6).map { _ in try #require(try viewer.next()) } }
        #expect(first.map(\.kind) == [0, 7, 1, 5, 6, 2])
        #expect(String(decoding: first[0].content, as: UTF8.self).contains(#""codec":"avc1.640028""#))
        #expect(String(decoding: first[3].content, as: UTF8.self) == #"{"phase":"live"}"#)
        #expect(first[5].isKeyframe && first[5].time == 333_333)
        #expect(first[5].accessUnit == Samples.frame(10).data)
        server.pause()
        let paused = try await blocking { () -> ReadRecord in
            while let record = try viewer.next() { if record.kind == 5 { return record } }
            throw PlainClient.Failure(description: "no state came")
        }
        #expect(String(decoding: paused.content, as: UTF8.self) == #"{"phase":"paused"}"#)
        #expect(server.viewers == 1)
        async let rest = blocking { () -> [ReadRecord] in
            var records: [ReadRecord] = []
            while let record = try viewer.next() { records.append(record) }
            return records
        }
        await server.finish()
        let last = try await rest.last { $0.kind == 5 }
        #expect(last.map { String(decoding: $0.content, as: UTF8.self) } == #"{"phase":"ended"}"#)
    }

    @Test func `a slow viewer continues at a keyframe and slows nobody`() async throws {
        let asked = Mutex(0)
        let (server, port, token) = try await Self.start(wantsKeyframe: { asked.withLock { $0 += 1 } })
        server.publish(Samples.frame(0))
        let slow = try await blocking { try RecordClient(port: port, token: token, window: 8192) }
        let quick = try await blocking { try RecordClient(port: port, token: token) }
        // Half a second of frames at a time, each as large as a keyframe of a large screen, until there are far more than the
        // history keeps.
        let count = 300
        for start in stride(from: 1, to: count, by: 15) {
            let numbers = start..<min(count, start + 15)
            for number in numbers { server.publish(Samples.frame(number, bytes: 100_000)) }
            let got = try await blocking { () -> [Int64] in
                try numbers.map { _ in
                    var frame = try #require(try quick.frame())
                    if frame.time == 0 { frame = try #require(try quick.frame()) }
                    return frame.time
                }
            }
            #expect(got == numbers.map { Int64($0) * 1_000_000_000 / 30 / 1000 })
        }
        let (before, after) = try await blocking { () -> (Int64, ReadRecord) in
            var last = Int64(-1)
            while let frame = try slow.frame() {
                if last >= 0, frame.time - last > 50_000 { return (last, frame) }
                last = frame.time
            }
            throw PlainClient.Failure(description: "the slow viewer was sent everything")
        }
        #expect(after.isKeyframe)
        #expect(after.time > before)
        #expect(server.droppedFrames > 0)
        await server.finish()
    }

    @Test func `two hundred viewers all get everything`() async throws {
        let (server, port, token) = try await Self.start()
        server.publish(Samples.frame(0))
        let viewers = try await blocking { try (0..<200).map { _ in try RecordClient(port: port, token: token) } }
        #expect(server.viewers == 200)
        // A few at a time, and more only when all viewers have them: nobody falls behind, however slow the machine is.
        for start in stride(from: 0, through: 60, by: 10) {
            let numbers = start..<min(61, start + 10)
            for number in numbers where number > 0 { server.publish(Samples.frame(number, bytes: 2000)) }
            let complete = try await blocking {
                try viewers.count { viewer in
                    try numbers.allSatisfy { try viewer.frame()?.time == Int64($0) * 1_000_000_000 / 30 / 1000 }
                }
            }
            #expect(complete == 200)
        }
        await server.finish()
        #expect(server.viewers == 0)
    }

    @Test func `a restart keeps the links where the port is free`() async throws {
        let (first, port, token) = try await Self.start(["player-link": "yes"])
        let links = first.links
        let setupInfo = [
            "previousLink": links.page, "previousPlayerLink": try #require(links.player), "player-link": "yes",
        ]
        // The port is in use: open pages would send the old tokens to its owner.
        let (other, _, otherToken) = try await Self.start(setupInfo)
        #expect(other.links.page != links.page && otherToken != token)
        #expect(LiveLinks.parse(player: other.links.player ?? "") != LiveLinks.parse(player: links.player ?? ""))
        await other.finish()
        await first.finish()
        let (second, again, _) = try await Self.start(setupInfo)
        #expect(again == port && second.links == links)
        await second.finish()
    }

    @Test func `a port that is in use is named`() async throws {
        let (first, port, _) = try await Self.start()
        await #expect(throws: LiveServer.Error.cannotListen(place: "127.0.0.1:\(port)", .addressInUse)) {
            try await Self.start(["listen": "127.0.0.1:\(port)"])
        }
        await first.finish()
    }

    @Test func `a name without an address is named`() async throws {
        // Too long for a name (RFC 1035, section 2.3.4), so that no name server is asked.
        let name = String(repeating: "x", count: 64) + ".invalid"
        await #expect(throws: LiveServer.Error.hostUnknown(place: "\(name):0")) {
            try await Self.start(["listen": "\(name):0"])
        }
    }

    @Test func `files that are no certificate are named`() async throws {
        await #expect(throws: LiveServer.Error.certificateUnreadable(file: "/nowhere/cert.pem")) {
            try await Self.start(["tls-cert": "/nowhere/cert.pem", "tls-key": "/nowhere/key.pem"])
        }
    }

    @Test func `a second audio track is sent as records but is no part of the file`() async throws {
        let format = LiveFormat(video: nil, audio: [Samples.audio(.audioApp), Samples.audio(.audioMic)])
        let (server, port, token) = try await Self.start(format: format)
        let viewer = try await blocking { try RecordClient(port: port, token: token) }
        for type in [SampleType.audioApp, .audioMic] {
            server.publish(
                EncodedSample(type: type, presentationTime: .zero, duration: .zero, isKeyframe: true, data: [1, 2, 3]))
        }
        let kinds = try await blocking { () -> [UInt8] in
            var kinds: [UInt8] = []
            // Ticks can come at any time.
            while kinds.count < 5, let kind = try viewer.next()?.kind { if kind != 6 { kinds.append(kind) } }
            return kinds
        }
        #expect(kinds == [0, 1, 5, 3, 4])
        await server.finish()
    }
}
