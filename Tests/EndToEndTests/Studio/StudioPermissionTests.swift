// An app that asks to record: a real engine whose client is this process, and a person with windows of the studio and a
// notification.
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineTakes
import KineWire
import Testing

@Suite(.tags(.real, .programs)) struct StudioPermissionTests {
    private static let app = AppIdentity(identifier: "org.example.Recorder", name: "Recorder")

    /// - Parameter environment: of the engine.
    private func start(_ studio: RunningStudio, _ environment: [String]) throws -> EngineUnderTest {
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: studio.place.path("a.mp4"))
        configuration.audio.app = .none
        configuration.app = Self.app
        return try EngineUnderTest(configuration, in: studio.place, environment: environment)
    }

    private func asks(_ window: StudioWindow, _ isAsked: Bool = true) throws -> Bool {
        try window.browser.wait(
            until: """
                const title = document.querySelector("dialog[open] h2")?.textContent ?? "";
                return title === "\(isAsked ? "Recorder asks to record the screen" : "")";
                """)
    }

    /// Opens the window of an app that wants to broadcast. It lasts as long as the connection.
    private func openSheet(
        _ studio: RunningStudio, in window: StudioWindow
    ) throws -> ControlConnection<StudioReply, StudioMessage> {
        let connection = try ControlConnection<StudioReply, StudioMessage>(
            connectingTo: studio.place.registry().studioSocket)
        try connection.send(.present(SheetApp(identifier: Self.app.identifier, name: "Recorder")))
        let replies = try connection.receive(until: MonotonicClock.now() + RunningKinecast.timeout)
        guard case .link(let link)? = replies.first else { throw CancellationError() }
        try window.browser.open(link.address)
        #expect(try window.browser.wait(until: "return document.title === 'Recorder'"))
        return connection
    }

    @Test func `an app's question is in each window and a notification, and the person's first answer ends it`() throws
    {
        let bus = try TestBus()
        let daemon = try NotificationDaemon(bus)
        try RunningStudio.with(configuration: "[record]\naudio = none\n", ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]) {
            studio in
            try studio.withWindow(link: studio.handedLink()) { window in
                #expect(try window.isIdle())
                try allows(studio, window, daemon)
                #expect(try studio.place.run("permissions", "revoke", Self.app.identifier).status == 0)
                let denied = try start(studio, studio.environment)
                #expect(try asks(window))
                daemon.press("decline", of: try daemon.wait("the question") { $0.actions.contains("allow") }.id)
                #expect(try asks(window, false))
                #expect(try denied.end().exitStatus == ExitStatus.noPermission)
                #expect(try studio.place.run("permissions", "revoke", Self.app.identifier).status == 0)
                try leaves(studio, window)
            }
        }
    }

    private func allows(_ studio: RunningStudio, _ window: StudioWindow, _ daemon: NotificationDaemon) throws {
        let engine = try start(studio, studio.environment)
        #expect(try asks(window))
        _ = try daemon.wait("the question") { $0.actions.contains("allow") }
        // Neither the app's own connection nor another of its process is the person's.
        let record = try #require(try studio.place.registry().list().running.first)
        let guest = try studio.place.registry().connect(to: record)
        for request in [ClientRequest.showPermissionQuestions(true), .answerPermission(question: 1, isAllowed: true)] {
            for answer in [try engine.ask(request), try #require(try guest.ask(request))] {
                let refusal = #expect(throws: Refusal.self) { try answer.get() }
                #expect(refusal?.code == .notPermitted, "\(request)")
            }
        }
        #expect(try engine.status().phase == .starting)
        let first = try window.browser.openTab()
        // Neither an app's window nor one of a printed link shows it.
        let sheet = try openSheet(studio, in: window)
        let printed = try studio.newLink()
        #expect(try window.browser.run("return document.querySelector('dialog[open]') === null"))
        try window.browser.open("\(printed.base)#\(printed.token)")
        #expect(try window.shows("Starting"))
        #expect(try window.browser.run("return document.querySelector('dialog[open]') === null"))
        try window.browser.closeTab()
        try window.browser.selectTab(first)
        #expect(try asks(window))
        try window.expectAccessible("an app's question")
        try window.click("Allow")
        try engine.wait("the first frame") { if case .started = $0 { true } else { nil } }
        #expect(try asks(window, false))
        sheet.close()
        try wait("the notification to go") { !daemon.shown.contains { $0.actions.contains("allow") } }
        #expect(try engine.stop().exitStatus == 0)
        #expect(unlink(studio.place.path("a.mp4")) == 0)
    }

    /// Without a desktop: the app ends while the question is open.
    private func leaves(_ studio: RunningStudio, _ window: StudioWindow) throws {
        let engine = try start(studio, ["DISPLAY=\(studio.display)"])
        #expect(try asks(window))
        let take = try #require(try studio.place.registry().list().running.first).id
        for (link, status) in [(try studio.newLink(), 403), (try studio.handedLink(), 409)] {
            let answer = try studio.ask(
                "POST", "/api/takes/\(take)/permission", #"{"question":7,"isAllowed":true}"#,
                studio.openSession(with: link))
            #expect(answer.status == status, "\(answer)")
        }
        #expect(try engine.status().phase == .starting)
        engine.connection.close()
        #expect(try asks(window, false))
        let line = try studio.place.run("permissions", "list", "--json").output
        #expect(line == "", "nobody has answered")
    }
}
