// A whole session, carried by hand between its two ends.
import KineRTMP
import RTMPTesting
import Testing

/// A session and a strict server, their bytes carried between them by hand.
struct Conversation {
    var session: RTMPSession
    var server: StrictRTMPServer
    var events: [RTMPSession.Event] = []
    let pieces: Int

    init(
        _ address: String = "rtmp://h/app/key?token=a/b", mood: StrictRTMPServer.Mood = .content, pieces: Int = .max,
        wasLive: Bool = false, authentication: PublisherAuthentication? = nil
    ) throws {
        let url = try RTMPURL(address)
        session = RTMPSession(
            url, authentication: authentication ?? PublisherAuthentication(url, challenge: 1), random: [5, 6, 7],
            wasLive: wasLive)
        server = StrictRTMPServer(mood)
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
            codec: .h264, decoderConfiguration: [1, 100, 0, 31], width: 1280, height: 720, framesPerSecond: 30),
        audio: .init(specificConfiguration: [0x11, 0x90], sampleRate: 48000, channels: 2, bitrate: 160_000))

    @Test(arguments: [1, 1000, Int.max]) func aWholeStreamIsInOrder(pieces: Int) throws {
        var talk = try Conversation(pieces: pieces)
        try talk.start()
        #expect(talk.events == [.live])
        #expect(talk.server.streamName == "key?token=a/b")
        #expect(talk.server.connectProperties["app"] == .string("app"))
        #expect(talk.server.connectProperties["tcUrl"] == .string("rtmp://h/app"))
        #expect(talk.server.connectProperties["fourCcList"] == .array([.string("hvc1"), .string("av01")]))
        #expect(talk.server.connectProperties["capsEx"] == .number(1))
        #expect(talk.session.server == "Strict/1")

        _ = try talk.send(talk.session.beginStream(Self.format, timestamp: 3))
        let picture = [UInt8](repeating: 3, count: 150_000)
        let keyframe = picture.withUnsafeBytes { VideoTag.picture(.h264, isKeyframe: true, bytes: $0) }
        _ = try talk.send(talk.session.video(keyframe, timestamp: 10))
        let sound = [UInt8](repeating: 4, count: 300).withUnsafeBytes { AudioTag.sound($0) }
        // Of sound that belongs before the first picture, some may come after it.
        _ = try talk.send(talk.session.audio(sound, timestamp: 5))
        try talk.carry(talk.session.finish())
        #expect(talk.events == [.live, .close])
        try talk.server.expectEnd()
        #expect(talk.server.media.map(\.type) == [18, 9, 8, 9, 8])
        #expect(talk.server.media.map(\.timestamp) == [0, 3, 3, 10, 5])
        #expect(talk.server.media[1].payload == [0x17, 0, 0, 0, 0, 1, 100, 0, 31])
        #expect(talk.server.media[2].payload == [0xAF, 0, 0x11, 0x90])
        #expect(talk.server.media[3].payload == [0x17, 1, 0, 0, 0, 0, 0, 0, 2, 9, 0xF0] + picture)
    }

    @Test func aRefusedKeyIsFinal() throws {
        var talk = try Conversation(mood: .refusesPublish(code: "NetStream.Publish.BadName", description: "no such"))
        try talk.start()
        let failure = try Self.failure(talk)
        #expect(failure.kind == .refused && failure.isFinal)
        #expect(failure.description.contains("no such") && failure.description.contains("stream key"))
    }

    @Test func aKeyThatWasTakenBeforeIsBusyOnly() throws {
        let mood = StrictRTMPServer.Mood.refusesPublish(code: "NetStream.Publish.BadName", description: "no such")
        var talk = try Conversation(mood: mood, wasLive: true)
        try talk.start()
        #expect(try Self.failure(talk).kind == .busy)
        let other = StrictRTMPServer.Mood.refusesPublish(
            code: "NetStream.Publish.BadName", description: "Already publishing")
        talk = try Conversation(mood: other)
        try talk.start()
        #expect(try !Self.failure(talk).isFinal)
    }

    @Test func aKeyIsNeverRepeated() throws {
        let mood = StrictRTMPServer.Mood.refusesPublish(code: "NetStream.Publish.BadName", description: "bad key: key")
        var talk = try Conversation(mood: mood)
        try talk.start()
        let words = try Self.failure(talk).description
        #expect(!words.contains("bad key: key") && !words.contains("token"))
    }

    @Test func aWrongApplicationIsFinal() throws {
        var talk = try Conversation(mood: .refusesConnect("unknown application"))
        try talk.start()
        #expect(try Self.failure(talk).kind == .wrongApplication)
    }

    @Test func whoIsSilentIsGivenUpAfterTenSeconds() throws {
        var talk = try Conversation(mood: .silent)
        try talk.start()
        #expect(talk.session.deadline == 10_000_000_000)
        #expect(talk.session.tick(now: 9_999_999_999) == [])
        let events = talk.session.tick(now: 10_000_000_000)
        guard case .fail(let failure) = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(failure.kind == .unreachable && !failure.isFinal)
        #expect(talk.session.tick(now: 20_000_000_000) == [])
    }

    @Test func aConnectionThatIsTakenAndNotAnsweredIsGivenUp() throws {
        var session = try Conversation().session
        _ = session.connected(now: 5)
        #expect(session.deadline == 10_000_000_005)
        guard case .fail(let failure) = session.tick(now: 10_000_000_005).first else { return #expect(Bool(false)) }
        #expect(failure.kind == .unreachable)
    }

    @Test func adobesAuthenticationTakesThreeConnections() throws {
        let address = "rtmp://jo:pa%20ss@h/app/key"
        var talk = try Conversation(
            address, mood: .refusesConnect("[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : "))
        try talk.start()
        guard case .authenticate(let second) = talk.events.last else { return #expect(Bool(false)) }
        #expect(second.suffix == "?authmod=adobe&user=jo")
        let challenge =
            "[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=needauth&user=jo&salt=c2E=&challenge=AAA=&opaque=BBB="
        talk = try Conversation(address, mood: .refusesConnect(challenge), authentication: second)
        try talk.start()
        guard case .authenticate(let third) = talk.events.last else { return #expect(Bool(false)) }
        #expect(talk.server.connectProperties["app"] == .string("app?authmod=adobe&user=jo"))
        // By hand: base64(md5(base64(md5("jo" + "c2E=" + "pa ss")) + "BBB=" + "00000001")).
        #expect(
            third.suffix == "?authmod=adobe&user=jo&challenge=00000001&response=3fnKFRvgAkiwepigvqY3NQ==&opaque=BBB=")
        talk = try Conversation(address, authentication: third)
        try talk.start()
        #expect(talk.events == [.live])
        talk = try Conversation(address, mood: .refusesConnect(challenge), authentication: third)
        try talk.start()
        #expect(try Self.failure(talk).kind == .unauthorized)
    }

    @Test func limelightsAuthenticationIsADigest() throws {
        var authentication = PublisherAuthentication(try RTMPURL("rtmp://jo:pw@h/app/key"), challenge: 0xAB)
        #expect(authentication.refused("[ code=403 need auth; authmod=llnw ]") == .again)
        #expect(authentication.refused("[ authmod=llnw ] : ?reason=needauth&user=jo&nonce=N1=") == .again)
        #expect(
            authentication.suffix
                == "?authmod=llnw&user=jo&nonce=N1=&cnonce=000000ab&nc=00000001&response=6224c6cbb86860ebf653bcbbd1b472fa"
        )
    }

    @Test func aUserIsAskedForOnlyWhereTheServerDoes() throws {
        var talk = try Conversation(mood: .refusesConnect("[ code=403 need auth; authmod=adobe ]"))
        try talk.start()
        let failure = try Self.failure(talk)
        #expect(failure.kind == .unauthorized && failure.description.contains("USER:PASSWORD@"))
    }

    @Test func aRequestToReconnectSaysWhere() throws {
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

    @Test func whatIsNotChunksIsNamed() throws {
        var talk = try Conversation()
        try talk.start()
        let events = talk.session.receive([UInt8](repeating: 0xFF, count: 20), now: 0)
        guard case .fail(let failure) = events.first else { return #expect(Bool(false), "\(events)") }
        #expect(failure.kind == .broken)
        #expect(talk.session.receive([1, 2, 3], now: 0) == [])
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request", "\u{15}\u{3}\u{3}", "\u{16}\u{3}\u{3}"])
    func anotherProtocolIsFinalWhereNoStreamWasBefore(answer: String) throws {
        for (wasLive, kind) in [(false, PublishFailure.Kind.configuration), (true, .broken)] {
            var session = try Conversation(wasLive: wasLive).session
            _ = session.connected(now: 0)
            guard case .fail(let failure) = session.receive(Array(answer.utf8), now: 0).first else {
                return #expect(Bool(false))
            }
            #expect(failure.kind == kind)
        }
    }

    @Test func aConnectionThatEndsIsLostOnce() throws {
        var talk = try Conversation()
        try talk.start()
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
