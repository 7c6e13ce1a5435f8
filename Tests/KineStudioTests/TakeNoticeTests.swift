// Codes of sentences on their way to pages, and what is no problem.
import KineClient
import KineContainers
import KineMedia
import KinePlatform
import KineWire
import SystemPackage
import Testing

@testable import KineStudio

@Suite struct TakeNoticeTests {
    private let inbox = Mailbox<StudioLoop.Message>()
    private static let diskFull = ProblemCode(.diskFull, ["file": "/a.mp4"])

    /// The notices that a page gets from a studio.
    private func notices(_ body: (Studio) -> Void) async -> [String] {
        let studio = Studio(inbox, choices: KeptChoice(in: nil))
        body(studio)
        let connection = studio.hub.connect(after: nil, greeting: EventLog.Event(id: nil, type: "clock", data: "0"))
        connection.end()
        var notices: [String] = []
        for await text in connection.stream where text.contains("event: notice\n") { notices.append(text) }
        return notices
    }

    @Test func `a take's failure, its warnings and its destinations' have their codes`() {
        let status = {
            var status = DestinationStatus(destination: 0, service: "rtmp", label: "h", phase: .ended)
            status.code = ProblemCode(.streamRefused, ["server": "h"])
            return status
        }()
        func destination(_ kind: DestinationEvent.Kind, code: ProblemCode? = nil) -> EngineEvent {
            .destination(DestinationEvent(destination: 0, label: "h", kind: kind, code: code, status: status))
        }
        let events: [(EngineEvent, String?)] = [
            (.failed(TakeFailure(exitStatus: 74, message: "Full.", problem: Self.diskFull)), "diskFull"),
            (.failed(TakeFailure(exitStatus: 69, message: "No.")), nil),
            (.warning("Full.", code: Self.diskFull), "diskFull"), (.warning("Odd."), nil),
            (.sourceInterrupted(SourceInterruption(.monitorGone, monitor: "DP-1")), "monitorGone"),
            (destination(.warning("It is slow.")), nil),
            (destination(.warning("Away."), code: ProblemCode(.connectTimedOut)), "connectTimedOut"),
            (destination(.ended(.failed("No."))), "streamRefused"),
        ]
        for (event, code) in events {
            let notice = TakeNotice(event, take: "a")
            #expect(notice?.text != nil && notice?.code == code, "\(event)")
        }
        #expect(TakeNotice(events[0].0, take: "a")?.values == ["file": "/a.mp4"])
    }

    @Test func `what the person cancelled is shown nowhere, and another failure with its code`() async {
        let cancelled = ProblemCode(.cancelled)
        let shown = await notices { studio in
            let failure = TakeFailure(exitStatus: 77, message: "The answer was no.", problem: cancelled)
            if let notice = TakeNotice(.failed(failure), take: "a") { studio.add(notice) }
            studio.add(TakeNotice(kind: .failed, text: "The answer was no.", cancelled))
            studio.add(TakeNotice(kind: .failed, take: "a", text: "Full.", Self.diskFull))
        }
        #expect(shown.count == 1 && shown[0].contains(#""code":"diskFull""#), "\(shown)")
        #expect(shown.first?.contains(#""values":{"file":"/a.mp4"}"#) == true)
    }

    @Test func `an answer has the code of its sentence, which an engine or a file system gave, and no other`() throws {
        func answer(_ error: any Error) -> String { StudioAnswer(StudioProblem(error)).text }
        #expect(answer(StudioProblem(.conflict, "Odd.")) == #"{"message":"Odd."}"#)
        #expect(answer(StudioProblem.gone).contains(#""code":"recordingGone""#))
        let taken = answer(StorageError.alreadyExists(path: "/v/a.mp4"))
        #expect(taken.hasPrefix(#"{"code":"nameInUse","message":"/v/a.mp4 exists"#), "\(taken)")
        #expect(taken.hasSuffix(#""values":{"file":"/v/a.mp4"}}"#), "\(taken)")
        let gone = Refusal(.unavailable, "Gone.", problem: ProblemCode(.windowGone))
        #expect(answer(ClientError.refused(gone)).contains(#""code":"windowGone""#))
        #expect(answer(ClientError.refused(Refusal(.notPermitted, "No."))).contains(#""code":"notPermitted""#))
        #expect(!answer(ClientError.refused(Refusal(.unavailable, "No."))).contains("code"))
        #expect(answer(ClientError.takeIsOver).contains(#""code":"takeIsOver""#))
        #expect(answer(ClientError.recovery(.storage(.full(path: "/a")))).contains(#""code":"diskFull""#))
    }

    @Test func `each code is documented, and no other`() throws {
        let checkout = (0..<3).reduce(into: FilePath(#filePath)) { path, _ in path.removeLastComponent() }
        let bytes = PrivateDirectory.contents(of: checkout.appending("docs/json-events.md"), limit: 1 << 20) ?? []
        let text = String(decoding: bytes, as: UTF8.self)
        let codes = try #require(text.components(after: "## Codes of problems"))
        let named = codes.matches(of: #/\n\| `(\w+)`/#).map { String($0.1) }
        #expect(Set(named) == Set(ProblemCode.Name.allCases.map(\.rawValue)) && named.count == Set(named).count)
    }
}

extension String {
    /// The part after these words, up to the next heading; nil: they are not there.
    fileprivate func components(after words: String) -> Substring? {
        guard let start = firstRange(of: words)?.upperBound else { return nil }
        let rest = self[start...]
        return rest[..<(rest.firstRange(of: "\n## ")?.lowerBound ?? rest.endIndex)]
    }
}
