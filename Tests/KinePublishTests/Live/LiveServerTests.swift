// The server over real sockets.
import Glibc
import KineMedia
import KinePlatform
import Synchronization
import Testing

@testable import KinePublish

@Suite(.serialized) struct LiveServerTests {
    /// A server, where it listens, and its token's path.
    private static func start(
        _ setupInfo: [String: String] = [:], format: LiveFormat = Samples.format,
        wantsKeyframe: @escaping @Sendable () -> Void = {}
    ) async throws -> (server: LiveServer, port: Int, path: String) {
        let server = try await LiveServer.start(
            LiveSettings(setupInfo: setupInfo), format: format, wantsKeyframe: wantsKeyframe)
        let link = try #require(LiveSettings.parse(link: server.link))
        return (server, link.port, "/\(link.token)/")
    }

    @Test func thePageAndItsFilesComeWithEveryProtection() async throws {
        let (server, port, path) = try await Self.start(["title": "<b>Mine & yours</b>"])
        let page = try await blocking {
            let client = try PlainClient(port: port)
            client.get(path, headers: "Connection: close\r\n")
            let head = try client.head()
            while try client.read(deadline: MonotonicClock.now() + PlainClient.patience) {}
            return head + String(decoding: client.received, as: UTF8.self)
        }
        for expected in [
            "200 OK", "default-src 'none'", "nosniff", "no-referrer", "no-store",
            "<title>&lt;b&gt;Mine &amp; yours&lt;/b&gt;</title>",
        ] {
            #expect(page.contains(expected))
        }
        #expect(!page.contains("{{") && !page.contains("://"), "the page names no other place")
        let statuses = try await blocking {
            try RequestGate.Resource.allCases.map { resource in
                let client = try PlainClient(port: port)
                client.get(path + resource.rawValue, method: "HEAD")
                return try client.head().prefix(12)
            }
        }
        #expect(statuses.allSatisfy { $0 == "HTTP/1.1 200" })
        await server.finish()
    }

    @Test func strangersGetNothing() async throws {
        let (server, port, path) = try await Self.start()
        let (wrongToken, wrongHost, wrongOrigin) = try await blocking {
            func head(_ path: String, host: String = "127.0.0.1", headers: String = "") throws -> String {
                let client = try PlainClient(port: port)
                client.get(path, host: host, headers: headers + "Connection: close\r\n")
                let head = try client.head()
                while try client.read(deadline: MonotonicClock.now() + PlainClient.patience) {}
                return head + String(decoding: client.received, as: UTF8.self)
            }
            return (
                try head("/00000000000000000000000000000000/samples"), try head(path, host: "evil.example"),
                try head(path + "samples", headers: "Origin: http://evil.example\r\n")
            )
        }
        #expect(wrongToken.hasPrefix("HTTP/1.1 404"))
        #expect(wrongHost.hasPrefix("HTTP/1.1 403"))
        #expect(wrongHost.contains("open the link exactly as kinecast printed it"))
        #expect(wrongOrigin.hasPrefix("HTTP/1.1 403"))
        await server.finish()
    }

    @Test func aViewerBeginsAtTheNewestKeyframeAndSeesHowItStands() async throws {
        let (server, port, path) = try await Self.start()
        for number in 0..<15 { server.publish(Samples.picture(number)) }
        let viewer = try await blocking { try RecordClient(port: port, path: path) }
        let first = try await blocking { try (0..<5).map { _ in try #require(try viewer.next()) } }
        #expect(first.map(\.kind) == [0, 7, 1, 5, 2])
        #expect(String(decoding: first[0].content, as: UTF8.self).contains(#""codec":"avc1.640028""#))
        #expect(String(decoding: first[3].content, as: UTF8.self) == #"{"phase":"live"}"#)
        #expect(first[4].isKeyframe && first[4].time == 333_333)
        #expect(first[4].accessUnit == Samples.picture(10).data)
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

    @Test func aSlowViewerGoesOnAtAKeyframeAndSlowsNobody() async throws {
        let asked = Mutex(0)
        let (server, port, path) = try await Self.start(wantsKeyframe: { asked.withLock { $0 += 1 } })
        server.publish(Samples.picture(0))
        let slow = try await blocking { try RecordClient(port: port, path: path, window: 8192) }
        let quick = try await blocking { try RecordClient(port: port, path: path) }
        // Half a second of pictures at a time, each as large as a keyframe of a large screen, until far more has come than
        // is kept for anybody.
        let count = 300
        for start in stride(from: 1, to: count, by: 15) {
            let numbers = start..<min(count, start + 15)
            for number in numbers { server.publish(Samples.picture(number, bytes: 100_000)) }
            let got = try await blocking { () -> [Int64] in
                try numbers.map { _ in
                    var picture = try #require(try quick.picture())
                    if picture.time == 0 { picture = try #require(try quick.picture()) }
                    return picture.time
                }
            }
            #expect(got == numbers.map { Int64($0) * 1_000_000_000 / 30 / 1000 })
        }
        let (before, after) = try await blocking { () -> (Int64, ReadRecord) in
            var last = Int64(-1)
            while let picture = try slow.picture() {
                if last >= 0, picture.time - last > 50_000 { return (last, picture) }
                last = picture.time
            }
            throw PlainClient.Failure(description: "the slow viewer was sent everything")
        }
        #expect(after.isKeyframe)
        #expect(after.time > before)
        #expect(server.droppedPictures > 0)
        await server.finish()
    }

    @Test func twoHundredViewersAllSeeEverything() async throws {
        let (server, port, path) = try await Self.start()
        server.publish(Samples.picture(0))
        let viewers = try await blocking { try (0..<200).map { _ in try RecordClient(port: port, path: path) } }
        #expect(server.viewers == 200)
        // A few at a time, which all have before there are more: however slow the machine is, nobody falls behind.
        for start in stride(from: 0, through: 60, by: 10) {
            let numbers = start..<min(61, start + 10)
            for number in numbers where number > 0 { server.publish(Samples.picture(number, bytes: 2000)) }
            let complete = try await blocking {
                try viewers.count { viewer in
                    try numbers.allSatisfy { try viewer.picture()?.time == Int64($0) * 1_000_000_000 / 30 / 1000 }
                }
            }
            #expect(complete == 200)
        }
        await server.finish()
        #expect(server.viewers == 0)
    }

    @Test func aRestartKeepsTheLink() async throws {
        let (first, _, _) = try await Self.start()
        let link = first.link
        await first.finish()
        let (second, _, _) = try await Self.start(["previousLink": link])
        #expect(second.link == link)
        await second.finish()
    }

    @Test func aPortThatIsTakenIsNamed() async throws {
        let (first, port, _) = try await Self.start()
        let error = await #expect(throws: LiveServer.Error.self) {
            try await Self.start(["listen": "127.0.0.1:\(port)"])
        }
        #expect(error?.description.contains("127.0.0.1:\(port)") == true)
        await first.finish()
    }

    @Test func aNameWithoutAnAddressIsNamed() async throws {
        // Too long for a name (RFC 1035, 2.3.4), so that nobody is asked for it.
        let name = String(repeating: "x", count: 64) + ".invalid"
        let error = await #expect(throws: LiveServer.Error.self) { try await Self.start(["listen": "\(name):0"]) }
        #expect(error?.description.contains("no address is known for that name; set “listen” to") == true)
    }

    @Test func filesThatAreNoCertificateAreNamed() async throws {
        let error = await #expect(throws: LiveServer.Error.self) {
            try await Self.start(["cert": "/nowhere/cert.pem", "key": "/nowhere/key.pem"])
        }
        #expect(error?.description.contains("/nowhere/cert.pem") == true)
    }

    @Test func aSecondSoundIsARecordButNoPartOfTheFile() async throws {
        let format = LiveFormat(video: nil, audio: [Samples.sound(.audioApp), Samples.sound(.audioMic)])
        let (server, port, path) = try await Self.start(format: format)
        let viewer = try await blocking { try RecordClient(port: port, path: path) }
        for type in [SampleType.audioApp, .audioMic] {
            server.publish(
                EncodedSample(type: type, presentationTime: .zero, duration: .zero, isKeyframe: true, data: [1, 2, 3]))
        }
        let kinds = try await blocking { try (0..<5).map { _ in try #require(try viewer.next()).kind } }
        #expect(kinds == [0, 1, 5, 3, 4])
        await server.finish()
    }
}
