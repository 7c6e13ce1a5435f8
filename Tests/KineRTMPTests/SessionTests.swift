// A whole session with the strict server, without a socket.
import KineMedia
import KineRTMP
import RTMPTesting
import Testing

/// A session and a strict server. The test carries bytes from one to the other.
struct Conversation {
    var session: RTMPSession
    var server: StrictRTMPServer
    var events: [RTMPSession.Event] = []
    let pieces: Int

    init(
        _ address: String = "rtmp://h/app/key?token=a/b", behavior: StrictRTMPServer.Behavior = .accepts,
        pieces: Int = .max,
        wasLive: Bool = false, authentication: PublisherAuthentication? = nil
    ) throws {
        let url = try RTMPURL(address)
        session = RTMPSession(
            url, authentication: authentication ?? PublisherAuthentication(url, challenge: 1), random: [5, 6, 7],
            wasLive: wasLive)
        server = StrictRTMPServer(behavior)
        self.pieces = pieces
    }

    mutating func start() throws { try carry(session.connected(now: 0)) }

    /// Brings what is to be sent to the server, and its answers back, until neither has anything more to say.
    mutating func carry(_ new: [RTMPSession.Event]) throws {
        var waiting = new[...]
        while let event = waiting.popFirst() {
            guard case .send(let bytes) = event else {
                events.append(event)
                continue
            }
            waiting += try send(bytes)
        }
    }

    mutating func send(_ bytes: [UInt8]) throws -> [RTMPSession.Event] {
        var answers: [RTMPSession.Event] = []
        for start in stride(from: 0, to: bytes.count, by: min(pieces, bytes.count)) {
            let end = min(start + min(pieces, bytes.count), bytes.count)
            let answer = try server.receive(bytes[start..<end])
            answers += session.receive(answer, now: 0)
        }
        return answers
    }
}

@Suite struct SessionTests {
    static let format = RTMPStreamFormat(
        video: .init(
            codec: .h264, decoderConfiguration: [1, 100, 0, 31], size: PixelSize(width: 1280, height: 720),
            framesPerSecond: 30),
        audio: .init(
            type: .audioApp, codec: .aac, sampleRate: 48000, channels: 2, bitrate: 160_000,
            configuration: [0x11, 0x90], samplesPerAccessUnit: 1024, primingSamples: 1024))

    @Test(arguments: [1, 1000, Int.max]) func `a whole stream is in order`(pieces: Int) throws {
        var talk = try Conversation(pieces: pieces)
        try talk.start()
        #expect(talk.events == [.accepted])
        #expect(talk.server.streamName == "key?token=a/b")
        #expect(talk.server.connectProperties["app"] == .string("app"))
        #expect(talk.server.connectProperties["tcUrl"] == .string("rtmp://h/app"))
        #expect(talk.server.connectProperties["fourCcList"] == .array([.string("hvc1"), .string("av01")]))
        #expect(talk.server.connectProperties["capsEx"] == .number(1))
        #expect(talk.session.server == "Strict/1")

        _ = try talk.send(talk.session.beginStream(Self.format, timestamp: 3))
        let frame = [UInt8](repeating: 3, count: 150_000)
        let keyframe = frame.withUnsafeBytes { VideoTag.frame(.h264, isKeyframe: true, bytes: $0) }
        _ = try talk.send(talk.session.sample(.init(isVideo: true, isKeyframe: true, time: 10, payload: keyframe)))
        let audio = [UInt8](repeating: 4, count: 300).withUnsafeBytes { AudioTag.audio($0) }
        // Some of the audio before the first frame may come after it.
        _ = try talk.send(talk.session.sample(.init(isVideo: false, isKeyframe: true, time: 5, payload: audio)))
        try talk.carry(talk.session.finish())
        #expect(talk.events == [.accepted, .close])
        try talk.server.expectEnd()
        #expect(talk.server.media.map(\.type) == [18, 9, 8, 9, 8])
        #expect(talk.server.media.map(\.timestamp) == [0, 3, 3, 10, 5])
        #expect(talk.server.media[1].payload == [0x17, 0, 0, 0, 0, 1, 100, 0, 31])
        #expect(talk.server.media[2].payload == [0xAF, 0, 0x11, 0x90])
        #expect(talk.server.media[3].payload == [0x17, 1, 0, 0, 0, 0, 0, 0, 2, 9, 0xF0] + frame)
    }

    @Test func `audio that begins later is announced then`() throws {
        var talk = try Conversation()
        try talk.start()
        var format = Self.format
        format.audio = nil
        _ = try talk.send(talk.session.beginStream(format, timestamp: 3))
        let keyframe = [UInt8](repeating: 3, count: 30).withUnsafeBytes {
            VideoTag.frame(.h264, isKeyframe: true, bytes: $0)
        }
        _ = try talk.send(talk.session.sample(.init(isVideo: true, isKeyframe: true, time: 10, payload: keyframe)))
        _ = try talk.send(talk.session.beginAudio(Self.format, timestamp: 5))
        let audio = [UInt8](repeating: 4, count: 30).withUnsafeBytes { AudioTag.audio($0) }
        _ = try talk.send(talk.session.sample(.init(isVideo: false, isKeyframe: true, time: 505, payload: audio)))
        #expect(talk.server.media.map(\.type) == [18, 9, 9, 18, 8, 8])
        let metadata = try talk.server.media.filter { $0.type == 18 }.map { try StrictAMF.read($0.payload).last }
        #expect(metadata.map { $0?["audiocodecid"] } == [nil, .number(10)])
    }

    @Test func `a new format of the video is announced before its keyframe`() throws {
        var talk = try Conversation()
        try talk.start()
        _ = try talk.send(talk.session.beginStream(Self.format))
        let keyframe = [UInt8](repeating: 3, count: 30).withUnsafeBytes {
            VideoTag.frame(.h264, isKeyframe: true, bytes: $0)
        }
        _ = try talk.send(talk.session.sample(.init(isVideo: true, isKeyframe: true, time: 10, payload: keyframe)))
        var format = Self.format
        format.video?.size = PixelSize(width: 640, height: 480)
        format.video?.decoderConfiguration = [1, 100, 0, 30]
        _ = try talk.send(talk.session.beginVideo(format, timestamp: 2010))
        _ = try talk.send(talk.session.sample(.init(isVideo: true, isKeyframe: true, time: 2010, payload: keyframe)))
        #expect(talk.server.media.map(\.type) == [18, 9, 8, 9, 18, 9, 9])
        #expect(talk.server.media.suffix(3).map(\.timestamp) == [2010, 2010, 2010])
        #expect(try StrictAMF.read(talk.server.media[4].payload).last?["width"] == .number(640))
        #expect(talk.server.media[5].payload == [0x17, 0, 0, 0, 0, 1, 100, 0, 30])
    }

    @Test func `a refused key is final`() throws {
        var talk = try Conversation(
            behavior: .refusesPublish(code: "NetStream.Publish.BadName", description: "no such"))
        try talk.start()
        let failure = try Self.failure(talk)
        #expect(failure.kind == .refused && failure.isFinal)
        #expect(failure.description.contains("no such") && failure.description.contains("stream key"))
    }

    @Test func `a refused key that was accepted before is busy`() throws {
        let behavior = StrictRTMPServer.Behavior.refusesPublish(
            code: "NetStream.Publish.BadName", description: "no such")
        var talk = try Conversation(behavior: behavior, wasLive: true)
        try talk.start()
        #expect(try Self.failure(talk).kind == .busy)
        let other = StrictRTMPServer.Behavior.refusesPublish(
            code: "NetStream.Publish.BadName", description: "Already publishing")
        talk = try Conversation(behavior: other)
        try talk.start()
        #expect(try !Self.failure(talk).isFinal)
    }

    @Test func `a key is never repeated`() throws {
        let behavior = StrictRTMPServer.Behavior.refusesPublish(
            code: "NetStream.Publish.BadName", description: "bad key: key")
        var talk = try Conversation(behavior: behavior)
        try talk.start()
        let words = try Self.failure(talk).description
        #expect(!words.contains("bad key: key") && !words.contains("token"))
    }

    @Test func `a wrong application is final`() throws {
        var talk = try Conversation(behavior: .refusesConnect("unknown application"))
        try talk.start()
        #expect(try Self.failure(talk).kind == .wrongApplication)
    }

    @Test func `a silent server is given up after ten seconds`() throws {
        var talk = try Conversation(behavior: .silent)
        try talk.start()
        #expect(talk.session.deadline == 10_000_000_000)
        #expect(talk.session.tick(now: 9_999_999_999) == [])
        let events = talk.session.tick(now: 10_000_000_000)
        guard case .fail(let failure) = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(failure.kind == .unreachable && !failure.isFinal)
        #expect(talk.session.tick(now: 20_000_000_000) == [])
    }

    @Test func `a connection without a handshake is given up after ten seconds`() throws {
        var session = try Conversation().session
        _ = session.connected(now: 5)
        #expect(session.deadline == 10_000_000_005)
        guard case .fail(let failure) = session.tick(now: 10_000_000_005).first else { return #expect(Bool(false)) }
        #expect(failure.kind == .unreachable)
    }

    @Test func `Adobe's authentication takes three connections`() throws {
        let address = "rtmp://jo:pa%20ss@h/app/key"
        var talk = try Conversation(
            address, behavior: .refusesConnect("[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : "))
        try talk.start()
        guard case .authenticate(let second) = talk.events.last else { return #expect(Bool(false)) }
        #expect(second.suffix == "?authmod=adobe&user=jo")
        let challenge =
            "[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=needauth&user=jo&salt=c2E=&challenge=AAA=&opaque=BBB="
        talk = try Conversation(address, behavior: .refusesConnect(challenge), authentication: second)
        try talk.start()
        guard case .authenticate(let third) = talk.events.last else { return #expect(Bool(false)) }
        #expect(talk.server.connectProperties["app"] == .string("app?authmod=adobe&user=jo"))
        // By hand: base64(md5(base64(md5("jo" + "c2E=" + "pa ss")) + "BBB=" + "00000001")).
        #expect(
            third.suffix == "?authmod=adobe&user=jo&challenge=00000001&response=3fnKFRvgAkiwepigvqY3NQ==&opaque=BBB=")
        talk = try Conversation(address, authentication: third)
        try talk.start()
        #expect(talk.events == [.accepted])
        talk = try Conversation(address, behavior: .refusesConnect(challenge), authentication: third)
        try talk.start()
        #expect(try Self.failure(talk).kind == .unauthorized)
    }

    @Test func `Limelight's authentication is a digest`() throws {
        var authentication = PublisherAuthentication(try RTMPURL("rtmp://jo:pw@h/app/key"), challenge: 0xAB)
        #expect(authentication.refused("[ code=403 need auth; authmod=llnw ]") == .again)
        #expect(authentication.refused("[ authmod=llnw ] : ?reason=needauth&user=jo&nonce=N1=") == .again)
        #expect(
            authentication.suffix
                == "?authmod=llnw&user=jo&nonce=N1=&cnonce=000000ab&nc=00000001&response=6224c6cbb86860ebf653bcbbd1b472fa"
        )
    }

    @Test func `a server that asks for a user names what is missing`() throws {
        var talk = try Conversation(behavior: .refusesConnect("[ code=403 need auth; authmod=adobe ]"))
        try talk.start()
        let failure = try Self.failure(talk)
        #expect(failure.kind == .unauthorized && failure.description.contains("USER:PASSWORD@"))
    }

    @Test func `a request to reconnect says where`() throws {
        for (address, expected) in [
            (nil, "rtmp://h/app/…"), ("rtmp://other:1936/live", "rtmp://other:1936/live/…"),
            ("/second", "rtmp://h/second/…"), ("//b.example/app", "rtmp://b.example/app/…"),
            ("nonsense://", "rtmp://h/app/…"),
        ] {
            var talk = try Conversation()
            try talk.start()
            let request = talk.server.reconnectRequest(address: address)
            guard case .redirect(let url) = talk.session.receive(request, now: 0).first else {
                return #expect(Bool(false), "\(address ?? "")")
            }
            #expect(url.description == expected)
            #expect(url.streamName == "key?token=a/b")
        }
    }

    @Test(arguments: [
        StrictRTMPServer.Behavior.redirectsConnect(to: "rtmp://b/live"), .redirectsPublish(to: "rtmp://b/live"),
        .redirectsPublish(to: "rtmp://b/live/key?token=a/b"), .redirectsConnect(to: "//b/live/key"),
    ]) func `a refusal with code 302 names another address, at connect or later`(
        behavior: StrictRTMPServer.Behavior
    ) throws {
        var talk = try Conversation(behavior: behavior)
        try talk.start()
        guard case .moved(let url) = talk.events.last else { return #expect(Bool(false), "\(talk.events)") }
        #expect(url.serverAddress() == "rtmp://b/live" && url.streamName == "key?token=a/b")
        // The connection is over.
        #expect(talk.session.disconnected() == [] && talk.session.deadline == nil)
    }

    @Test func `a refusal with code 302 that names no usable address is a refusal`() throws {
        for address in ["", "http://b/app", "rtmp://b"] {
            var talk = try Conversation(behavior: .redirectsConnect(to: address))
            try talk.start()
            #expect(try Self.failure(talk).kind == .wrongApplication)
        }
        var secure = try Conversation("rtmps://h/app/key", behavior: .redirectsConnect(to: "rtmp://h/app"))
        try secure.start()
        #expect(try Self.failure(secure).kind == .wrongApplication)
    }

    @Test func `bytes that are not chunks break the protocol`() throws {
        var talk = try Conversation()
        try talk.start()
        let events = talk.session.receive([UInt8](repeating: 0xFF, count: 20), now: 0)
        guard case .fail(let failure) = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(failure.kind == .broken)
        #expect(talk.session.receive([1, 2, 3], now: 0) == [])
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request", "\u{15}\u{3}\u{3}", "\u{16}\u{3}\u{3}"])
    func `another protocol is final if there was no stream before`(answer: String) throws {
        for (wasLive, kind) in [(false, PublishFailure.Kind.configuration), (true, .broken)] {
            var session = try Conversation(wasLive: wasLive).session
            _ = session.connected(now: 0)
            guard case .fail(let failure) = session.receive(Array(answer.utf8), now: 0).first else {
                return #expect(Bool(false))
            }
            #expect(failure.kind == kind)
        }
    }

    @Test func `a connection that ends is lost once, for a reason`() throws {
        var talk = try Conversation()
        try talk.start()
        talk.session.expectAcknowledgement(of: 0, now: 0)
        #expect(talk.session.acknowledged(0, now: StreamAcceptance.settlingTime) == [.live])
        guard case .fail(let failure) = talk.session.disconnected(.init(number: 104, text: "reset")).first else {
            return #expect(Bool(false))
        }
        #expect(failure.kind == .lost && failure.description.contains("reset"))
        #expect(talk.session.disconnected() == [])
    }

    private static func failure(_ talk: Conversation) throws -> PublishFailure {
        let failures = talk.events.compactMap { event in if case .fail(let failure) = event { failure } else { nil } }
        return try #require(failures.last)
    }
}
