// The studio on the desktops that people have, whose own dialogs ask what may be recorded and where a file goes.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .desktops, .endurance)) struct StudioDesktopsTests {
    private static let size = PixelSize(width: 1280, height: 720)
    /// KDE's portal 5.27 crashes now and then while its dialog shows the monitor.
    private static let compositors: [PortalDesktop.Kind] =
        PortalDesktop.isOfDebian12 ? [.mutter] : [.mutter, .kwin]

    /// A desktop with the studio's first window.
    private struct Walk {
        let place: TestPlace
        let desktop: PortalDesktop
        let pointer: any DesktopInput
        let chromium: ChromiumDesktop

        /// Answers the dialog until it is over.
        func answer(_ clicks: PortalDialog.Clicks, until isOver: () throws -> Bool) throws {
            try pointer.answer(clicks) {
                try desktop.leaveOverview()
                return try isOver()
            }
        }

        /// Whether the person has permitted the monitor.
        var isPermitted: Bool {
            let kept = place.path(".local/state/kinecast/screen-cast")
            return PrivateDirectory.entries(FilePath(kept)).contains { $0.hasPrefix("kinecast.monitor") }
        }

        /// Waits for a take, and then long enough for some frames.
        func waitForFilm() throws {
            try place.waitForTake()
            _ = WakeSignal.poll([], until: MonotonicClock.now() + 2_000_000_000)
        }

        /// The first and only recording.
        func recording() throws -> String {
            let files = PrivateDirectory.entries(FilePath(place.path("Kinecast"))).filter { $0.hasSuffix(".mp4") }
            return place.path("Kinecast/\(try #require(files.first))")
        }
    }

    /// - Parameter isCovered: a picture of known colours covers the desktop, and its panel too.
    private func walk(
        on kind: PortalDesktop.Kind, isCovered: Bool = true, _ body: (Walk) throws -> Void
    ) throws {
        let desktop = try PortalDesktop(kind, size: Self.size)
        let pointer = try desktop.input()
        let scene =
            isCovered ? try SceneProcess(.bars, arguments: ["--mute"], environment: desktop.environment) : nil
        defer { scene?.end() }
        try TestPlace.with { place in
            for name in [".config", ".config/kinecast"] { try place.makeDirectory(name) }
            let settings = "audio = none\nno-cursor = true\nbackend = portal\n"
            try place.write("[record]\n\(settings)[broadcast]\n\(settings)", to: ".config/kinecast/kinecast.conf")
            let chromium = try ChromiumDesktop(place, onWayland: desktop.environment)
            let studio = try place.start(["studio"], chromium.environment)
            try body(Walk(place: place, desktop: desktop, pointer: pointer, chromium: chromium))
            #expect(try place.run(["studio", "--quit"], chromium.environment).status == 0)
            #expect(try studio.wait().status == 0)
        }
    }

    @Test(arguments: [.gnomeShell] + compositors)
    func `the dialog is answered, and the film shows the desktop without the window, which comes back`(
        kind: PortalDesktop.Kind
    ) throws {
        try walk(on: kind) { walk in
            try walk.chromium.withWindow { try $0.recordHidden() }
            try walk.answer(PortalDialog(of: kind).monitor) { walk.isPermitted }
            try walk.waitForFilm()
            #expect(try walk.place.run("stop").status == 0)
            try walk.chromium.withWindow { window in
                #expect(try window.plays())
                try window.close()
            }
            // GNOME's shell says above that it has no display manager. KWin has the pointer in all that it casts, since it draws in memory.
            let banner = 160
            let pointer = try #require(PortalDialog(of: kind).monitor.last).y
            let rows = [banner..<max(banner, pointer - 4), max(banner, pointer + 40)..<Self.size.height]
            for (number, frame) in try ColourFrame.all(in: walk.recording()).enumerated() {
                for (index, bar) in BarsScene.colours.enumerated() {
                    let rect = BarsScene.bar(index, size: Self.size)
                    for rows in rows where !rows.isEmpty {
                        let part = PixelRect(
                            x: rect.x + 4, y: rows.lowerBound, width: rect.width - 8, height: rows.count)
                        #expect(frame.distance(from: bar.pixel, in: part) <= 24, "frame \(number), bar \(index)")
                    }
                }
            }
        }
    }

    @Test func `GNOME's own indicator ends the take, and the window comes back with the recording`() throws {
        try walk(on: .gnomeShell, isCovered: false) { walk in
            try walk.chromium.withWindow { try $0.recordHidden() }
            try walk.answer(PortalDialog(of: .gnomeShell).monitor) { walk.isPermitted }
            try walk.place.waitForTake()
            var places = stride(from: 1040, to: 1240, by: 12).makeIterator()
            try wait("the end of the take") {
                if let x = places.next() {
                    let pointer = try walk.desktop.input()
                    try pointer.move(to: x, 16)
                    // The indicator ends all sessions, also the one that clicks.
                    try? pointer.click()
                }
                _ = WakeSignal.poll([], until: MonotonicClock.now() + 500_000_000)
                return try walk.place.registry().list().running.isEmpty
            }
            try walk.chromium.withWindow { window in
                #expect(try window.plays())
                try window.close()
            }
        }
    }

    @Test(arguments: compositors.filter { $0 == .kwin })
    func `KDE's own item in the tray ends the take, and the window comes back`(kind: PortalDesktop.Kind) throws {
        try walk(on: kind) { walk in
            try walk.desktop.startPanel()
            try walk.chromium.withWindow { window in
                #expect(try window.isIdle())
                try window.skipCountdown()
                // The tray leads back, so nothing is asked.
                try window.clickLast("Record")
            }
            try walk.answer(PortalDialog(of: kind).monitor) { walk.isPermitted }
            try walk.waitForFilm()
            #expect(try walk.desktop.trayItem("org.kinecast.Kinecast") != nil)
            let item = try walk.desktop.trayItem("xdg-desktop-portal-kde")
            try #require(item).click("End")
            try walk.chromium.withWindow { window in
                #expect(try window.plays())
                try window.close()
            }
        }
    }

    @Test(arguments: compositors)
    func `a dialog that is cancelled is no error: the window comes back as it was`(kind: PortalDesktop.Kind) throws {
        try walk(on: kind) { walk in
            try walk.chromium.withWindow { try $0.recordHidden() }
            try walk.answer(PortalDialog(of: kind).cancel) { walk.chromium.isOpen }
            try walk.chromium.withWindow { window in
                #expect(try window.isIdle())
                #expect(try window.browser.run("return document.getElementById('problem').hidden"))
                try window.close()
            }
            #expect(PrivateDirectory.entries(FilePath(walk.place.path("Kinecast"))) == [])
        }
    }

    @Test(arguments: compositors)
    func `the desktop is live for a player, by the link that the window copies`(kind: PortalDesktop.Kind) throws {
        try walk(on: kind) { walk in
            try walk.chromium.withWindow { window in
                #expect(try window.isIdle())
                try window.skipCountdown()
                try window.turn("Stream live")
                try window.click("Go live")
                try window.answer(nil, "This window stays")
                try walk.answer(PortalDialog(of: kind).monitor) { walk.isPermitted }
                #expect(try window.shows("Live"))
                try window.click("Copy link")
                let link: String = try window.browser.run("return document.querySelector('.link code').textContent")
                let found = try walk.place.run(["status", "--json"], walk.desktop.environment).output
                #expect(found.contains(link.prefix { $0 != "#" }))
                try window.endTake()
                #expect(try window.plays())
                try window.close()
            }
            #expect(try TakeFile.finishedDuration(walk.recording()) > 0.5)
        }
    }

    @Test(arguments: compositors)
    func `a cut is saved where the desktop's own file dialog says`(kind: PortalDesktop.Kind) throws {
        try walk(on: kind) { walk in
            try walk.chromium.withWindow { window in
                #expect(try window.isIdle())
                if kind == .mutter, !PortalDesktop.isOfDebian12 { try walk.desktop.startFileManager() }
                try walk.place.makeDirectory("Kinecast")
                let talk = walk.place.path("Kinecast/Talk.mp4")
                let ended = try walk.place.run(
                    "record", "--pattern", "320x240", "--fps", "10", "--cfr", "--audio", "none", "--duration", "2s",
                    talk)
                #expect(ended.status == 0, "\(ended)")
                try window.click("Open recording")
                #expect(try window.plays("Talk"))
                try window.cutFirstSecond()
                try window.click("Save as new")
                try window.answer("Part", "Choose a place…")
                try wait("the cut") {
                    // Nothing tells when the dialog is there and takes keys.
                    usleep(500_000)
                    try walk.pointer.type(Self.enter)
                    return try window.browser.run(
                        "return document.querySelector('.jobs li:last-child')?.dataset.state === 'done'")
                }
                try window.close()
            }
            #expect(try TakeFile.listedDuration(walk.place.path("Kinecast/Part.mp4")) < 1.2)
        }
    }

    /// linux/input-event-codes.h
    private static let enter: UInt32 = 28
}
