// Notifications that are the person's once they are shown, on a real bus with a notification server at the other end.
import CoreTesting
import DesktopTesting
import Synchronization
import Testing

@testable import KineDesktop

@Suite(.tags(.real)) struct PostedNotificationTests {
    private final class Told: Sendable {
        private let events = Mutex<[Desktop.Event]>([])
        var all: [Desktop.Event] { events.withLock { $0 } }
        func add(_ event: Desktop.Event) { events.withLock { $0.append(event) } }
        func wait(for event: Desktop.Event) throws { try CoreTesting.wait("\(event)") { all.contains(event) } }
    }

    private let bus: TestBus
    private let told = Told()
    private let desktop: Desktop

    init() throws {
        bus = try TestBus()
        let told = told
        desktop = try #require(Desktop(BusAddresses(session: bus.address, system: nil)) { told.add($0) })
    }

    private func notification(_ title: String, sound: Notification.Sound = .none) -> Notification {
        var notification = Notification(
            sender: "Recorder", icon: "media-record", title: title, text: "a < b",
            actions: [.init(key: Notification.defaultAction, title: "Open"), .init(key: "retry", title: "Retry")],
            urgency: .normal, isResident: false)
        notification.staysUntilClosed = false
        notification.sound = sound
        return notification
    }

    @Test func `it is shown for the desktop's own time with its sound, and is there after the end`() throws {
        let daemon = try NotificationDaemon(bus)
        desktop.post(notification("one", sound: .named("complete")), number: 1)
        let shown = try daemon.wait("it") { $0.title == "one" }
        #expect(shown.expiry == -1)
        #expect(shown.hints["sound-name"] == .string("complete") && shown.hints["suppress-sound"] == nil)
        #expect(shown.actions == ["default", "Open", "retry", "Retry"])
        #expect(shown.text == "a &lt; b")
        desktop.post(notification("two"), number: 2)
        let silent = try daemon.wait("the second") { $0.title == "two" }
        #expect(silent.hints["suppress-sound"] == .boolean(true))
        desktop.end(until: .max)
        #expect(daemon.shown.map(\.title) == ["one", "two"])
    }

    @Test func `the same number replaces, also while the first is on its way, and another's is left alone`() throws {
        let daemon = try NotificationDaemon(bus)
        for title in ["one", "two", "three"] { desktop.post(notification(title), number: 1) }
        desktop.post(notification("other"), number: 2)
        _ = try daemon.wait("the last") { $0.title == "three" }
        _ = try daemon.wait("the other") { $0.title == "other" }
        #expect(daemon.shown.count == 2)
        desktop.withdraw(1)
        try wait("its end") { daemon.shown.map(\.title) == ["other"] }
        desktop.end(until: .max)
    }

    @Test func `without a server it is told, and shown by one that comes later when it is posted again`() throws {
        desktop.post(notification("one"), number: 1)
        try told.wait(for: .posted(1, .notShown))
        let daemon = try NotificationDaemon(bus)
        desktop.post(notification("two"), number: 1)
        try told.wait(for: .posted(1, .shown))
        #expect(daemon.shown.map(\.title) == ["two"])
        daemon.end()
        try told.wait(for: .posted(1, .closed))
        desktop.end(until: .max)
    }

    @Test func `an app on the bus is activated with the token, and one that is not there is not`() throws {
        let app = try BusService(bus, name: "org.example.My-App", paths: ["/org/example/My_App"]) { _ in .values([]) }
        desktop.activate(application: "org.example.My-App", token: "t", number: 1)
        try told.wait(for: .activated(1, true))
        let call = try #require(app.calls.first)
        #expect(call.interface == "org.freedesktop.Application" && call.member == "Activate")
        #expect(call.arguments.first?.asProperties?["activation-token"] == .string("t"))
        desktop.activate(application: "org.example.Nobody", token: nil, number: 2)
        try told.wait(for: .activated(2, false))
        desktop.activate(application: "not a name", token: nil, number: 3)
        try told.wait(for: .activated(3, false))
        desktop.end(until: .max)
    }

    @Test func `a bus that dies says of what waits that it is not shown`() throws {
        let silent = try NotificationDaemon(bus, .deaf)
        desktop.post(notification("one"), number: 1)
        try wait("the call") { silent.calls.contains("Notify") }
        bus.end()
        try told.wait(for: .posted(1, .notShown))
        desktop.post(notification("two"), number: 2)
        try told.wait(for: .posted(2, .notShown))
        desktop.end(until: .max)
    }
}
