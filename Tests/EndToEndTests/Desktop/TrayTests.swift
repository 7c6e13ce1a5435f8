// `kinecast tray` in a desktop's tray: a take is started, paused and stopped by its menu.
import DesktopTesting
import Glibc
import KineDesktop
import KinePlatform
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct TrayTests {
    private let bus: TestBus
    private let tray: StandInTray

    init() throws {
        bus = try TestBus()
        tray = try StandInTray(bus)
    }

    private func start(_ place: TestPlace) throws -> RunningKinecast {
        try place.makeDirectory(".config")
        try place.makeDirectory(".config/kinecast")
        try place.write("[record]\npattern = 320x240\naudio = none\n", to: ".config/kinecast/kinecast.conf")
        return try place.start(["tray"], ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"])
    }

    @Test func `its menu starts, pauses and stops a take, and lists the file`() throws {
        try TestPlace.with { place in
            let program = try start(place)
            let panel = try TrayPanel(bus, tray)
            #expect(try panel.properties()["Title"] == .string("Kinecast: idle"))
            try panel.click("Start recording")
            try panel.wait("the take") { $0.first?.label?.hasPrefix("Recording ") == true }
            #expect(try panel.properties()["Title"] == .string("Kinecast: recording"))
            try panel.wait("a second of it") { $0.first?.label != "Recording 0:00" }
            try panel.click("Pause")
            try panel.wait("the pause") { $0.first?.label?.hasPrefix("Paused") == true }
            #expect(try panel.properties()["Title"] == .string("Kinecast: paused"))
            try panel.click("Resume")
            try panel.wait("the take") { $0.first?.label?.hasPrefix("Recording") == true }
            try panel.click("Stop recording")
            try panel.wait("its end") { $0.first?.label == "Not recording" }
            let entries = try panel.entries()
            let recent = try #require(entries.first { $0.label == "Recent recordings" }?.children)
            #expect(recent.count == 1 && recent[0].isEnabled)
            let name = try #require(recent.first?.label)
            #expect(try TakeFile.finishedDuration(place.path("Kinecast/\(name)")) > 0.5)
            try panel.click("Quit")
            let ended = try program.wait()
            #expect(ended.status == 0, "\(ended)")
        }
    }

    @Test func `a second one says that one runs, and the autostart entry names this kinecast`() throws {
        try TestPlace.with { place in
            let program = try start(place)
            _ = try tray.waitForItem()
            let second = try place.run(["tray"], ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"])
            #expect(second.status == 0 && second.errors.contains("kinecast-tray is already running"), "\(second)")
            #expect(try place.run("tray", "--autostart", "on").status == 0)
            let entry = place.path(".config/autostart/org.kinecast.Kinecast.Tray.desktop")
            let bytes = try #require(PrivateDirectory.contents(of: FilePath(entry), limit: 4096))
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("\nExec=\"\(RunningKinecast.executable)\" tray\n"), "\(text)")
            #expect(try place.run("tray", "--autostart", "off").status == 0 && access(entry, F_OK) != 0)
            #expect(try place.run("tray", "--autostart", "on", "--quit").status == ExitStatus.usage)
            bus.end()
            let ended = try program.wait()
            #expect(ended.status == 0 && ended.errors.contains("The session bus has ended"), "\(ended)")
            #expect(try place.run("tray", "--quit").errors.contains("kinecast-tray is not running."))
        }
    }
}
