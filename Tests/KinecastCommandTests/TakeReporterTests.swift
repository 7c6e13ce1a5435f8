// The report of a broadcast, for a person and for a script.
import FoundationEssentials
import KineMedia
import SystemPackage
import Testing

@testable import KineClient
@testable import KineTakes
@testable import KineWire
@testable import KinecastCommand

@Suite struct TakeReporterTests {
    /// The text that a reporter writes for some events, on both streams.
    func written(
        output: String? = nil, destinations: [String] = ["live"], _ events: [SessionEvent]
    ) throws -> (output: String, errors: String) {
        let (out, errors) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
        defer { for end in [out.readEnd, errors.readEnd] { try? end.close() } }
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: output)
        configuration.destinations = destinations.map { .init(service: $0, label: $0) }
        let reporter = TakeReporter(
            configuration, terminal: Terminal(errors.writeEnd), output: Terminal(out.writeEnd), json: false,
            hasCommand: false)
        for event in events { reporter.report(.session(event)) }
        for end in [out.writeEnd, errors.writeEnd] { try end.close() }
        return (try text(out.readEnd), try text(errors.readEnd))
    }

    /// All that is in a pipe; less than the kernel keeps for it.
    func text(_ pipe: FileDescriptor) throws -> String {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = try bytes.withUnsafeMutableBytes { try pipe.read(into: $0) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    func event(_ kind: DestinationEvent.Kind, _ destination: Int = 0, _ label: String = "live") -> SessionEvent {
        .engine(.destination(DestinationEvent(destination: destination, label: label, kind: kind)))
    }

    @Test func `the link and nothing else goes to standard output, once`() throws {
        let (output, errors) = try written([
            event(.phase(.launching)), event(.phase(.starting)), event(.link("http://127.0.0.1:1/t")),
            event(.phase(.live)), event(.warning("it is slow.")), event(.restarting(after: .crashed("signal 11"))),
            event(.link("http://127.0.0.1:1/t")), event(.phase(.live)), event(.phase(.paused)), event(.phase(.live)),
            event(.ended(.finished)),
        ])
        #expect(output == "http://127.0.0.1:1/t\n")
        #expect(
            errors.split(separator: "\n") == [
                "Live at http://127.0.0.1:1/t", "kinecast: live: it is slow.",
                "kinecast: live crashed (signal 11); it is started again.", "Live at http://127.0.0.1:1/t",
            ])
    }

    @Test func `the players' link follows the page's where one was asked for`() throws {
        let (output, errors) = try written([
            event(.link("http://127.0.0.1:1/#t")), event(.playerLink("http://127.0.0.1:1/p/live.mp4")),
            event(.playerLink("http://127.0.0.1:1/p/live.mp4")),
        ])
        #expect(output == "http://127.0.0.1:1/#t\nhttp://127.0.0.1:1/p/live.mp4\n")
        #expect(errors.contains("For players: http://127.0.0.1:1/p/live.mp4\n"))
    }

    @Test func `a destination without a link is said to be live once, and again after a restart`() throws {
        let (output, errors) = try written(
            destinations: ["a", "b"],
            [
                event(.phase(.live), 0, "a"), event(.phase(.paused), 0, "a"), event(.phase(.live), 0, "a"),
                event(.phase(.live), 1, "b"), event(.restarting(after: .stalled("no heartbeat for 30 s")), 1, "b"),
                event(.phase(.live), 1, "b"),
            ])
        #expect(output.isEmpty)
        #expect(
            errors.split(separator: "\n") == [
                "Broadcasting to a.", "Broadcasting to b.",
                "kinecast: b stalled: no heartbeat for 30 s; it is started again.",
                "Broadcasting to b.",
            ])
    }

    @Test func `a source that stands still is a problem, and its return a line`() throws {
        let (output, errors) = try written(
            destinations: [],
            [.engine(.sourceInterrupted(.init(.monitorGone, monitor: "DP-1"))), .engine(.sourceInterrupted(nil))])
        #expect(output.isEmpty)
        #expect(
            errors.split(separator: "\n") == [
                "kinecast: Monitor DP-1 is gone; the recording goes on with its last picture until it is back. "
                    + "kinecast switch shows another source.",
                "The source is back.",
            ])
    }

    @Test func `a take that cannot begin says why once, not for each destination too`() throws {
        let reason = "There is no display: DISPLAY is not set."
        let (_, errors) = try written([
            event(.ended(.failed(reason))), event(.ended(.failed("It has no key.")), 1, "b"),
            .ended(.failed(TakeFailure(exitStatus: 69, message: reason, alternative: .recordVirtualScreen))),
        ])
        #expect(
            errors.split(separator: "\n") == [
                "kinecast: b failed: It has no key; this destination is over.",
                "kinecast: There is no display: DISPLAY is not set, or record a private screen with --virtual 1280x720 -- "
                    + "COMMAND.",
            ])
    }

    @Test func `failures wait for the beginning of the take, and no longer`() {
        func failure(_ destination: Int) -> DestinationEvent {
            DestinationEvent(destination: destination, label: "live", kind: .ended(.failed("It has no key.")))
        }
        var reports = DestinationReports()
        let early = reports.receive(failure(0))
        #expect(early == DestinationReports.Report())
        let delayed = reports.takeStarted()
        #expect(delayed == ["kinecast: live failed: It has no key; this destination is over."])
        let late = reports.receive(failure(1))
        #expect(late.line == delayed.first)
        let rest = reports.flushEarlyFailures()
        #expect(rest.isEmpty)
    }

    static let death = EngineDeath(cause: .died, ending: .exited(status: 3), file: .notBegun)

    @Test func `an engine that dies before its take began does not hide why destinations failed`() throws {
        let (_, errors) = try written([event(.ended(.failed("It has no key."))), .ended(.engineDied(Self.death))])
        #expect(
            errors.split(separator: "\n") == [
                "kinecast: live failed: It has no key; this destination is over.",
                "kinecast: The engine died (exit status 3) before anything was recorded; kinecast doctor may say why.",
            ])
    }

    @Test func `the last event of a take says how it ended, and what was recorded`() throws {
        func json(_ outcome: TakeOutcome) throws -> String {
            var event = JSONEvent.summary(outcome)
            event.time = 2
            return try JSONEvents.line(event)
        }
        let summary = TakeSummary(
            output: "/a.mp4", size: PixelSize(width: 6, height: 4), progress: TakeProgress(), reason: "stopped")
        #expect(
            try json(.finished(summary))
                == #"{"bytes":0,"duration":0,"event":"summary","exitStatus":0,"framesDrawn":0,"framesDropped":0,"#
                + #""framesUnchanged":0,"height":4,"output":"/a.mp4","reason":"stopped","result":"finished","time":2,"#
                + #""width":6}"#)
        #expect(
            try json(.failed(TakeFailure(exitStatus: 74, message: "Full.", summary: summary)))
                == #"{"bytes":0,"duration":0,"event":"summary","exitStatus":74,"framesDrawn":0,"framesDropped":0,"#
                + #""framesUnchanged":0,"height":4,"message":"Full.","output":"/a.mp4","reason":"stopped","#
                + #""result":"failed","time":2,"width":6}"#)
        #expect(
            try json(.failed(TakeFailure(exitStatus: 69, message: "No.")))
                == #"{"event":"summary","exitStatus":69,"message":"No.","result":"failed","time":2}"#)
        let full = ProblemCode(.diskFull, ["file": "/a.mp4"])
        #expect(
            try json(.failed(TakeFailure(exitStatus: 74, message: "Full.", problem: full)))
                == #"{"code":"diskFull","event":"summary","exitStatus":74,"message":"Full.","result":"failed","time":2,"#
                + #""values":{"file":"/a.mp4"}}"#)
        #expect(
            try json(.engineDied(Self.death))
                == #"{"event":"summary","exitStatus":70,"message":"The engine died (exit status 3) before anything was "#
                + #"recorded; kinecast doctor may say why.","result":"failed","time":2}"#)
    }

    @Test func `why a destination is not live is shown to people and to programs`() throws {
        var status = DestinationStatus(destination: 0, service: "rtmp", label: "rtmp (h/app)", phase: .starting)
        status.state = "connecting"
        status.problem = "The server h refused the connection; try again later."
        let columns = DestinationColumns.columns(status)
        #expect(columns[1] == "starting")
        #expect(columns[4] == "connecting, The server h refused the connection; try again later")
        let json = String(decoding: try JSONEncoder().encode(DestinationSnapshot(status)), as: UTF8.self)
        #expect(json.contains("problem") && json.contains("The server h refused"))
        status.phase = .ended
        status.ending = .failed("It was never live; the last reason: No.")
        #expect(DestinationColumns.columns(status)[1] == "failed")
        #expect(
            DestinationSentences.summary(status).hasPrefix(
                "rtmp (h/app): failed: It was never live; the last reason: No,"))
    }

    @Test func `what a destination says of its connection is shown to people and to programs`() throws {
        var status = DestinationStatus(destination: 0, service: "rtmp", label: "rtmp (h/app)", phase: .live)
        status.state = "live"
        #expect(!DestinationColumns.columns(status).joined(separator: "|").contains("bit/s"))
        var connection = ConnectionStatistics()
        connection.uptime = 62
        connection.reconnects = 1
        connection.bitrate = 812_400
        connection.queueMilliseconds = 240
        connection.roundTripMilliseconds = 33.6
        connection.framesDropped = 12
        status.statistics.connection = connection
        status.encoding = EncodingRequest(averageBitrate: 1_250_000, maximumFrameRate: 15)
        #expect(
            DestinationColumns.columns(status).joined(separator: "|")
                == "rtmp (h/app)|live|-|0 bytes waiting, 240 ms to send|live, 812 kbit/s, asks for 1.3 Mbit/s, "
                + "asks for 15.0 fps, round trip 34 ms, for 1:02, 1 reconnect, 12 frames dropped|")
        let json = String(decoding: try JSONEncoder().encode(DestinationSnapshot(status)), as: UTF8.self)
        for part in [
            #""uptime":62"#, #""reconnects":1"#, #""bitrate":812400"#, #""queueMilliseconds":240"#,
            #""roundTripMilliseconds":33.6"#, #""framesDropped":12"#, #""requestedBitrate":1250000"#,
            #""requestedFrameRate":15"#,
        ] { #expect(json.contains(part), "\(part) is not in \(json)") }
        status.ending = .finished
        #expect(
            DestinationSentences.summary(status)
                == "rtmp (h/app): finished, 0 frames, 812 kbit/s at last, round trip 34 ms, for 1:02, "
                + "240 ms never sent, 1 reconnect, 12 frames dropped.")
    }

    @Test func `the heading says where to`() {
        let size = PixelSize(width: 640, height: 480)
        let alone = TakeStarted(id: "abc", output: nil, size: size, environment: [])
        let recorded = TakeStarted(id: "abc", output: "/a.mp4", size: size, environment: [])
        #expect(TakeReporter.heading(recorded, []) == "Recording 640x480 to /a.mp4 as abc; Ctrl-C ends it.")
        let saving = " kinecast clip saves up to the last 30.0 s."
        #expect(
            TakeReporter.heading(recorded, [], clipBuffer: .seconds(30))
                == "Recording 640x480 to /a.mp4 as abc; Ctrl-C ends it." + saving)
        #expect(
            TakeReporter.heading(alone, [], clipBuffer: .seconds(30))
                == "Capturing 640x480 as abc; Ctrl-C ends it." + saving)
        #expect(
            TakeReporter.heading(alone, ["live", "b"])
                == "Starting to broadcast 640x480 to live and b as abc; Ctrl-C ends it.")
        #expect(
            TakeReporter.heading(recorded, ["live"])
                == "Starting to broadcast 640x480 to live, and recording to /a.mp4, as abc; Ctrl-C ends it.")
    }

    @Test func `status has a line for each destination beneath its take`() {
        func status(_ id: String, _ labels: [String]) -> (TakeRecord, TakeStatus?) {
            var status = TakeStatus(
                id: id, phase: .recording, output: nil, source: "screen", progress: TakeProgress())
            status.destinations = labels.enumerated().map {
                var one = DestinationStatus(destination: $0, service: $1, label: $1, phase: .live)
                one.residentMemory = 12 << 20
                one.memoryLimit = 50 << 20
                one.statistics.queuedBytes = 1000
                one.link = "http://\($1)"
                return one
            }
            return (TakeRecord(id: id, pid: 1, output: nil, source: "screen", started: 0), status)
        }
        #expect(
            StatusCommand.text([status("abc", ["live", "other"]), status("def", []), status("ghi", ["x"])]) == [
                "TAKE  STATE         TIME  SIZE  SOURCE  FILE",
                "abc   broadcasting  0:00  -     screen  -",
                "  → 0  live   live  12 MB of 50 MB  1.0 kB waiting  -  http://live",
                "  → 1  other  live  12 MB of 50 MB  1.0 kB waiting  -  http://other",
                "def   recording     0:00  -     screen  -",
                "ghi   broadcasting  0:00  -     screen  -",
                "  → 0  x      live  12 MB of 50 MB  1.0 kB waiting  -  http://x",
            ])
        var named = status("abc", [])
        named.1?.sourceName = "Notes — XTerm"
        #expect(StatusCommand.text([named]).last == "abc   recording  0:00  -     Notes — XTerm  -")
        var hiding = status("abc", [])
        hiding.1?.unmatchedExclusions = ["title:Zürich", "0x77"]
        #expect(StatusCommand.text([hiding]).last == "abc hides nothing for title:Zürich, 0x77: no window matches.")
    }

    @Test func `a destination's event has the keys that its kind needs`() throws {
        func json(_ kind: DestinationEvent.Kind, _ code: ProblemCode? = nil) throws -> String {
            var event = JSONEvent.destination(DestinationEvent(destination: 1, label: "a", kind: kind, code: code))
            event.time = 2
            return try JSONEvents.line(event)
        }
        #expect(
            try json(.phase(.live))
                == #"{"destination":1,"event":"destination","kind":"phase","label":"a","phase":"live","time":2}"#)
        #expect(
            try json(.ended(.memoryLimitExceeded(peak: 3, limit: 2)))
                == #"{"destination":1,"ending":"memoryLimitExceeded","event":"destination","kind":"ended","label":"a","#
                + #""memoryLimit":2,"peakMemory":3,"time":2}"#)
        #expect(
            try json(.warning("Lost."), ProblemCode(.connectionLost))
                == #"{"code":"connectionLost","destination":1,"event":"destination","kind":"warning","label":"a","#
                + #""message":"Lost.","time":2}"#)
        #expect(
            try json(.restarting(after: .crashed("signal 6")))
                == #"{"destination":1,"ending":"crashed","event":"destination","kind":"restarting","label":"a","#
                + #""message":"signal 6","time":2}"#)
    }
}
