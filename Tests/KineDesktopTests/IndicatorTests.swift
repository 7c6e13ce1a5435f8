// The indicator on a real bus, with a notification server at the other end.
import CoreTesting
import DesktopTesting
import Testing

@testable import KineDesktop

@Suite(.tags(.real)) struct IndicatorTests {
    private static let notification = Notification(
        sender: "Recorder", icon: "media-record", desktopEntry: "org.example.Recorder",
        title: "Recorder <records> the screen", text: "a < b & c", actions: [.init(key: "stop", title: "Stop")],
        urgency: .low, isResident: true)

    private func desktop(_ bus: TestBus) throws -> Desktop {
        try #require(Desktop(BusAddresses(session: bus.address, system: nil)) { _ in })
    }

    @Test func `it is shown as a kept notification of low urgency with its buttons, and taken away at the end`() throws
    {
        let bus = try TestBus()
        let daemon = try NotificationDaemon(bus)
        let desktop = try desktop(bus)
        desktop.indicate(Self.notification)
        let shown = try daemon.wait("the indicator") { _ in true }
        #expect(shown.title == Self.notification.title)
        #expect(shown.text == "a &lt; b &amp; c")
        #expect(shown.actions == ["stop", "Stop"])
        #expect(shown.expiry == 0)
        #expect(shown.hints["urgency"] == .byte(0))
        #expect(shown.hints["resident"] == .boolean(true))
        #expect(shown.hints["desktop-entry"] == .string("org.example.Recorder"))
        desktop.end(until: .max)
        #expect(daemon.shown == [])
    }

    @Test func `a server without buttons and markup gets plain text`() throws {
        let bus = try TestBus()
        let daemon = try NotificationDaemon(bus, capabilities: ["body"])
        let desktop = try desktop(bus)
        desktop.indicate(Self.notification)
        let shown = try daemon.wait("the indicator") { _ in true }
        #expect(shown.text == "a < b & c")
        #expect(shown.actions == [])
        desktop.end(until: .max)
    }

    @Test func `what the person closed stays away until it says something else`() throws {
        let bus = try TestBus()
        let daemon = try NotificationDaemon(bus)
        let desktop = try desktop(bus)
        desktop.indicate(Self.notification)
        daemon.dismiss(try daemon.wait("the indicator") { _ in true }.id)
        desktop.indicate(Self.notification)
        var other = Self.notification
        other.title = "Recorder has paused"
        // The server answers in order: it got nothing in between.
        desktop.indicate(other)
        _ = try daemon.wait("the next state") { $0.title == other.title }
        #expect(daemon.notifyCount == 2)
        desktop.end(until: .max)
    }

    @Test func `a server that crashes and comes back shows it again`() throws {
        let bus = try TestBus()
        let first = try NotificationDaemon(bus)
        let desktop = try desktop(bus)
        desktop.indicate(Self.notification)
        _ = try first.wait("the indicator") { _ in true }
        first.end()
        let second = try NotificationDaemon(bus)
        _ = try second.wait("the indicator") { $0.title == Self.notification.title }
        desktop.end(until: .max)
        #expect(second.shown == [])
    }

    @Test func `a server that never answers, a bus that dies and no server at all hold nothing up`() throws {
        let bus = try TestBus()
        let silent = try NotificationDaemon(bus, .silent)
        let waiting = try desktop(bus)
        waiting.indicate(Self.notification)
        waiting.end(until: .max)
        silent.end()
        let deaf = try NotificationDaemon(bus, .deaf)
        let patient = try desktop(bus)
        patient.indicate(Self.notification)
        patient.end(until: 0)
        deaf.end()
        let lonely = try desktop(bus)
        lonely.indicate(Self.notification)
        lonely.end(until: .max)
        let orphan = try desktop(bus)
        orphan.indicate(Self.notification)
        bus.end()
        orphan.end(until: .max)
        let late = try desktop(bus)
        late.indicate(Self.notification)
        late.end(until: .max)
    }

    @Test func `without a bus there is no desktop`() {
        #expect(Desktop(BusAddresses(session: nil, system: nil), tell: { _ in }) == nil)
    }
}
