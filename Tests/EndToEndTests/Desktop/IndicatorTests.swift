// What the desktop shows while a take runs, with real programs, a real bus and a notification server at its other end.
import CoreTesting
import DesktopTesting
import Glibc
import KineDesktop
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.tags(.real, .programs)) struct IndicatorTests {
    private let bus: TestBus
    private let daemon: NotificationDaemon
    private let screen: PrivateScreen

    init() throws {
        bus = try TestBus()
        daemon = try NotificationDaemon(bus)
        screen = try PrivateScreen(size: PixelSize(width: 320, height: 240))
    }

    private func record(_ place: TestPlace, _ arguments: String...) throws -> RunningKinecast {
        try place.start(
            ["record", "--audio", "none", "--json", "a.mp4"] + arguments,
            ["DISPLAY=\(screen.name)", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)"])
    }

    @Test func `Stop on the desktop ends the take with a whole file, and says who stopped it`() throws {
        try TestPlace.with { place in
            let recorder = try record(place)
            let shown = try daemon.wait("the indicator") { _ in true }
            #expect(shown.title == "Kinecast is recording the screen")
            #expect(shown.actions == ["stop", "Stop"])
            try recorder.recorded(0.5)
            daemon.press("stop", of: shown.id)
            let ended = try recorder.wait()
            #expect(ended.status == 0)
            let summary = try #require(ended.events.last)
            #expect(summary.result == "finished" && summary.reason == "stopped at the desktop")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) >= 0.5)
            #expect(daemon.shown == [])
        }
    }

    @Test func `it says that the take is paused, and stays away once the person has closed it`() throws {
        try TestPlace.with { place in
            let recorder = try record(place)
            let first = try daemon.wait("the indicator") { _ in true }
            try place.run("pause")
            let paused = try daemon.wait("the pause") { $0.title == "Kinecast has paused recording the screen" }
            #expect(paused.id == first.id)
            daemon.dismiss(paused.id)
            try place.run("resume")
            _ = try daemon.wait("the next state") { $0.title == "Kinecast is recording the screen" }
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
            #expect(daemon.shown == [])
        }
    }

    @Test func `neither --no-indicator nor a private screen or a pattern shows anything`() throws {
        try TestPlace.with { place in
            for arguments in [["--no-indicator"], ["--virtual", "320x240"], ["--pattern", "320x240"]] {
                let recorder = try place.start(
                    ["record", "--audio", "none", "--json", "--overwrite", "a.mp4"] + arguments,
                    ["DISPLAY=\(screen.name)", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)"])
                try recorder.recorded(0.2)
                try place.run("pause")
                recorder.signal(SIGINT)
                #expect(try recorder.wait().status == 0)
            }
            #expect(daemon.notifyCount == 0)
            #expect(daemon.calls == [], "it was not even looked for")
        }
    }

    @Test func `a server that takes the notification and never answers holds nothing up`() throws {
        try TestPlace.with { place in
            let quiet = try TestBus()
            let silent = try NotificationDaemon(quiet, .deaf)
            let recorder = try place.start(
                ["record", "--audio", "none", "--json", "a.mp4"],
                ["DISPLAY=\(screen.name)", "DBUS_SESSION_BUS_ADDRESS=\(quiet.address)"])
            try recorder.recorded(0.5)
            recorder.signal(SIGINT)
            #expect(try recorder.wait().status == 0)
            #expect(silent.shown == [])
        }
    }
}

/// A notification daemon that people use: what it says it can do and what it takes are its own.
@Suite(.tags(.real, .programs)) struct RealNotificationDaemonTests {
    @Test func `dunst shows the indicator, presses its button, and shows nothing at the end`() throws {
        try TestPlace.with { place in
            let (bus, screen) = (try TestBus(), try PrivateScreen(size: PixelSize(width: 640, height: 480)))
            let desktop = ["DISPLAY=\(screen.name)", "DBUS_SESSION_BUS_ADDRESS=\(bus.address)"]
            var options = ChildProcess.Options()
            options.descriptors = [nil, nil, nil]
            options.parentDeathSignal = SIGTERM
            let dunst = try ChildProcess(
                executable: try Tool.path(of: "dunst"), arguments: [],
                environment: ProcessEnvironment.merging(place.environment, desktop), options: options)
            defer { _ = dunst.end(deadline: MonotonicClock.now() + 10_000_000_000) }
            func control(_ arguments: String...) throws -> String {
                try Tool.output("env", desktop + [try Tool.path(of: "dunstctl")] + arguments)
            }
            try wait("dunst") { (try? control("count", "displayed")) != nil }
            let recorder = try place.start(["record", "--audio", "none", "--json", "a.mp4"], desktop)
            try recorder.recorded(0.3)
            try wait("the indicator") { try control("count", "displayed").hasPrefix("1") }
            _ = try control("action")
            let ended = try recorder.wait()
            #expect(ended.status == 0)
            #expect(ended.events.last?.reason == "stopped at the desktop")
            #expect(try control("count", "displayed").hasPrefix("0"))
        }
    }
}
