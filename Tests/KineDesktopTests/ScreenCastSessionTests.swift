// Screen casts on a real bus, with a portal's objects at the other end.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineDesktop

@Suite(.tags(.real)) struct ScreenCastSessionTests {
    private static let request = ScreenCastRequest(.monitor, showsCursor: true)

    /// A session, and what it has told. Polled by the test's thread.
    private final class Cast {
        let session: ScreenCastSession
        var events: [ScreenCastSession.Event] = []

        init(
            _ bus: TestBus, _ request: ScreenCastRequest = ScreenCastSessionTests.request,
            restoreToken: String? = nil
        ) throws {
            session = try ScreenCastSession(request, restoreToken: restoreToken, bus: bus.address)
        }

        /// Sleeps until the bus has something, and handles it. A short limit lets conditions be seen that no descriptor shows.
        func step() {
            events += session.process()
            var entries = [session.pollEntry]
            WakeSignal.poll(&entries, until: MonotonicClock.now() + 5_000_000)
            events += session.process()
        }

        func wait(_ what: String, until condition: () -> Bool) throws {
            try CoreTesting.wait(what) {
                step()
                return condition()
            }
        }

        var failure: ScreenCastSession.Error? {
            if case .ended(let error)? = events.last { error } else { nil }
        }

        /// Waits for the stream, and returns what can be read from PipeWire's descriptor.
        func open() throws -> (stream: ScreenCastStream, greeting: String) {
            try wait("the stream") { opened != nil || failure != nil }
            let (stream, remote) = try #require(opened, "\(events)")
            let descriptor = FileDescriptor(rawValue: remote.rawValue)
            return (stream, String(decoding: try Tool.readAll(descriptor), as: UTF8.self))
        }

        private var opened: (ScreenCastStream, BusDescriptor)? {
            for case .opened(let stream, let remote) in events { return (stream, remote) }
            return nil
        }

        func fail() throws -> ScreenCastSession.Error {
            try wait("the end") { failure != nil }
            return try #require(failure)
        }
    }

    private func manner(_ change: (inout StandInPortal.Manner) -> Void) -> StandInPortal.Manner {
        var manner = StandInPortal.Manner()
        change(&manner)
        return manner
    }

    // MARK: The way to a stream

    @Test(arguments: [false, true], [false, true])
    func `the stream and PipeWire's descriptor come, whenever responses do, and from old portals`(
        respondsFirst: Bool, isOld: Bool
    ) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(
            bus,
            manner {
                $0.respondsFirst = respondsFirst
                $0.choosesPaths = isOld
                $0.version = isOld ? 1 : 5
            })
        let cast = try Cast(bus)
        let (stream, greeting) = try cast.open()
        var expected = ScreenCastStream(node: StandInPortal.node, cursorMode: isOld ? .hidden : .metadata)
        expected.position = .init(x: 0, y: 0)
        expected.size = .init(width: 1920, height: 1080)
        expected.target = isOld ? nil : .monitor
        #expect(stream == expected)
        #expect(greeting == StandInPortal.greeting)
        #expect(portal.questions == 1 && portal.openSessions == 1)
        #expect(cast.session.nextDeadline == nil, "an open session has nothing to do")
    }

    @Test func `a window is asked for, without the cursor`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus)
        let cast = try Cast(bus, ScreenCastRequest(.window, showsCursor: false))
        let stream = try cast.open().stream
        #expect(stream.target == .window && stream.cursorMode == .hidden)
        let options = try #require(portal.selections.first)
        #expect(options["types"] == .uint32(2) && options["multiple"] == .boolean(false))
        #expect(options["cursor_mode"] == .uint32(1) && options["persist_mode"] == .uint32(2))
    }

    // MARK: The person

    @Test(arguments: [false, true]) func `the person may take their time, and is waited for without a limit`(
        agrees: Bool
    ) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus, manner { $0.person = .hesitates })
        let cast = try Cast(bus)
        try cast.wait("the dialog") { portal.isDialogShown }
        // What the portal had to answer is answered; from here on no time ends the wait.
        try cast.wait("the last call's answer") { cast.session.nextDeadline == nil }
        #expect(cast.events == [])
        portal.answerDialog(agreeing: agrees)
        if agrees {
            _ = try cast.open()
        } else {
            #expect(try cast.fail() == .declined)
        }
    }

    @Test func `the person's no is told at once`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus, manner { $0.person = .declines })
        let cast = try Cast(bus)
        #expect(try cast.fail() == .declined)
        try cast.wait("the session's end") { portal.openSessions == 0 }
    }

    @Test func `cancelling takes the dialog and the session away`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus, manner { $0.person = .hesitates })
        let cast = try Cast(bus)
        try cast.wait("the dialog") { portal.isDialogShown }
        cast.session.cancel()
        try cast.wait("the dialog's end") { !portal.isDialogShown && portal.openSessions == 0 }
        #expect(portal.closedRequests.count == 1 && portal.closedSessions.count == 1)
        portal.end()
        try cast.wait("what is sent") { !cast.session.hasUnsentMessages }
        #expect(cast.events == [])
    }

    @Test func `a cast that the person ends in the desktop is told, and its session is not closed twice`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus)
        let cast = try Cast(bus)
        _ = try cast.open()
        portal.closeSessions()
        #expect(try cast.fail() == .closed)
        #expect(portal.closedSessions == [])
    }

    @Test func `cancelling an open cast closes its session`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus)
        let cast = try Cast(bus)
        _ = try cast.open()
        cast.session.cancel()
        try cast.wait("the session's end") { portal.openSessions == 0 }
    }

    // MARK: Tokens

    @Test func `a token spares the person the dialog, and is replaced each time`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus)
        var token: String?
        for round in 1...3 {
            let cast = try Cast(bus, restoreToken: token)
            _ = try cast.open()
            guard case .restoreToken(let new?)? = cast.events.first else {
                Issue.record("\(cast.events)")
                return
            }
            #expect(new != token)
            token = new
            #expect(portal.questions == 1, "round \(round)")
        }
    }

    @Test func `a token that is used up is asked again for, and one that does not come back is gone`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus)
        let cast = try Cast(bus, restoreToken: "token-of-yesterday")
        _ = try cast.open()
        #expect(portal.questions == 1)
        portal.change { $0.givesTokens = false }
        let other = try Cast(bus, restoreToken: portal.makeToken())
        _ = try other.open()
        #expect(other.events.first == .restoreToken(nil))
        #expect(portal.questions == 1)
    }

    @Test(arguments: [false, true])
    func `a token that the portal refuses is dropped, and the person is asked`(closesFirst: Bool) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus, manner { $0.closesOnBadToken = closesFirst })
        let cast = try Cast(bus, restoreToken: "nonsense")
        _ = try cast.open()
        #expect(cast.events.first == .restoreToken(nil))
        guard case .restoreToken(_?)? = cast.events.dropFirst().first else {
            Issue.record("\(cast.events)")
            return
        }
        #expect(portal.questions == 1)
        #expect(portal.selections.map { $0["restore_token"] } == [.string("nonsense"), nil])
    }

    @Test func `a session that cannot be restored is asked for anew`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus, manner { $0.faults["Start"] = .responds(code: 2) })
        let cast = try Cast(bus, restoreToken: portal.makeToken())
        #expect(try cast.fail() == .interrupted(.start))
        #expect(cast.events == [.restoreToken(nil), .ended(.interrupted(.start))])
        #expect(portal.selections.count == 2 && portal.questions == 1)
    }

    // MARK: Portals that fail

    private static let methods = [
        "GetAll", "CreateSession", "SelectSources", "Start", "OpenPipeWireRemote",
    ]

    @Test(arguments: methods) func `a portal that dies in a step is told`(method: String) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus, manner { $0.faults[method] = .dies })
        let cast = try Cast(bus)
        #expect(try cast.fail() == .portalLost)
        withExtendedLifetime(portal) {}
    }

    @Test func `a portal that dies while the person thinks, or later, is told`() throws {
        let bus = try TestBus()
        for person in [StandInPortal.Person.hesitates, .agrees] {
            let portal = try StandInPortal(bus, manner { $0.person = person })
            let cast = try Cast(bus)
            if person == .agrees {
                _ = try cast.open()
            } else {
                try cast.wait("the dialog") { portal.isDialogShown }
            }
            portal.end()
            #expect(try cast.fail() == .portalLost)
        }
    }

    @Test(arguments: methods) func `a portal that refuses a step is told`(method: String) throws {
        let bus = try TestBus()
        let name = "org.freedesktop.portal.Error.NotAllowed"
        let portal = try StandInPortal(bus, manner { $0.faults[method] = .refuses(name: name) })
        let cast = try Cast(bus)
        let failure = try cast.fail()
        guard case .refused(_, name, _) = failure else {
            Issue.record("\(failure)")
            return
        }
        try cast.wait("the sessions' end") { portal.openSessions == 0 }
    }

    @Test(arguments: methods) func `a portal that answers nonsense is told`(method: String) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(
            bus, manner { $0.faults[method] = .answers([.string("/"), .array(of: "v", [.variant(.byte(1))])]) })
        let cast = try Cast(bus)
        guard case .malformed = try cast.fail() else {
            Issue.record("\(cast.events)")
            return
        }
        try cast.wait("the sessions' end") { portal.openSessions == 0 }
    }

    @Test(arguments: ["CreateSession", "SelectSources", "Start"])
    func `a portal that responds with nonsense, or without a reason, is told`(method: String) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus)
        for code in [nil, 2, 99] as [UInt32?] {
            portal.change { $0.faults[method] = code.map { .responds(code: $0) } ?? .respondsNonsense([.string("?")]) }
            let cast = try Cast(bus)
            switch (code, try cast.fail()) {
            case (nil, .malformed), (.some, .interrupted): break
            case (_, let failure): Issue.record("\(failure)")
            }
            try cast.wait("the sessions' end") { method == "CreateSession" || portal.openSessions == 0 }
        }
    }

    @Test(arguments: ["SelectSources", "Start", "OpenPipeWireRemote"])
    func `a portal that closes the session in a step is told`(method: String) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus, manner { $0.faults[method] = .closesSession })
        let cast = try Cast(bus)
        #expect(try cast.fail() == .closed)
        withExtendedLifetime(portal) {}
    }

    @Test func `a stranger on the bus cannot respond for the portal, nor close its session`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus, manner { $0.person = .hesitates })
        let stranger = try BusService(bus, name: "org.example.Stranger", paths: ["/org/example"]) { _ in .silence }
        let cast = try Cast(bus)
        try cast.wait("the dialog") { portal.isDialogShown }
        let start = try #require(portal.calls.last { $0.member == "Start" })
        let token = try #require(start.arguments.last?.asProperties?["handle_token"]?.asString)
        let sender = start.sender.dropFirst().replacing(".", with: "_")
        stranger.emit(
            "\(StandInPortal.path)/request/\(sender)/\(token)", "org.freedesktop.portal.Request", "Response",
            [.uint32(1), .properties([:])])
        stranger.emit(start.arguments[0].asString ?? "/", "org.freedesktop.portal.Session", "Closed", [])
        // A service that comes after the signals is seen after them.
        let last = try BusService(bus, name: "org.example.Last", paths: ["/org/example"]) { _ in .silence }
        portal.answerDialog(agreeing: true)
        _ = try cast.open()
        withExtendedLifetime((stranger, last)) {}
    }

    // MARK: Without a portal, without a bus

    @Test func `where there is no portal, or none that casts, that is the reason`() throws {
        let bus = try TestBus()
        #expect(try Cast(bus).fail() == .noPortal)
        let portal = try StandInPortal(bus, manner { $0.sourceTypes = 0 })
        #expect(try Cast(bus).fail() == .noPortal)
        portal.change { $0.sourceTypes = 2 }
        #expect(try Cast(bus).fail() == .notOffered(.monitor))
    }

    @Test func `a bus that is not there, and one that goes away, are told apart`() throws {
        #expect(throws: ScreenCastSession.Error.noBus) {
            try ScreenCastSession(Self.request, restoreToken: nil, bus: nil)
        }
        #expect(throws: ScreenCastSession.Error.noBus) {
            try ScreenCastSession(Self.request, restoreToken: nil, bus: "unix:path=/nowhere")
        }
        // With a call that is not answered yet, and without one.
        for isAnswered in [false, true] {
            let bus = try TestBus()
            let portal = try StandInPortal(
                bus,
                manner {
                    $0.person = .hesitates
                    $0.faults["Start"] = isAnswered ? nil : .isSilent
                })
            let cast = try Cast(bus)
            try cast.wait("the question") { portal.questions == 1 }
            if isAnswered { try cast.wait("the call's answer") { cast.session.nextDeadline == nil } }
            bus.end()
            #expect(try cast.fail() == .busLost)
            #expect(cast.session.pollEntry.fd < 0)
        }
    }

    @Test func `something that is no bus is told`() throws {
        let directory = try TemporaryDirectory()
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(directory.file("bus").utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 1) == 0)
        let session = try ScreenCastSession(
            Self.request, restoreToken: nil, bus: "unix:path=\(directory.file("bus"))")
        #expect(session.process() == [])
        let stranger = accept(listener, nil, nil)
        try #require(write(stranger, "GET / HTTP/1.1\r\n\r\n", 18) == 18)
        close(stranger)
        close(listener)
        var events: [ScreenCastSession.Event] = []
        try wait("the end") {
            events += session.process()
            return !events.isEmpty
        }
        #expect(events == [.ended(.noBus)])
    }
}
