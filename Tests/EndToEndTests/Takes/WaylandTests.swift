// A session on Wayland: screens, monitors and regions of a compositor that lets itself be copied, the refusal of one that does not, and
// windows of X11 programs.
import CastTesting
import CoreTesting
import DesktopTesting
import Glibc
import KineCapture
import KineMeasure
import KineMedia
import KinePlatform
import KineWayland
import ProcessTesting
import ScreenTesting
import SystemPackage
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct WaylandTests {
    private static let size = PixelSize(width: 640, height: 480)
    private static let place = PixelRect(x: 20, y: 30, width: 160, height: 120)
    /// Without a bus, a desktop that has to be asked cannot be.
    private static let refusal = "There is no session bus on which the desktop could be asked for its screen"

    private func record(_ place: TestPlace, _ source: [String], _ variables: [String]) throws -> RunningKinecast.Ended {
        try place.run(
            ["record", "a.mp4", "--overwrite", "--audio", "none", "--duration", "0.5"] + source, variables)
    }

    // MARK: A compositor with screencopy

    @Test func `the screen, a monitor and a region are recorded, in the pixels' own colours`() throws {
        let desktop = try SwayDesktop(size: Self.size)
        let scene = try SceneProcess(.bars, environment: desktop.environment)
        defer { scene.end() }
        try TestPlace.with { place in
            for source in [[], ["--monitor", "HEADLESS-1"], ["--monitor", "all"], ["--backend", "wlr"]] {
                let recorded = try record(place, source, desktop.environment)
                #expect(recorded.status == 0, "\(recorded)")
                let frame = try ColourFrame.last(in: place.path("a.mp4"))
                #expect(frame.size == Self.size)
                for (index, bar) in BarsScene.colours.enumerated() {
                    let rect = BarsScene.bar(index, size: Self.size)
                    let inner = PixelRect(x: rect.x + 4, y: 64, width: rect.width - 8, height: rect.height - 64)
                    #expect(frame.distance(from: bar.pixel, in: inner) <= 2, "bar \(index)")
                }
            }
            let painted = try WaylandPainter(Self.place, colour: 0x20_4060, display: desktop.display)
            let region = try record(place, ["--region", "160x120+20+30"], desktop.environment)
            #expect(region.status == 0, "\(region)")
            let frame = try ColourFrame.last(in: place.path("a.mp4"))
            #expect(frame.size == Self.place.size)
            #expect(frame.distance(from: 0x20_4060, in: PixelRect(size: frame.size)) < 6)
            withExtendedLifetime(painted) {}
        }
    }

    @Test func `a turned monitor is recorded upright`() throws {
        let desktop = try SwayDesktop(size: Self.size)
        try desktop.perform("output HEADLESS-1 transform 90")
        let ground = try WaylandPainter(
            PixelRect(x: 0, y: 0, width: 480, height: 640), colour: 0x00_0000, isGround: true, display: desktop.display)
        let corner = try WaylandPainter(
            PixelRect(x: 0, y: 0, width: 64, height: 128), colour: 0xff_ffff, display: desktop.display)
        try TestPlace.with { place in
            let recorded = try record(place, [], desktop.environment)
            #expect(recorded.status == 0, "\(recorded)")
            let frame = try ColourFrame.last(in: place.path("a.mp4"))
            #expect(frame.size == PixelSize(width: 480, height: 640))
            #expect(frame.distance(from: 0xff_ffff, in: PixelRect(x: 2, y: 2, width: 60, height: 124)) < 6)
            #expect(frame.distance(from: 0, in: PixelRect(x: 68, y: 0, width: 400, height: 640)) < 6)
        }
        withExtendedLifetime((ground, corner)) {}
    }

    @Test func `what a compositor does not give is refused in a sentence that names it`() throws {
        let desktop = try SwayDesktop(size: PixelSize(width: 64, height: 64))
        try TestPlace.with { place in
            for (option, feature) in [
                (["--show-clicks"], "showing clicks"), (["--show-keys", "all"], "showing keys"),
                (["--cursor-scale", "2"], "a larger cursor"),
            ] {
                let refused = try record(place, option, desktop.environment)
                #expect(refused.status == ExitStatus.unavailable, "\(refused)")
                #expect(
                    refused.errors.contains("A session on Wayland does not give what \(feature) needs"), "\(refused)")
            }
            for (option, feature) in [
                (["--window", "title:Mail"], "recording a window"), (["--window", "focused"], "recording a window"),
                (["--window", "0x77"], "recording a window"), (["--app", "gimp"], "recording an application"),
                (["--exclude", "title:Mail"], "hiding windows"),
            ] {
                let refused = try record(place, option, desktop.environment)
                #expect(refused.status == ExitStatus.unavailable, "\(refused)")
                #expect(refused.errors.contains("what \(feature) needs"), "\(refused)")
                #expect(refused.errors.contains("--window ask"), "\(refused)")
            }
            let onX11 = try record(place, ["--backend", "x11"], desktop.environment)
            #expect(onX11.status == ExitStatus.unavailable && onX11.errors.contains("runs on Wayland"), "\(onX11)")
            #expect(access(place.path("a.mp4"), F_OK) != 0)
        }
    }

    @Test func `sources and doctor name the monitors`() throws {
        let desktop = try SwayDesktop(size: Self.size)
        try TestPlace.with { place in
            let listed = try place.run(["sources"], desktop.environment)
            #expect(listed.status == 0 && listed.output.contains("--monitor HEADLESS-1"), "\(listed)")
            let examined = try place.run(["doctor"], desktop.environment).output
            #expect(examined.contains("Wayland by wlr-screencopy: HEADLESS-1 640x480"), "\(examined)")
            #expect(examined.contains("a compositor of wlroots"), "\(examined)")
            #expect(examined.contains("✓ region") && examined.contains("slurp"), "\(examined)")
            // Neither is needed here.
            #expect(examined.contains("only --window ask and --backend portal need it"), "\(examined)")
            #expect(!examined.contains("✗ portal") && !examined.contains("✗ pipewire"), "\(examined)")
        }
    }

    @Test func `doctor names the portal, what it shares, and PipeWire, also as JSON`() throws {
        let desktop = try SwayDesktop(size: PixelSize(width: 64, height: 64))
        let bus = try TestBus()
        let portal = try StandInPortal(bus)
        let pipeWire = try PrivatePipeWire()
        try TestPlace.with { place in
            let variables =
                desktop.environment + [
                    "DBUS_SESSION_BUS_ADDRESS=\(bus.address)", "XDG_CURRENT_DESKTOP=sway",
                    "PIPEWIRE_RUNTIME_DIR=\(FilePath(pipeWire.socket).removingLastComponent())",
                ]
            for arguments in [["doctor"], ["doctor", "--json"]] {
                let examined = try place.run(arguments, variables).output
                #expect(examined.contains("version 5 shares monitors and windows, the pointer hidden"), "\(examined)")
                #expect(examined.contains("server ") && examined.contains(", library "), "\(examined)")
                #expect(
                    examined.contains("the desktop is sway, by its protocols a compositor of wlroots"), "\(examined)")
            }
        }
        withExtendedLifetime(portal) {}
    }

    // MARK: A region that is drawn

    /// Waits until the black ground is seen through what slurp shows.
    private func waitForOverlay(on desktop: SwayDesktop) throws {
        let screen = try SeenScreen(desktop.display)
        try wait("the overlay") { try screen.colour(x: 0, y: 0) ?? 0 != 0 }
    }

    @Test func `a region is drawn with the mouse, and what is shown meanwhile is in no frame`() throws {
        let desktop = try SwayDesktop(size: Self.size)
        let mouse = try WaylandMouse(on: desktop.display, desktop: Self.size)
        let ground = try WaylandPainter(
            PixelRect(size: Self.size), colour: 0, isGround: true, display: desktop.display)
        try TestPlace.with { place in
            let take = try place.start(
                ["record", "a.mp4", "--region", "draw", "--audio", "none", "--duration", "0.5"], desktop.environment)
            try waitForOverlay(on: desktop)
            try mouse.drag(from: (20, 30), to: (179, 149))
            let recorded = try take.wait()
            #expect(recorded.status == 0, "\(recorded)")
            let frames = try ColourFrame.all(in: place.path("a.mp4"))
            #expect(frames.first?.size == Self.place.size)
            #expect(frames.allSatisfy { $0.distance(from: 0, in: PixelRect(size: $0.size)) < 6 })
        }
        withExtendedLifetime(ground) {}
    }

    @Test func `a take of the screen that has a region drawn does not show what it is drawn on`() throws {
        let desktop = try SwayDesktop(size: Self.size)
        let mouse = try WaylandMouse(on: desktop.display, desktop: Self.size)
        let ground = try WaylandPainter(
            PixelRect(size: Self.size), colour: 0, isGround: true, display: desktop.display)
        try TestPlace.with { place in
            let take = try place.start(
                ["record", "a.mp4", "--audio", "none", "--json"], desktop.environment)
            try take.recorded(0.1)
            for isCancelled in [true, false] {
                let change = try place.start(["switch", "--region", "draw"], desktop.environment)
                try waitForOverlay(on: desktop)
                if isCancelled { try mouse.pressEscape() } else { try mouse.drag(from: (20, 30), to: (179, 149)) }
                let changed = try change.wait()
                #expect((changed.status == 0) == !isCancelled, "\(changed)")
            }
            take.signal(SIGTERM)
            #expect(try take.wait().status == 0)
            let frames = try ColourFrame.all(in: place.path("a.mp4"))
            // The pointer is elsewhere; sway draws it itself here.
            let seen = PixelRect(x: 220, y: 0, width: 400, height: 400)
            #expect(frames.count > 1 && frames.allSatisfy { $0.distance(from: 0, in: seen) < 6 })
        }
        withExtendedLifetime(ground) {}
    }

    @Test(arguments: ["Escape", "a signal"])
    func `whoever ends the drawing ends the take, and nothing stays on the screen`(way: String) throws {
        let desktop = try SwayDesktop(size: Self.size)
        let mouse = try WaylandMouse(on: desktop.display, desktop: Self.size)
        let ground = try WaylandPainter(
            PixelRect(size: Self.size), colour: 0, isGround: true, display: desktop.display)
        try TestPlace.with { place in
            let take = try place.start(
                ["record", "a.mp4", "--region", "draw", "--audio", "none"], desktop.environment)
            try waitForOverlay(on: desktop)
            if way == "Escape" { try mouse.pressEscape() } else { take.signal(SIGTERM) }
            let ended = try take.wait()
            #expect(ended.status == (way == "Escape" ? ExitStatus.noPermission : ExitStatus.unavailable), "\(ended)")
            #expect(ended.errors.contains("Drawing the region was cancelled") == (way == "Escape"), "\(ended)")
            #expect(access(place.path("a.mp4"), F_OK) != 0)
        }
        withExtendedLifetime(ground) {}
    }

    @Test func `a take whose compositor ends is whole`() throws {
        let desktop = try SwayDesktop(size: Self.size)
        try TestPlace.with { place in
            let take = try place.start(["record", "a.mp4", "--audio", "none", "--json"], desktop.environment)
            try take.event("progress")
            desktop.end()
            let ended = try take.wait()
            #expect(
                ended.errors.contains("The Wayland compositor has gone away") || ended.output.contains("has gone away"),
                "\(ended)")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    /// Which numbers are in the file depends on how busy the machine is: `EnduranceTests.RateTests` judges that.
    @Test func `the numbers of a moving scene are in the file in their order, each once, for as long as the take`()
        throws
    {
        try TestPlace.with { place in
            let recording = try SceneRecording(
                of: .motion, ["--fps", "30"], on: .wayland, in: place, "--fps", "30", "--duration", "2")
            var numbers: [Int] = []
            try recording.video.decode { _, luma in
                if let number = Barcode.read(luma) { numbers.append(number) }
            }
            #expect(numbers.count == recording.video.frames.count, "a frame without a number")
            #expect(numbers == Set(numbers).sorted(), "\(numbers)")
            let summary = recording.summary
            #expect(summary.framesDrawn == numbers.count && summary.framesDropped != nil)
            #expect(Set(numbers).isSubset(of: recording.shown.map(\.frame)))
            let length = try #require(summary.duration)
            #expect(length >= 2 && abs(recording.video.duration - length) < 0.002, "\(recording.video.duration)")
        }
    }

    // MARK: A compositor without it

    @Test func `without a bus its screen is refused, and a window of an X11 program is recorded`() throws {
        let desktop = try WaylandDesktop(size: Self.size)
        let painter = try Painter(display: desktop.display)
        let window = painter.window(Self.place, colour: 0x20_4060)
        let environment = desktop.environment
        try TestPlace.with { place in
            for (source, words) in [
                ([], Self.refusal), (["--monitor", "headless"], Self.refusal),
                (["--monitor", "XWAYLAND0"], "There is no monitor XWAYLAND0 on this display; it has headless"),
                (["--region", "64x48+0+0"], Self.refusal), (["--window", "ask"], Self.refusal),
                (["--region", "draw"], Self.refusal),
                (["--backend", "wlr"], "This compositor does not let programs copy its screen"),
            ] {
                let refused = try record(place, source, environment)
                #expect(refused.status == ExitStatus.unavailable && refused.errors.contains(words), "\(refused)")
                #expect(access(place.path("a.mp4"), F_OK) != 0)
            }
            let recorded = try record(place, ["--window", "\(window)"], environment)
            #expect(recorded.status == 0, "\(recorded)")
            let frame = try ColourFrame.last(in: place.path("a.mp4"))
            #expect(frame.size == Self.place.size)
            #expect(frame.distance(from: 0x20_4060, in: PixelRect(size: frame.size)) < 6)

            let listed = try place.run(["sources"], environment)
            #expect(listed.status == 0, "\(listed)")
            #expect(listed.output.contains("--window 0x\(String(window, radix: 16))"))
            let examined = try place.run(["doctor"], environment).output
            #expect(examined.contains("✗ display") && examined.contains(Self.refusal), "\(examined)")

            // Started by hand on another desktop, Xwayland is an X server like any other.
            let other = try record(place, [], ["DISPLAY=\(desktop.display)"])
            #expect(other.status == 0, "\(other)")
        }
    }

    @Test func `a compositor that is not there is named`() throws {
        try TestPlace.with { place in
            let refused = try record(place, [], ["WAYLAND_DISPLAY=wayland-77"])
            #expect(refused.status == ExitStatus.unavailable, "\(refused)")
            #expect(refused.errors.contains("The Wayland compositor wayland-77 does not answer"), "\(refused)")
        }
    }
}
