// The sentences that a person reads when publishing fails.
import KineMedia
import KineRTMP
import Testing

@Suite struct FailureSentenceTests {
    private static let address = "rtmps://user:secret@h/app/secret?token=secret"
    private static let system = PublishFailure.SystemError(number: 111, text: "Connection refused")
    /// Every code once.
    private static let codes: [PublishFailure.Code] = [
        .nameUnknown, .nameServersSilent, .addressForbidden, .connectFailed(system), .connectTimedOut,
        .authorityUnreadable(file: "/ca.pem"), .certificateForAnotherName, .certificateUntrusted, .tlsMissing,
        .tlsFailed, .handshakeTimedOut, .handshake(.otherVersion(6)), .handshake(.otherVersion(0x48)),
        .handshake(.otherVersion(0x15)), .chunks(.headerMissing(chunkStream: 3)),
        .chunks(.messageInterrupted(chunkStream: 3)), .chunks(.messageTooLong(5000)), .chunks(.tooManyChunkStreams),
        .chunks(.badChunkSize(0)), .chunks(.tooManyUnfinishedBytes), .command(.truncated), .command(.unknownType(4)),
        .command(.badReference(9)), .command(.tooDeep), .command(.tooManyValues), .connectUnanswered,
        .createStreamUnanswered, .publishUnanswered, .credentialsMissing, .credentialsRefused,
        .applicationRefused(words: "no"), .redirectedTooOften, .streamNotCreated(words: nil),
        .streamRefused(words: "no"),
        .streamBusy(words: "no"), .closedAtStreamName, .closedOnceAccepted, .streamClosed, .streamEnded(words: nil),
        .connectionLost(system), .nothingAcknowledged(seconds: 8), .audioTooSlow, .answersUnread, .networkAway,
        .neverAccepted, .checkTimedOut,
    ]

    @Test func `each failure is one sentence of its own, without a secret, that says what follows`() throws {
        let url = try RTMPURL(Self.address)
        let codes = Self.codes + [.redirectForbidden(to: url)]
        let failures = codes.map { PublishFailure($0, url) }
        #expect(Set(failures.map(\.description)).count == failures.count)
        for failure in failures {
            let sentence = failure.description
            #expect(sentence.hasSuffix(".") && sentence.count { $0 == ";" } == 1 && sentence.first?.isUppercase == true)
            #expect(!sentence.contains("secret") && !"\(failure)".contains("secret"))
            // What is final is not tried again; what is not tried again says so.
            #expect(!failure.isFinal || !sentence.hasSuffix("it is tried again."))
            #expect(!failure.withoutRetry().description.contains("it is tried again"))
        }
    }

    @Test func `each failure has a code, whose values have no secret`() throws {
        let url = try RTMPURL(Self.address)
        for failure in (Self.codes + [.redirectForbidden(to: url)]).map({ PublishFailure($0, url) }) {
            let code = try #require(failure.problem, "\(failure)")
            #expect(!code.values.values.contains { $0.contains("secret") }, "\(failure)")
            #expect(code == code.cleaned { $0 }, "an engine passes it on")
        }
        let refused = try PublishFailure(.connectFailed(Self.system)).problem
        #expect(refused == ProblemCode(.connectFailed, ["host": "h", "port": "1935", "reason": "Connection refused"]))
        let words = try PublishFailure(.streamRefused(words: "no")).problem
        #expect(words == ProblemCode(.streamRefused, ["server": "rtmp://h/app/…", "words": "no"]))
    }

    @Test func `a failure names the server, the system's reason and the server's words`() throws {
        func sentence(_ code: PublishFailure.Code) throws -> String { try PublishFailure(code).description }
        #expect(
            try sentence(.connectFailed(Self.system))
                == "No connection to h, port 1935: Connection refused; check the address and the network.")
        #expect(
            try sentence(.connectionLost(Self.system))
                == "The connection to rtmp://h/app/… was lost: Connection refused; it is tried again.")
        #expect(
            try PublishFailure(.connectionLost(nil)).withoutRetry().description
                == "The connection to rtmp://h/app/… was lost; try again later.")
        #expect(
            try sentence(.streamRefused(words: "no such stream"))
                == "The server rtmp://h/app/… refused the stream (“no such stream”); check the stream key.")
        #expect(
            PublishFailure(.streamRefused(words: nil), try RTMPURL("rtmp://h/live2")).description
                == "The server rtmp://h/… refused the stream; check the address: most servers want "
                + "rtmp://HOST/APPLICATION/STREAM.")
        #expect(try sentence(.handshake(.otherVersion(0x48))).contains("HTTP"))
        #expect(try sentence(.handshake(.otherVersion(0x16))).contains("rtmps://"))
        #expect(try sentence(.handshake(.otherVersion(120))).contains("version 120"))
    }
}
