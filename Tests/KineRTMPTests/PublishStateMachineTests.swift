// What a server may say at the wrong moment, and which of its words are shown.
import KineRTMP
import RTMPTesting
import Testing

@Suite struct PublishStateMachineTests {
    @Test func `an end at the stream's name is remembered`() throws {
        var machine = try publishing()
        #expect(Self.failure(machine.disconnected())?.description.contains("stream key") == true)
        #expect(machine.endedAtStreamName)
        machine = try publishing()
        #expect(Self.failure(machine.tick(now: PublishStateMachine.answerDeadline))?.kind == .unreachable)
        #expect(machine.endedAtStreamName)
        machine = try publishing()
        #expect(Self.failure(machine.receive(status("X.Y", level: "error"), now: 0))?.kind == .refused)
        #expect(!machine.endedAtStreamName)
        machine = try live()
        #expect(Self.failure(machine.disconnected())?.kind == .lost)
        #expect(!machine.endedAtStreamName)
    }

    @Test func `a stream is live half a second after its first keyframe, if the server has acknowledged that`() throws {
        let half = StreamAcceptance.settlingTime
        var machine = try accepted()
        #expect(machine.acknowledged(5000, now: half) == [] && machine.acknowledged(nil, now: 9 * half) == [])
        machine.expectAcknowledgement(of: 7000, now: 10 * half)
        // Only the first keyframe counts.
        machine.expectAcknowledgement(of: 9000, now: 11 * half)
        #expect(machine.acknowledged(7000, now: 11 * half - 1) == [])
        #expect(machine.acknowledged(6999, now: 11 * half) == [])
        #expect(machine.acknowledged(7000, now: 11 * half) == [.live])
        #expect(machine.state == .live(streamID: 1) && machine.acknowledged(7000, now: 12 * half) == [])
        machine = try accepted()
        machine.expectAcknowledgement(of: 7000, now: 0)
        #expect(machine.acknowledged(nil, now: half) == [.live])
    }

    @Test func `a server that closes before the stream is live has refused it`() throws {
        var machine = try accepted()
        #expect(Self.failure(machine.disconnected())?.code == .closedOnceAccepted)
        #expect(machine.endedAtStreamName)
        machine = try accepted()
        _ = machine.acknowledged(0, now: 2 * StreamAcceptance.settlingTime)
        machine.expectAcknowledgement(of: 7000, now: 2 * StreamAcceptance.settlingTime)
        #expect(Self.failure(machine.disconnected())?.kind == .lost)
        #expect(machine.endedAtStreamName)
        machine = try accepted()
        let ended = status("NetStream.Unpublish.Success", level: "status")
        #expect(Self.failure(machine.receive(ended, now: 0))?.kind == .lost && machine.endedAtStreamName)
        machine = try accepted()
        let refused = status("NetStream.Publish.BadName", level: "error")
        #expect(Self.failure(machine.receive(refused, now: 0))?.kind == .refused && !machine.endedAtStreamName)
        machine = try accepted()
        let busy = status("NetStream.Publish.BadName", level: "error", "Already publishing")
        #expect(Self.failure(machine.receive(busy, now: 0))?.kind == .busy && !machine.endedAtStreamName)
    }

    @Test func `a server that closes because it got nothing for long has refused nothing`() throws {
        var machine = try accepted()
        _ = machine.acknowledged(0, now: StreamAcceptance.settlingTime)
        #expect(Self.failure(machine.disconnected())?.code == .connectionLost(nil))
        #expect(!machine.endedAtStreamName)
        machine = try accepted(wasLive: true)
        #expect(Self.failure(machine.disconnected())?.code == .connectionLost(nil))
    }

    @Test func `the user is not asked to check a key that was accepted before`() throws {
        var machine = try publishing(wasLive: true)
        let failure = Self.failure(machine.disconnected())
        #expect(failure?.kind == .lost && failure?.description.contains("stream key") == false)
    }

    @Test func `an error of a live stream is not final`() throws {
        var machine = try live()
        let failure = Self.failure(machine.receive(status("NetStream.Record.NoAccess", level: "error"), now: 0))
        #expect(failure?.kind == .busy && failure?.isFinal == false)
    }

    @Test func `an unreadable command does not end a live stream`() throws {
        let unreadable = RTMPMessage(kind: .commandAMF0, payload: [0xFF])
        var machine = try publishing()
        #expect(Self.failure(machine.receive(unreadable, now: 0))?.kind == .broken)
        machine = try live()
        #expect(machine.receive(unreadable, now: 0) == [])
        #expect(machine.state == .live(streamID: 1))
    }

    @Test(arguments: [
        String(repeating: "x", count: 195) + "secret-key", "no stream se\u{7}cret-key", "expired: a1b2c3d4",
        String(repeating: "x", count: 5000),
    ]) func `a server's words that may hold a secret are not shown`(words: String) throws {
        var machine = try publishing(server: words)
        #expect(machine.server == nil)
        let failure = Self.failure(machine.receive(status("X.Y", level: "error", words), now: 0))
        #expect(failure?.description == "The server rtmp://h/app/… refused the stream; check the stream key.")
    }

    @Test func `only printable characters of a server's words are shown`() throws {
        var machine = try publishing(server: "Ser\u{1B}ver/1\n" + String(repeating: "2", count: 200))
        #expect(machine.server == "Server/1" + String(repeating: "2", count: 92))
        let failure = Self.failure(machine.receive(status("X.Y", level: "error", "no\tsuch\u{7F}"), now: 0))
        #expect(failure?.description.contains("(“nosuch”)") == true)
    }

    /// The server was told the stream's name, and has not answered.
    private func publishing(wasLive: Bool = false, server: String = "Strict/1") throws -> PublishStateMachine {
        let url = try RTMPURL("rtmp://h/app/secret-key?token=a1b2c3d4")
        var machine = PublishStateMachine(
            url, authentication: PublisherAuthentication(url, challenge: 1), wasLive: wasLive)
        _ = machine.start(now: 0)
        let version = StrictAMF.object([("fmsVer", .string(server))])
        _ = machine.receive(command([.string("_result"), .number(1), version, .null]), now: 0)
        _ = machine.receive(command([.string("_result"), .number(4), .null, .number(1)]), now: 0)
        try #require(machine.state == .publishing(streamID: 1))
        return machine
    }

    private func accepted(wasLive: Bool = false) throws -> PublishStateMachine {
        var machine = try publishing(wasLive: wasLive)
        try #require(
            machine.receive(status("NetStream.Publish.Start", level: "status"), now: 0) == [.accepted])
        return machine
    }

    private func live() throws -> PublishStateMachine {
        var machine = try accepted()
        machine.expectAcknowledgement(of: 0, now: 0)
        try #require(machine.acknowledged(0, now: StreamAcceptance.settlingTime) == [.live])
        return machine
    }

    private func status(_ code: String, level: String, _ description: String = "words") -> RTMPMessage {
        command([
            .string("onStatus"), .number(0), .null,
            .object([
                ("level", .string(level)), ("code", .string(code)), ("description", .string(description)),
            ]),
        ])
    }

    private func command(_ values: [StrictAMF]) -> RTMPMessage {
        RTMPMessage(kind: .commandAMF0, payload: values.flatMap(\.bytes))
    }

    private static func failure(_ actions: [PublishStateMachine.Action]) -> PublishFailure? {
        if case .fail(let failure) = actions.first { failure } else { nil }
    }
}
