// What clients and engines of different versions understand of each other: byte by byte what never changes, and made-up
// messages of later versions.
import FoundationEssentials
import KineMedia
import Testing

@testable import KineWire

@Suite struct FrozenMessageTests {
    @Test func `the hello says the protocol's number`() throws {
        #expect(
            json(ControlHello(protocolNumber: ControlProtocol.number)) == #"{"kinecast":1,"protocolNumber":1}"#,
            "a new number needs a reason: see ControlProtocol")
        #expect(json(ControlHello()) == #"{"kinecast":1}"#, "extensions and setup programs have none")
        var decoder = ControlDecoder()
        decoder.append(frame(#"{"kinecast":1,"protocolNumber":7,"colour":"red"}"#))
        let none: ClientMessage? = try decoder.next()
        #expect(none == nil && decoder.hello?.protocolNumber == 7)
    }

    static let requests: [(String, ClientRequest)] = [
        (#"{"id":1,"request":{"status":{}}}"#, .status),
        (#"{"id":1,"request":{"stop":{"immediately":true}}}"#, .stop(immediately: true)),
    ]

    @Test(arguments: requests) func `status and stop are asked for in this form`(line: String, request: ClientRequest)
        throws
    {
        #expect(request.isFrozen)
        #expect(json(ClientMessage(id: 1, request)) == line)
        #expect(try read(line) == [ClientMessage(id: 1, request)])
    }

    private static let progress = {
        var progress = TakeProgress()
        progress.duration = .seconds(3)
        progress.bytes = 5
        return progress
    }()

    private static let progressLine = #"""
        {"bytes":5,"destinations":[],"duration":{"nanoseconds":3000000000},"framesDrawn":0,"framesDropped":0,"framesUnchanged":0}
        """#

    static let messages: [(String, EngineMessage)] = [
        (
            #"{"id":1,"reply":{"status":{"_0":{"id":"0a1b2c3d","output":"/a.mp4","phase":"recording","progress":"#
                + progressLine + #","source":"screen","unmatchedExclusions":[]}}}}"#,
            .answer(
                id: 1,
                .success(
                    .status(
                        TakeStatus(
                            id: "0a1b2c3d", phase: .recording, output: "/a.mp4", source: "screen", progress: progress))
                ))
        ),
        (
            #"{"id":2,"refusal":{"code":"otherVersion","message":"No."}}"#,
            .answer(id: 2, .failure(Refusal(.otherVersion, "No.")))
        ),
        (
            #"{"finished":{"_0":{"isSourceEnded":false,"isStoppedAtDesktop":false,"output":"/a.mp4","progress":"#
                + progressLine + #","reason":"stopped","size":{"height":2,"width":4}}}}"#,
            .event(
                .finished(
                    TakeSummary(
                        output: "/a.mp4", size: PixelSize(width: 4, height: 2), progress: progress, reason: "stopped")))
        ),
        (
            #"{"failed":{"_0":{"exitStatus":69,"message":"There is no display."}}}"#,
            .event(.failed(TakeFailure(exitStatus: 69, message: "There is no display.")))
        ),
    ]

    @Test(arguments: messages)
    func `a status, a refusal and the end of a take are told in this form`(line: String, message: EngineMessage) throws
    {
        #expect(json(message) == line)
        #expect(try read(line) == [message])
        // As a later number may say it, which has other destinations and more keys.
        let later = line.replacing(#""destinations":[]"#, with: #""destinations":[{"number":3}],"colour":"red""#)
            .replacing(#""message":"#, with: #""colour":"red","alternative":"restart","message":"#)
        #expect(later != line)
        #expect(try read(later) == [message])
    }

    @Test(arguments: [
        #"{"clip":{"seconds":5}}"#, #"{"stop":{}}"#, #"{"start":{"_0":{"source":{"camera":{}}}}}"#, "{}",
    ])
    func `an engine can refuse a request that it does not know by its number, and reads on`(request: String) throws {
        #expect(
            try read(#"{"id":7,"request":\#(request)}"#, Self.requests[0].0)
                == [ClientMessage(id: 7, nil), ClientMessage(id: 1, .status)])
    }

    @Test(arguments: [#"{"start":{"_0":{"source":{"pattern":{}}}}}"#, #"{"pause":{}}"#, "{}"])
    func `a request without a number is one of before there were numbers`(line: String) throws {
        #expect(try read(line) == [ClientMessage(id: 0, nil)])
    }

    @Test func `a preset that an engine does not know is refused, not replaced by the default`() throws {
        var take = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        take.video.preset = .slow
        let line = json(ClientMessage(id: 1, .start(take, required: take.required())))
        #expect(try read(line) == [ClientMessage(id: 1, .start(take, required: take.required()))])
        let later = line.replacing(#""preset":"slow""#, with: #""preset":"placebo""#)
        #expect(later != line)
        #expect(try read(later) == [ClientMessage(id: 1, nil)])
    }

    @Test func `a setting that hides something is required, and one that is not known is named`() {
        var take = TakeConfiguration(source: .screen(monitor: nil), output: nil)
        #expect(!take.required().contains("excludedWindows"))
        take.video.excludedWindows = [.titled("secret")]
        take.video.excludeHow = .beneath
        take.isOutputPrivate = true
        #expect(Set(take.required()).isSuperset(of: ["excludedWindows", "isOutputPrivate"]))
        #expect(!take.required().contains("excludeHow"), "without it, windows are covered")
        #expect(take.unknown(among: take.required()) == [])
        #expect(take.unknown(among: ["excludedWindows", "windowsToBlur"]) == ["windowsToBlur"])
    }

    @Test(arguments: [
        #"{"thumbnail":{"_0":"x"}}"#, #"{"warning":{}}"#, #"{"id":1,"reply":{"thumbnail":{}}}"#,
        #"{"destination":{"_0":{"destination":1,"label":"x","kind":{"viewers":{"_0":5}}}}}"#,
    ])
    func `a client skips what it does not know`(line: String) throws {
        #expect(try read(line, #"{"paused":{}}"#) == [EngineMessage.event(.paused)])
    }

    @Test func `a refusal of a kind that is not known keeps its sentence`() throws {
        #expect(
            try read(#"{"id":1,"refusal":{"code":"quota","message":"It is too large."}}"#) == [
                EngineMessage.answer(id: 1, .failure(Refusal(.unavailable, "It is too large.")))
            ])
    }

    private func json(_ message: some Encodable) -> String {
        String(decoding: (try? ControlEncoder.frame(message).dropFirst(4)) ?? [], as: UTF8.self)
    }

    private func frame(_ line: String) -> [UInt8] {
        let length = UInt32(line.utf8.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array(line.utf8)
    }

    private func read<Message: ControlMessage>(_ lines: String...) throws -> [Message] {
        var decoder = ControlDecoder()
        decoder.append(try ControlEncoder.frame(ControlHello()))
        for line in lines { decoder.append(frame(line)) }
        var messages: [Message] = []
        while let message = try decoder.next(Message.self) { messages.append(message) }
        return messages
    }
}
