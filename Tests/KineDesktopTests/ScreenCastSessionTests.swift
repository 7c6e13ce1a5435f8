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

    /// A session and its events. Polled by the test's thread.
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
            var entries = session.pollEntries
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

    // MARK: The way to a stream

    @Test(arguments: [false, true], [false, true])
    func `the stream and PipeWire's descriptor come, whenever responses do, and from old portals`(
        respondsFirst: Bool, isOld: Bool
    ) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus) {
            $0.respondsFirst = respondsFirst
            $0.version = isOld ? 1 : 5
        }
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

    // MARK: The person

    @Test(arguments: [false, true]) func `the person may take their time, and is waited for without a limit`(
        agrees: Bool
    ) throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus) { $0.person = .hesitates }
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

    // MARK: Portals that fail

    @Test(arguments: ["GetAll", "CreateSession", "SelectSources", "Start", "OpenPipeWireRemote"])
    func `a portal that refuses, talks nonsense, closes the session or dies in a step is told`(method: String) throws {
        let bus = try TestBus()
        let name = "org.freedesktop.portal.Error.NotAllowed"
        var faults: [StandInPortal.Fault] = [
            .refuses(name: name), .answers([.string("/"), .array(of: "v", [.variant(.byte(1))])]), .dies,
        ]
        let isRequest = ["CreateSession", "SelectSources", "Start"].contains(method)
        if isRequest { faults += [.respondsNonsense([.string("?")]), .responds(code: 2)] }
        if method != "GetAll", method != "CreateSession" { faults.append(.closesSession) }
        for fault in faults {
            let portal = try StandInPortal(bus) { $0.faults[method] = fault }
            let cast = try Cast(bus)
            switch (fault, try cast.fail()) {
            case (.dies, .portalLost), (.closesSession, .closed): continue
            case (.refuses, .refused(_, name, _)), (.answers, .malformed), (.respondsNonsense, .malformed),
                (.responds, .interrupted):
                try cast.wait("the sessions' end") { portal.openSessions == 0 }
            case (_, let failure): Issue.record("\(fault): \(failure)")
            }
        }
    }

    @Test func `a portal that dies while the person thinks, or later, is told`() throws {
        let bus = try TestBus()
        for person in [StandInPortal.Person.hesitates, .agrees] {
            let portal = try StandInPortal(bus) { $0.person = person }
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

    @Test func `a stranger on the bus cannot respond for the portal, nor close its session`() throws {
        let bus = try TestBus()
        let portal = try StandInPortal(bus) { $0.person = .hesitates }
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
            let portal = try StandInPortal(bus) {
                $0.person = .hesitates
                $0.faults["Start"] = isAnswered ? nil : .isSilent
            }
            let cast = try Cast(bus)
            try cast.wait("the question") { portal.questions == 1 }
            if isAnswered { try cast.wait("the call's answer") { cast.session.nextDeadline == nil } }
            bus.end()
            #expect(try cast.fail() == .busLost)
            #expect(cast.session.pollEntries[0].fd < 0)
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
