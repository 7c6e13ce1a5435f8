// Keys of the whole desktop on a real bus, with a portal's objects at the other end.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KinePlatform
import Testing

@testable import KineDesktop

@Suite(.tags(.real)) struct GlobalShortcutsSessionTests {
    typealias Event = GlobalShortcutsSession.Event

    private static let application = "org.example.Keys"
    private static let shortcuts = ["record", "pause"].map {
        GlobalShortcut(id: $0, description: "To \($0)", preferredTrigger: "LOGO+SHIFT+\($0.prefix(1))")
    }
    private static let bound = Event.bound(["record": "the key of record", "pause": "the key of pause"])

    /// A session and its events. Polled by the test's thread.
    private final class Keys {
        let session: GlobalShortcutsSession
        var events: [Event] = []

        init(_ bus: TestBus) throws {
            session = try GlobalShortcutsSession(
                GlobalShortcutsSessionTests.shortcuts, of: GlobalShortcutsSessionTests.application, bus: bus.address)
        }

        func wait(_ what: String, until condition: () -> Bool) throws {
            try CoreTesting.wait(what) {
                events += session.process()
                if condition() { return true }
                var entries = session.pollEntries
                WakeSignal.poll(&entries, until: MonotonicClock.now() + 5_000_000)
                return false
            }
        }

        /// Waits for the event, and forgets it and those before it.
        func expect(_ event: Event) throws {
            try wait("\(event), after \(events)") { events.contains(event) }
            events.removeFirst((events.firstIndex(of: event) ?? 0) + 1)
        }
    }

    private func members(_ portal: StandInShortcutsPortal) -> [String] { portal.calls.map(\.member) }

    // MARK: The way to the keys

    @Test func `the person is asked for new keys, with the application's name and its proposals`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus)
        let keys = try Keys(bus)
        try keys.expect(Self.bound)
        #expect(members(portal) == ["Register", "Get", "CreateSession", "ListShortcuts", "BindShortcuts"])
        #expect(portal.questions == 1)
        #expect(portal.calls.first?.arguments == [.string(Self.application), .properties([:])])
        let first = try #require(portal.calls.last?.arguments[1].elements?.first?.members)
        #expect(first[0] == .string("record"))
        #expect(
            first[1].asProperties == [
                "description": .string("To record"), "preferred_trigger": .string("LOGO+SHIFT+r"),
            ])
        #expect(keys.session.nextDeadline == nil, "an open session has nothing to do")
    }

    @Test(arguments: [UInt32(1), 2], [false, true])
    func `keys that are known are bound without a dialog`(version: UInt32, listsKnown: Bool) throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus, known: ["record", "pause"]) {
            $0.version = version
            $0.listsKnown = listsKnown
        }
        let keys = try Keys(bus)
        try keys.expect(Self.bound)
        #expect(portal.questions == 0)
        // The settings of Plasma, whose first version it is, would open.
        #expect(members(portal).contains("BindShortcuts") == (version == 2 || !listsKnown))
    }

    @Test func `keys that come with the session are enough for Plasma 5`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus) { $0.bindsWithSession = true }
        let keys = try Keys(bus)
        try keys.expect(Self.bound)
        #expect(!members(portal).contains("BindShortcuts"))
        // Its settings are its dialog.
        keys.session.configure()
        try keys.expect(Self.bound)
        #expect(members(portal).last == "BindShortcuts" && members(portal).contains("Close"))
    }

    @Test func `a portal that does not say what it has bound is asked`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus) { $0.returnsNothing = true }
        try Keys(bus).expect(Self.bound)
        #expect(members(portal).suffix(2) == ["BindShortcuts", "ListShortcuts"])
    }

    @Test(arguments: [false, true])
    func `an older portal knows the application by its scope, if there is systemd`(hasSystemd: Bool) throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus) { $0.hasRegistry = false }
        let scope = "app-\(Self.application)-\(getpid()).scope"
        let systemd =
            hasSystemd
            ? try BusService(bus, name: "org.freedesktop.systemd1", paths: ["/org/freedesktop/systemd1"]) { call in
                let job = BusValue.objectPath("/org/freedesktop/systemd1/job/7")
                let isRight = call.arguments.first == .string(scope) && call.member == "StartTransientUnit"
                let done = EmittedSignal(
                    "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "JobRemoved",
                    [.uint32(7), job, .string(scope), .string("done")])
                return isRight ? .surrounded([], .values([job]), [done]) : .error(name: "org.example.Wrong")
            } : nil
        try Keys(bus).expect(Self.bound)
        #expect(members(portal).prefix(2) == ["Register", "Get"])
        let call = systemd?.calls.first
        #expect(call?.arguments.map(\.type).joined() == (hasSystemd ? "ssa(sv)a(sa(sv))" : nil))
        let processes = BusValue.array(of: "u", [.uint32(UInt32(getpid()))])
        let property = BusValue.structure([.string("PIDs"), .variant(processes)])
        #expect(call?.arguments[2].elements == (hasSystemd ? [property] : nil))
    }

    // MARK: Events

    @Test func `the session reports its own keys and their changes, and no other's`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus)
        let keys = try Keys(bus)
        try keys.expect(Self.bound)
        portal.send("Activated", "record", session: "/org/example/other")
        portal.send("Activated", "other")
        portal.send("Activated", "record")
        portal.send("Deactivated", "record")
        portal.changeKey(of: "pause", to: "Meta+P")
        try keys.wait("three events") { keys.events.count >= 3 }
        #expect(keys.events == [.pressed("record", time: 0), .released("record"), .bound(["pause": "Meta+P"])])
    }

    @Test func `the person may take their time or decline, and can be asked again`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus) { $0.person = .hesitates }
        let keys = try Keys(bus)
        try keys.wait("the dialog") { portal.isDialogShown }
        try keys.wait("the call's answer") { keys.session.nextDeadline == nil }
        #expect(keys.events == [])
        portal.answerDialog(agreeing: false)
        try keys.expect(.failed(.declined))
        portal.change { $0.person = .agrees }
        keys.session.configure()
        try keys.expect(Self.bound)
        #expect(portal.questions == 2)
    }

    @Test func `a portal of version 2 shows its own dialog for keys that are bound`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus) { $0.version = 2 }
        let keys = try Keys(bus)
        try keys.expect(Self.bound)
        keys.session.configure()
        try keys.wait("the dialog") { portal.configurations == 1 }
        #expect(keys.events == [])
    }

    // MARK: Portals that fail

    @Test func `a portal that goes away and returns binds the keys again`() throws {
        let bus = try TestBus()
        let first = try StandInShortcutsPortal(bus)
        let keys = try Keys(bus)
        try keys.expect(Self.bound)
        first.end()
        try keys.expect(.failed(.portalLost))
        let second = try StandInShortcutsPortal(bus, known: ["record", "pause"])
        try keys.expect(Self.bound)
        #expect(second.questions == 0)
        second.send("Activated", "pause")
        try keys.expect(.pressed("pause", time: 0))
    }

    @Test func `the session reports that no portal binds keys, and uses one that comes later`() throws {
        let bus = try TestBus()
        let keys = try Keys(bus)
        try keys.expect(.failed(.noPortal))
        let old = try StandInShortcutsPortal(bus) { $0.hasInterface = false }
        try keys.expect(.failed(.noPortal))
        old.end()
        let new = try StandInShortcutsPortal(bus)
        try keys.expect(Self.bound)
        withExtendedLifetime(new) {}
    }

    @Test(arguments: ["CreateSession", "ListShortcuts", "BindShortcuts"])
    func `a portal that talks nonsense binds no key`(method: String) throws {
        let wrong = BusValue.properties(["shortcuts": .string("?"), "session_handle": .string("?")])
        for values in [[.string("?")], [.uint32(0)], [.uint32(0), wrong]] as [[BusValue]] {
            let bus = try TestBus()
            let portal = try StandInShortcutsPortal(bus) { $0.nonsense[method] = values }
            let keys = try Keys(bus)
            try keys.wait("the end") { !keys.events.isEmpty }
            guard case .failed(.malformed) = keys.events[0] else {
                Issue.record("\(values): \(keys.events)")
                continue
            }
            withExtendedLifetime(portal) {}
        }
    }

    @Test func `a bus that is not there is one error, and a bus that goes away another`() throws {
        for address in [nil, "unix:path=/nowhere"] {
            #expect(throws: GlobalShortcutsSession.Error.noBus) {
                try GlobalShortcutsSession(Self.shortcuts, of: Self.application, bus: address)
            }
        }
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus)
        let keys = try Keys(bus)
        try keys.expect(Self.bound)
        bus.end()
        try keys.expect(.failed(.busLost))
        #expect(keys.session.pollEntries[0].fd < 0)
        withExtendedLifetime(portal) {}
    }
}
