// Lock and inhibitor on real buses, with logind's objects and a screen saver's at the other end.
import CoreTesting
import DesktopTesting
import KinePlatform
import Synchronization
import Testing

@testable import KineDesktop

@Suite(.tags(.real)) struct LockAndSleepTests {
    private static let inhibition = SleepInhibition(who: "Recorder", why: "The take goes on.", keepsScreenOn: true)

    private final class Told: Sendable {
        private let events = Mutex<[Bool]>([])
        private let hasLostLock = Mutex(false)
        var locks: [Bool] { events.withLock { $0 } }
        var isLost: Bool { hasLostLock.withLock { $0 } }
        func add(_ event: Desktop.Event) {
            if case .screenLocked(let isLocked) = event { events.withLock { $0.append(isLocked) } }
            if event == .lockLost { hasLostLock.withLock { $0 = true } }
        }
    }

    private func desktop(session: TestBus?, system: TestBus?, _ told: Told = Told()) throws -> Desktop {
        try #require(Desktop(BusAddresses(session: session?.address, system: system?.address)) { told.add($0) })
    }

    /// GNOME's has a name of its own.
    @Test func `one that crashes while the screen is locked leaves it locked until the next one says otherwise`() throws
    {
        let (name, path) = ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver")
        let bus = try TestBus()
        let saver = try TestScreenSaver(bus, name: name, path: path)
        let told = Told()
        let desktop = try desktop(session: bus, system: nil, told)
        desktop.watchLock()
        try wait("the first state") { told.locks == [false] }
        saver.activate(true)
        try wait("the lock") { told.locks == [false, true] }
        saver.end()
        try wait("the loss") { told.isLost }
        #expect(told.locks == [false, true])
        let next = try TestScreenSaver(bus, name: name, path: path)
        try wait("the end of the lock") { told.locks == [false, true, false] }
        next.activate(true)
        try wait("the next lock") { told.locks == [false, true, false, true] }
        desktop.end(until: .max)
    }

    @Test func `KDE's screen counts as locked from its word before the lock on`() throws {
        let bus = try TestBus()
        let saver = try TestScreenSaver(bus)
        let told = Told()
        let desktop = try desktop(session: bus, system: nil, told)
        desktop.watchLock(isWayland: true)
        try wait("the first report") { told.locks == [false] }
        saver.announceLock()
        try wait("the lock") { told.locks == [false, true] }
        saver.activate(true)
        saver.activate(false)
        try wait("its end") { told.locks == [false, true, false] }
        desktop.end(until: .max)
    }

    @Test func `all services that keep a screen on are asked, and told when it is over`() throws {
        let (session, system) = (try TestBus(), try TestBus())
        let logind = try LoginManager(system)
        let savers = [
            try TestScreenSaver(session),
            try TestScreenSaver(session, name: "org.gnome.SessionManager", path: "/org/gnome/SessionManager"),
        ]
        let desktop = try desktop(session: session, system: system)
        desktop.inhibitSleep(Self.inhibition)
        try wait("the inhibitions") { savers.allSatisfy { $0.held == 1 } && logind.inhibitions.count == 1 }
        #expect(logind.inhibitions.first?.what == "sleep:idle")
        desktop.inhibitSleep(SleepInhibition(who: "Recorder", why: "A private screen.", keepsScreenOn: false))
        try wait("the screens' ends") {
            savers.allSatisfy { $0.held == 0 } && logind.inhibitions.map(\.what) == ["sleep"]
        }
        desktop.end(until: .max)
        try wait("the end") { logind.inhibitions.isEmpty }
    }

    @Test func `addresses come from the environment, else from systemd's places`() {
        let named = BusAddresses.find({ ["DBUS_SESSION_BUS_ADDRESS": "a", "DBUS_SYSTEM_BUS_ADDRESS": "b"][$0] }) { _ in
            false
        }
        #expect(named == BusAddresses(session: "a", system: "b"))
        let found = BusAddresses.find({ ["XDG_RUNTIME_DIR": "/run/user/1 ü"][$0] }) { _ in true }
        #expect(
            found
                == BusAddresses(
                    session: "unix:path=/run/user/1%20%c3%bc/bus", system: "unix:path=/run/dbus/system_bus_socket"))
        #expect(BusAddresses.find({ _ in nil }, exists: { _ in false }) == BusAddresses(session: nil, system: nil))
    }

    @Test func `the doctor learns what the desktop has, and does not wait for what never answers`() throws {
        let (session, system) = (try TestBus(), try TestBus())
        let addresses = BusAddresses(session: session.address, system: system.address)
        let bare = DesktopSurvey.ask(addresses, until: .max)
        #expect(bare.hasSession && bare.hasSystem && !bare.hasLogind)
        #expect(bare.notifications == nil && bare.isLocked == nil)
        #expect(bare.screenCastVersion == nil && bare.portalBackends == [])
        let (daemon, logind) = (try NotificationDaemon(session), try LoginManager(system, isLocked: true))
        let full = DesktopSurvey.ask(addresses, until: .max)
        #expect(full.capabilities.hasActions && full.hasLogind && full.isLocked == true)
        #expect(full.notifications == "Test 1.0")
        daemon.end()
        let silent = try NotificationDaemon(session, .silent)
        #expect(DesktopSurvey.ask(addresses, until: MonotonicClock.now() + 500_000_000).notifications == nil)
        withExtendedLifetime((silent, logind)) {}
    }

    @Test func `the doctor learns which part of the desktop casts for the portal, and starts none`() throws {
        let session = try TestBus()
        let portal = try StandInPortal(session)
        let path = "/org/freedesktop/portal/desktop"
        let version: [BusValue] = [.string("org.freedesktop.impl.portal.ScreenCast"), .string("version")]
        let backends = try [("gnome", true), ("gtk", false)].map { name, casts in
            try BusService(session, name: "org.freedesktop.impl.portal.desktop.\(name)", paths: [path]) { call in
                guard casts, call.member == "Get", call.arguments == version else {
                    return .error(name: "org.freedesktop.DBus.Error.UnknownInterface")
                }
                return .values([.variant(.uint32(5))])
            }
        }
        let survey = DesktopSurvey.ask(BusAddresses(session: session.address, system: nil), until: .max)
        #expect(survey.screenCastVersion == 5)
        #expect(survey.screenCastTargets == [.monitor, .window] && survey.cursorModes == CursorMode.allCases)
        #expect(survey.portalBackends == ["gnome", "gtk"] && survey.screenCastBackends == ["gnome"])
        withExtendedLifetime((portal, backends)) {}
    }
}
