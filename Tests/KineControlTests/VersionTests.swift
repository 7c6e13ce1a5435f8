// Messages of other versions: recorded ones of the first, and made-up ones of a later one.
import FoundationEssentials
import KineMedia
import KinePlatform
import Testing

@testable import KineControl
@testable import KineRelay

@Suite struct VersionTests {
    @Test func `recorded requests of the first version mean what they meant`() throws {
        #expect(try read(PackageResources.client_messages_jsonl) == RecordedMessages.fromClients)
    }

    @Test func `recorded engine messages of the first version mean what they meant`() throws {
        #expect(try read(PackageResources.engine_messages_jsonl) == RecordedMessages.fromEngines)
    }

    @Test func `a recorded entry of the registry is still read`() throws {
        let line = #"{"id":"0a1b2c3d","output":"\/tmp\/a.mp4","pid":17,"source":"screen","started":1700000000.5}"#
        let record = try JSONDecoder().decode(TakeRecord.self, from: Data(line.utf8))
        #expect(
            record
                == TakeRecord(id: "0a1b2c3d", pid: 17, output: "/tmp/a.mp4", source: "screen", started: 1_700_000_000.5)
        )
    }

    @Test(arguments: [
        (#"{"clip":{"seconds":5}}"#, "clip"), (#"{"stop":{}}"#, "stop"), (#"{"stop":{"immediately":"soon"}}"#, "stop"),
        (#"{"start":{"_0":{"source":{"camera":{}}}}}"#, "start"), ("{}", ""),
    ])
    func `an engine can refuse a request that it does not know, and reads on`(json: String, name: String) throws {
        #expect(try read(json, #"{"pause":{}}"#) == [.unknown(name), ClientMessage.pause])
    }

    @Test func `a preset that an engine does not know is refused, not replaced by the default`() throws {
        let recorded = try #require(lines(PackageResources.client_messages_jsonl).first { $0.contains("preset") })
        let later = recorded.replacing(#""preset":"slow""#, with: #""preset":"placebo""#)
        #expect(later != recorded)
        #expect(try read(later) == [ClientMessage.unknown("start")])
    }

    @Test func `a failure of a clip that a later version knows is unknown, and its sentence is kept`() throws {
        let json = #"{"clip":{"_0":{"id":1,"result":{"failed":{"_0":{"code":"quota","message":"It is too large."}}}}}}"#
        #expect(
            try read(json) == [
                EngineMessage.clip(ClipAnswer(id: 1, result: .failed(ClipFailure(.unknown, "It is too large."))))
            ])
    }

    @Test func `a key that is not known is ignored`() throws {
        #expect(try read(#"{"stop":{"immediately":true,"reason":"late"}}"#) == [ClientMessage.stop(immediately: true)])
    }

    @Test(arguments: [
        #"{"thumbnail":{"_0":"x"}}"#, #"{"warning":{}}"#,
        #"{"destination":{"_0":{"destination":1,"label":"x","kind":{"viewers":{"_0":5}}}}}"#,
    ])
    func `a client skips an engine message that it does not know`(json: String) throws {
        #expect(try read(json, #"{"paused":{}}"#) == [EngineMessage.paused])
    }

    @Test func `a phase of a later version is unknown`() throws {
        let event = #"{"destination":{"_0":{"destination":1,"label":"x","kind":{"phase":{"_0":"uploading"}}}}}"#
        #expect(
            try read(event) == [
                EngineMessage.destination(DestinationEvent(destination: 1, label: "x", kind: .phase(.unknown)))
            ])
    }

    /// A client must learn that its take has finished, whatever a later engine says of the destinations.
    @Test func `a summary of a later version is read with what is known of it`() throws {
        let recorded = try #require(
            lines(PackageResources.engine_messages_jsonl).first {
                $0.hasPrefix(#"{"finished"#) && $0.contains("landlock")
            })
        let later = recorded.replacing(#""finished":{}}"#, with: #""evicted":{"_0":"quota"}}"#)
            .replacing(#""landlock""#, with: #""landlock","memory-tagging""#)
            .replacing(#""phase":"starting""#, with: #""phase":"uploading","colour":"red""#)
        #expect(later != recorded)
        let messages: [EngineMessage] = try read(later)
        guard case .finished(let summary)? = messages.first else {
            Issue.record("it was skipped")
            return
        }
        #expect(summary.destinations.count == 12 && summary.destinations[1].phase == .unknown)
        #expect(summary.destinations[7].confinement == [.landlock])
        guard case .failed? = summary.destinations[7].ending else {
            Issue.record("only a destination that finished has succeeded")
            return
        }
        #expect(summary.exitStatus == ExitStatus.destinationFailed)
    }

    @Test func `a status of a later version is read with what is known of it`() throws {
        let recorded = try #require(lines(PackageResources.engine_messages_jsonl).first { $0.hasPrefix(#"{"status"#) })
        let later = recorded.replacing(#""phase":"recording""#, with: #""phase":"rewinding""#)
        let messages: [EngineMessage] = try read(later)
        guard case .status(let status)? = messages.first else {
            Issue.record("it was skipped")
            return
        }
        #expect(status.phase == .unknown && status.destinations.count == 12)
    }

    private func lines(_ file: [UInt8]) -> [String] {
        String(decoding: file, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func read<Message: ControlMessage>(_ file: [UInt8]) throws -> [Message] { try read(lines(file)) }

    private func read<Message: ControlMessage>(_ lines: String...) throws -> [Message] { try read(lines) }

    private func read<Message: ControlMessage>(_ lines: [String]) throws -> [Message] {
        var decoder = ControlDecoder()
        decoder.append(try ControlEncoder.frame(ControlHello()))
        for line in lines {
            let length = UInt32(line.utf8.count)
            decoder.append((0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + Array(line.utf8))
        }
        var messages: [Message] = []
        while let message = try decoder.next(Message.self) { messages.append(message) }
        return messages
    }
}
