// A take for `status --json` and for the studio's pages.
import FoundationEssentials
import KineMedia
import Testing

@testable import KineTakes
@testable import KineWire

@Suite struct TakeSnapshotTests {
    private static let record = TakeRecord(id: "abcdefgh", pid: 7, output: "/tmp/a.mp4", source: "screen", started: 5)

    private func status(
        _ phase: TakePhase, output: String? = "/tmp/a.mp4", _ change: (inout TakeStatus) -> Void = { _ in }
    ) -> TakeStatus {
        var progress = TakeProgress()
        (progress.duration, progress.bytes, progress.framesDrawn) = (.seconds(2), 100, 60)
        var status = TakeStatus(id: "abcdefgh", phase: phase, output: output, source: "monitor A", progress: progress)
        change(&status)
        return status
    }

    private func json(_ snapshot: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(snapshot), as: UTF8.self)
    }

    private func destination(_ phase: DestinationPhase, _ ending: DestinationEnding? = nil) -> DestinationStatus {
        var status = DestinationStatus(destination: 0, service: "rtmp", label: "h/app", phase: phase)
        (status.ending, status.problem) = (ending, "The server is full.")
        return status
    }

    @Test func `a listed take has its counts, and a page's take the instant from which its time goes on`() throws {
        let status = status(.recording) {
            ($0.isMicrophoneOn, $0.camera) = (false, .init(device: "default", layout: .init()))
            $0.sourceName = "DELL"
        }
        let view = TakeView(Self.record, status, at: 3_000_000_000)
        let common =
            #""id":"abcdefgh","microphone":false,"output":"/tmp/a.mp4","phase":"recording","pid":7,"#
        let layout = try json(CameraLayout())
        #expect(
            try json(TakeSnapshot(view, counts: status.progress))
                == #"{"bytes":100,"camera":"default","cameraLayout":\#(layout),"destinations":[],"duration":2,"#
                + #""framesDrawn":60,"framesDropped":0,"framesUnchanged":0,\#(common)"source":"monitor A","sourceName":"DELL","started":5}"#
        )
        #expect(
            try json(TakeSnapshot(view))
                == #"{"camera":"default","cameraLayout":\#(layout),"destinations":[],"duration":2,"#
                + #"\#(common)"runsSince":3,"source":"monitor A","sourceName":"DELL","started":5}"#)
        #expect(
            try json(TakeSnapshot(Self.record, "silent"))
                == #"{"id":"abcdefgh","output":"/tmp/a.mp4","phase":"silent","pid":7,"source":"screen","sourceName":"screen","started":5}"#
        )
    }

    @Test func `a source has the engine's name, the registry's where that is withheld, and the newest after a switch`()
    {
        var record = Self.record
        record.sourceName = "Window"
        var view = TakeView(record)
        #expect(view.sourceName == "Window" && TakeSnapshot(record, "silent").sourceName == "Window")
        view.received(.answer(id: 1, .success(.status(status(.starting)))), at: 0)
        #expect(TakeSnapshot(view).sourceName == "Window", "a status without a name")
        var started = TakeStarted(id: "", output: nil, size: PixelSize(width: 2, height: 2), environment: [])
        started.sourceName = "Notes — XTerm"
        view.received(.event(.started(started)), at: 0)
        #expect(TakeSnapshot(view).sourceName == "Notes — XTerm")
        view.received(.event(.sourceSwitched(.window(7), name: "Mail — XTerm")), at: 0)
        #expect(view.sourceName == "Mail — XTerm")
        view.received(.event(.sourceSwitched(.virtual(PixelSize(width: 2, height: 2)))), at: 0)
        #expect(view.sourceName == "Private screen 2×2", "an engine without names, or a guest without permission")
        #expect(TakeView(Self.record).sourceName == "screen", "an older engine's")
    }

    @Test func `a program without permission gets no title of a window`() throws {
        let named = status(.recording) { $0.sourceName = "Secret" }
        var started = TakeStarted(id: "", output: nil, size: PixelSize(width: 2, height: 2), environment: [])
        started.sourceName = "Secret"
        let messages: [EngineMessage] = [
            .answer(id: 1, .success(.status(named))), .event(.started(started)),
            .event(.sourceSwitched(.window(7), name: "Secret")),
        ]
        for message in messages {
            let shown = try #require(message.withoutLinks("why"))
            #expect(try !json(shown).contains("Secret"), "\(shown)")
        }
    }

    @Test func `what changes all the time makes no new snapshot without counts, and all else does`() {
        func snapshot(_ change: (inout DestinationStatus) -> Void = { _ in }) -> TakeSnapshot {
            var destination = destination(.live)
            change(&destination)
            return TakeSnapshot(TakeView(Self.record, status(.recording) { $0.destinations = [destination] }, at: 0))
        }
        let before = snapshot()
        let counted = snapshot {
            ($0.statistics.bytes, $0.residentMemory, $0.peakMemory, $0.framesSkipped) = (9, 9, 9, 9)
            ($0.audioLost, $0.secondsSinceHeartbeat, $0.statistics.connection) = (1, 1, ConnectionStatistics())
        }
        #expect(before == counted)
        for change: (inout DestinationStatus) -> Void in [
            { $0.phase = .reconnecting }, { $0.link = "http://h/" }, { $0.problem = nil }, { $0.isRemoved = true },
            { $0.restarts = 1 }, { $0.ending = .finished }, { $0.reach = .network },
        ] { #expect(snapshot(change) != before) }
    }

    @Test func `a page learns how far a link leads`() throws {
        var live = destination(.live)
        #expect(try !json(DestinationSnapshot(live)).contains("reach"))
        live.reach = .public
        #expect(try json(DestinationSnapshot(live, hasCounts: false)).contains(#""reach":"public""#))
    }

    @Test func `a take without a file broadcasts, from its first frame to its end`() {
        func phase(_ phase: TakePhase, output: String?, _ destinations: [DestinationStatus]) -> String {
            let record = TakeRecord(id: "abcdefgh", pid: 7, output: output, source: "screen", started: 5)
            let status = status(phase, output: output) { $0.destinations = destinations }
            return TakeSnapshot(TakeView(record, status, at: 0)).phase
        }
        #expect(phase(.recording, output: nil, [destination(.live)]) == "broadcasting")
        #expect(phase(.recording, output: nil, []) == "recording")
        #expect(phase(.recording, output: "-", [destination(.live)]) == "recording")
        #expect(phase(.starting, output: nil, [destination(.starting)]) == "starting")
        #expect(phase(.paused, output: nil, [destination(.live)]) == "paused")
        #expect(phase(.ended, output: nil, [destination(.ended)]) == "ended")
    }

    @Test func `a take that has ended without a file names none`() {
        var view = TakeView(Self.record, status(.recording), at: 0)
        view.received(.event(.failed(TakeFailure(exitStatus: 1, message: "No."))), at: 1)
        let snapshot = TakeSnapshot(view)
        #expect(snapshot.output == nil && snapshot.phase == "ended" && !snapshot.isOpen)
    }

    @Test func `a destination says why it is not live, and how it ended if not as it should`() throws {
        func problem(_ status: DestinationStatus) throws -> String? {
            struct Line: Decodable { let problem: String? }
            return try JSONDecoder().decode(Line.self, from: JSONEncoder().encode(DestinationSnapshot(status))).problem
        }
        #expect(try problem(destination(.reconnecting)) == "The server is full.")
        #expect(try problem(destination(.ended, .finished)) == nil)
        #expect(try problem(destination(.ended, .crashed("signal 11"))) == "crashed (signal 11)")
        let words = try problem(destination(.ended, .memoryLimitExceeded(peak: 60 << 20, limit: 50 << 20)))
        #expect(words?.contains("of memory") == true)
    }
}
