// A screen that is locked while a take runs, and a machine that is kept awake: real programs, real buses, and logind's objects.
import CoreTesting
import DesktopTesting
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.tags(.real, .programs)) struct ScreenLockTests {
    private let bus: TestBus
    private let screen: PrivateScreen
    private let painter: Painter
    private static let size = PixelSize(width: 320, height: 240)
    private static let red: UInt32 = 0xC00000
    private static let blue: UInt32 = 0x0000C0
    /// As `CaptureLoop` draws it.
    private static let card: UInt32 = 0x282828

    init() throws {
        bus = try TestBus()
        screen = try PrivateScreen(size: Self.size)
        painter = try Painter(display: screen.name)
    }

    private func record(_ place: TestPlace, _ arguments: String...) throws -> RunningKinecast {
        try place.start(
            ["record", "--audio", "none", "--no-cursor", "--json", "a.mp4"] + arguments,
            [
                "DISPLAY=\(screen.name)", "DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)",
                "DBUS_SESSION_BUS_ADDRESS=\(bus.address)",
            ])
    }

    /// Seconds of the take until now.
    private func recordedSeconds(_ place: TestPlace) throws -> Double {
        struct Line: Decodable { var duration: Double }
        return try JSONDecoder().decode(Line.self, from: Data(place.run("status", "--json").output.utf8)).duration
    }

    private func paint(_ colour: UInt32) { _ = painter.window(PixelRect(size: Self.size), colour: colour) }

    /// The colours of a file's frames, one for each stretch of frames of the same colour.
    private func colours(_ path: String) throws -> [UInt32?] {
        let known = [Self.red, Self.blue, Self.card]
        var colours: [UInt32?] = []
        for frame in try ColourFrame.all(in: path) {
            let rect = PixelRect(x: 32, y: 32, width: 256, height: 176)
            let colour = known.first { frame.distance(from: $0, in: rect) < 24 }
            if colours.last != colour { colours.append(colour) }
        }
        return colours
    }

    @Test func `a take pauses while the screen is locked, lets the machine sleep meanwhile, and says so`() throws {
        try TestPlace.with { place in
            let logind = try LoginManager(bus)
            paint(Self.red)
            let recorder = try record(place)
            try recorder.recorded(0.3)
            try wait("the inhibition") {
                let held = logind.inhibitions
                return held.map(\.what) == ["sleep:idle"] && held.map(\.who) == ["Kinecast"] && held[0].mode == "block"
            }
            logind.lock(true)
            try recorder.event("screenLocked") { $0.locked == true }
            try recorder.event("paused")
            paint(Self.blue)
            try wait("the end of the inhibition") { logind.inhibitions.isEmpty }
            paint(Self.red)
            logind.lock(false)
            try recorder.event("screenLocked") { $0.locked == false }
            try recorder.event("resumed")
            try wait("the next inhibition") { !logind.inhibitions.isEmpty }
            recorder.signal(SIGINT)
            let ended = try recorder.wait()
            #expect(ended.status == 0)
            #expect(
                ended.events.map(\.event).filter { ["screenLocked", "paused", "resumed"].contains($0) } == [
                    "screenLocked", "paused", "screenLocked", "resumed",
                ])
            #expect(try colours(place.path("a.mp4")) == [Self.red])
            try wait("the end of the last inhibition") { logind.inhibitions.isEmpty }
        }
    }

    @Test func `where nothing else keeps the screen on, the portal is asked by a process that ends with the take`()
        throws
    {
        let left = Monitor(Set<String>())
        let path = "/org/freedesktop/portal/desktop"
        let portal = try BusService(
            bus, name: "org.freedesktop.portal.Desktop", paths: [path],
            callerLeft: { name in left.signal { _ = $0.insert(name) } }
        ) { call in
            call.member == "Inhibit"
                ? .values([.objectPath(path + "/request/1")]) : .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
        }
        try TestPlace.with { place in
            paint(Self.red)
            let recorder = try record(place)
            func inhibitions() -> [ReceivedCall] { portal.calls.filter { $0.member == "Inhibit" } }
            try wait("the inhibition") { inhibitions().count == 1 }
            let first = try #require(inhibitions().first)
            #expect(first.interface == "org.freedesktop.portal.Inhibit" && first.arguments[1] == .uint32(12))
            #expect(try place.run("pause").status == 0)
            try wait("the end of the inhibition") { left.withLock { $0.contains(first.sender) } }
            #expect(try place.run("resume").status == 0)
            try wait("the next inhibition") { inhibitions().count == 2 }
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
            try wait("the end of the last inhibition") { left.withLock { $0.contains(inhibitions()[1].sender) } }
        }
    }

    @Test
    func `a pause that is asked for while the screen is locked outlasts the lock, and the lock its service and bus`()
        throws
    {
        try TestPlace.with { place in
            let logind = try LoginManager(bus)
            let saver = try TestScreenSaver(bus)
            let recorder = try record(place)
            try recorder.recorded(0.3)
            logind.lock(true)
            try recorder.event("paused")
            #expect(try place.run("pause").status == 0)
            #expect(try place.run("pause").status == 0, "it is paused already, as asked")
            logind.lock(false)
            try recorder.event("screenLocked") { $0.locked == false }
            #expect(try place.run("status", "--json").output.contains("\"phase\":\"paused\""))
            #expect(try place.run("resume").status == 0)
            try recorder.event("resumed")
            saver.activate(true)
            try recorder.event("paused")
            saver.end()
            try recorder.event("warning") { $0.message?.hasSuffix("resume it.") == true }
            #expect(try place.run("status", "--json").output.contains("\"phase\":\"paused\""))
            let next = try TestScreenSaver(bus)
            try recorder.event("screenLocked") { $0.locked == false }
            try recorder.event("resumed")
            logind.lock(true)
            try wait("the second pause") { try place.run("status", "--json").output.contains("\"phase\":\"paused\"") }
            bus.end()
            try recorder.event("warning") { $0.message?.hasSuffix("resume it.") == true }
            #expect(try place.run("status", "--json").output.contains("\"phase\":\"paused\""))
            #expect(try place.run("resume").status == 0)
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
            withExtendedLifetime(next) {}
        }
    }

    @Test func `a take that goes on shows a card and nothing of the locked screen`() throws {
        try TestPlace.with { place in
            let logind = try LoginManager(bus)
            paint(Self.red)
            let recorder = try record(place, "--when-locked", "continue")
            try recorder.recorded(0.3)
            logind.lock(true)
            try recorder.event("screenLocked") { $0.locked == true }
            // The lock screen, which changes under the card.
            paint(Self.blue)
            let shown = try recordedSeconds(place)
            try recorder.recorded(shown + 1)
            paint(Self.red)
            logind.lock(false)
            try recorder.event("screenLocked") { $0.locked == false }
            let after = try recordedSeconds(place)
            try recorder.recorded(after + 1)
            recorder.signal(SIGINT)
            let ended = try recorder.wait()
            #expect(ended.status == 0)
            #expect(!ended.events.contains { $0.event == "paused" })
            #expect(try colours(place.path("a.mp4")) == [Self.red, Self.card, Self.red])
        }
    }

    @Test func `a take that begins while the screen is locked has nothing of it`() throws {
        try TestPlace.with { place in
            let logind = try LoginManager(bus, isLocked: true)
            paint(Self.blue)
            let recorder = try record(place)
            try recorder.event("paused")
            paint(Self.red)
            logind.lock(false)
            try recorder.event("resumed")
            let resumed = try recordedSeconds(place)
            try recorder.recorded(resumed + 0.5)
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
            #expect(try colours(place.path("a.mp4")) == [Self.card, Self.red])
        }
    }

    @Test func `a private screen goes on while the real one is locked, and lets that go dark`() throws {
        try TestPlace.with { place in
            let logind = try LoginManager(bus, isLocked: true)
            let recorder = try record(place, "--virtual", "320x240")
            try recorder.recorded(0.3)
            try wait("the inhibition") { logind.inhibitions.map(\.what) == ["sleep"] }
            logind.lock(false)
            logind.lock(true)
            try recorder.recorded(0.6)
            recorder.signal(SIGINT)
            let ended = try recorder.wait()
            #expect(ended.status == 0)
            #expect(!ended.events.contains { ["screenLocked", "paused"].contains($0.event) })
        }
    }

    @Test func `an extension is told, before its pause and after it`() throws {
        try TestPlace.with { place in
            try place.installWitness()
            let logind = try LoginManager(bus)
            paint(Self.red)
            let take = try place.start(
                ["broadcast", "--audio", "none", "--json", "--service", "org.example.witness"],
                ["DISPLAY=\(screen.name)", "DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
            try take.event("destination") { $0.state == "first video" }
            logind.lock(true)
            try take.event("destination") { $0.state == "screen locked" }
            try take.event("destination") { $0.state == "paused" }
            logind.lock(false)
            try take.event("destination") { $0.state == "screen unlocked" }
            try take.event("destination") { $0.state == "resumed" }
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }
}
