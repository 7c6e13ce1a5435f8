// Engines and extensions of different versions: recorded messages of the first version, and made-up ones of a later one.
import FoundationEssentials
import KineMedia
import KineRings
import Testing

@testable import KineWire

@Suite struct VersionTests {
    @Test func `recorded requests of the first version mean what they meant`() throws {
        #expect(try read(lines(PackageResources.extension_requests_jsonl)) == RecordedMessages.fromEngines)
    }

    @Test func `recorded reports of the first version mean what they meant`() throws {
        #expect(try read(lines(PackageResources.extension_reports_jsonl)) == RecordedMessages.fromExtensions)
    }

    @Test func `recorded messages of a setup program mean what they meant`() throws {
        #expect(try read(lines(PackageResources.setup_requests_jsonl)) == RecordedSetupMessages.requests)
        #expect(try read(lines(PackageResources.setup_reports_jsonl)) == RecordedSetupMessages.reports)
    }

    @Test
    func `a client skips what only a later setup program says, and an older program learns what it does not know`()
        throws
    {
        let login = #"{"login":{"_0":"https://a"}}"#
        #expect(try read([#"{"mood":{"_0":"good"}}"#, #"{"ask":{}}"#, login]) == [SetupReport.login("https://a")])
        #expect(try read([#"{"hurry":{}}"#, #"{"cancel":{}}"#]) == [SetupRequest.unknown("hurry"), .cancel])
    }

    @Test(arguments: [#"{"mood":{"_0":"good"}}"#, #"{"live":{}}"#, #"{"live":{"_0":"yes"}}"#, "{}"])
    func `an engine skips a report that it does not know`(json: String) throws {
        #expect(try read([json, #"{"heartbeat":{}}"#]) == [ExtensionReport.heartbeat])
    }

    @Test func `a desktop's request of a later version keeps its number, and a later reason is a failure`() throws {
        let later = #"{"desktop":{"_0":{"number":7,"task":{"sing":{"_0":"a"}}}}}"#
        #expect(try read([later]) == [ExtensionReport.desktop(DesktopRequest(number: 7, task: .unknown))])
        let failed = #"{"desktop":{"_0":{"failed":{"_0":{"code":"tired","message":"m"},"number":7}}}}"#
        #expect(try read([failed]) == [ExtensionRequest.desktop(.failed(DesktopFailure(.failed, "m"), number: 7))])
    }

    @Test(arguments: [(#"{"blink":{}}"#, "blink"), (#"{"start":{"_0":{}}}"#, "start")])
    func `an extension learns that it does not know a request, and reads on`(json: String, name: String) throws {
        let known = #"{"pause":{"after":{"frames":1,"samples":2,"pictures":3},"because":"x"}}"#
        #expect(
            try read([json, known])
                == [.unknown(name), ExtensionRequest.pause(after: StreamPosition(samples: 2, frames: 1))])
    }

    @Test func `audio of a later version is left out of a start`() throws {
        let recorded = try #require(lines(PackageResources.extension_requests_jsonl).first)
        let audio = #""audio":["#
        let later = recorded.replacing(
            audio, with: audio + #"{"type":"audioMusic","form":"aac"},{"type":"audioMic","form":"opus","rate":1},"#)
        #expect(later != recorded)
        #expect(try read([later]) == [RecordedMessages.fromEngines[0]])
    }

    private func lines(_ file: [UInt8]) -> [String] {
        String(decoding: file, as: UTF8.self).split(separator: "\n").map(String.init)
    }

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
