// Keys in a recording: real programs that are typed into, a real accessibility bus, and the file.
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KineX11
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct ShownKeysTests {
    private static let size = PixelSize(width: 640, height: 480)
    private static let ground: UInt32 = 0x20_4060
    private static let red: UInt32 = 0xc0_2020
    private static let green: UInt32 = 0x20_c020
    /// Inside of the narrowest badge, beside its letter.
    private static let badge = PixelRect(x: 307, y: 446, width: 4, height: 4)
    /// Tells the two parts of the recording apart.
    private static let marker = PixelRect(x: 600, y: 440, width: 32, height: 32)

    private func has(_ colour: UInt32, _ frame: ColourFrame) -> Bool {
        frame.distance(from: colour, in: inside(Self.marker)) < 24
    }

    private func hasBadge(_ frame: ColourFrame) -> Bool { frame.distance(from: Self.ground, in: Self.badge) > 16 }

    @Test func `what is typed is shown in a field, and never in a terminal`() throws {
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: Self.size)
            let painter = try Painter(display: screen.name)
            let ground = painter.window(PixelRect(size: Self.size), colour: Self.ground)
            painter.fill(ground, Self.marker, Self.red)
            let session = try TestBus()
            let bus = try AccessibilityBus(session: session, display: screen.name)
            let terminal = try bus.start("xterm", ["-geometry", "40x10+0+0", "-e", "cat"])
            let form = try bus.start("zenity", ["--entry"])
            defer { for program in [terminal, form] { _ = program.end(signal: SIGKILL, deadline: 0) } }
            let windows = try ["xterm", "zenity"].map { try window(of: $0, on: screen) }
            painter.move(windows[1], x: 300, y: 0)

            painter.focus(windows[0])
            let take = try place.start(
                [
                    "record", "--audio", "none", "--no-cursor", "--no-indicator", "--json", "--quality", "10", "a.mp4",
                    "--show-keys", "all",
                ], ["DISPLAY=\(screen.name)", "DBUS_SESSION_BUS_ADDRESS=\(session.address)"])
            let first = try take.event("progress").framesDrawn ?? 0
            for key in [Painter.Key.s, .t, .a, .s, .t, .a] {
                painter.press(key)
                usleep(300_000)
            }
            // What was typed is in the file.
            _ = try take.event("progress") { $0.framesDrawn ?? 0 > first }

            painter.fill(ground, Self.marker, Self.green)
            painter.focus(windows[1])
            // Each look decodes the file from its beginning, and it grows meanwhile.
            try wait("a letter in the file", seconds: 2 * WaitLimit.seconds) {
                painter.press(.a)
                usleep(300_000)
                // Any frame counts: reading the file can take longer than a letter is shown.
                let frames = try? ColourFrame.all(in: place.path("a.mp4"), isFinished: false)
                return frames?.contains { has(Self.green, $0) && hasBadge($0) } == true
            }
            take.signal(SIGINT)
            let ended = try take.wait()
            try #require(ended.status == 0, "\(ended)")
            let frames = try ColourFrame.all(in: place.path("a.mp4"))
            let inTerminal = frames.filter { has(Self.red, $0) }
            #expect(!inTerminal.isEmpty)
            #expect(!inTerminal.contains(where: hasBadge))
        }
    }

    @Test func `a shortcut is shown without any bus`() throws {
        try TestPlace.with { place in
            let screen = try PrivateScreen(size: Self.size)
            let painter = try Painter(display: screen.name)
            _ = painter.window(PixelRect(size: Self.size), colour: Self.ground)
            let take = try place.record(screen.name, "a.mp4", "--no-cursor", "--show-keys", "shortcuts")
            let first = try take.event("progress").framesDrawn ?? 0
            painter.press(.t, with: .control, .shift)
            _ = try take.event("progress") { $0.framesDrawn ?? 0 > first }
            take.signal(SIGINT)
            let ended = try take.wait()
            try #require(ended.status == 0, "\(ended)")
            #expect(try ColourFrame.all(in: place.path("a.mp4")).contains(where: hasBadge))
        }
    }

    private func inside(_ rect: PixelRect) -> PixelRect {
        PixelRect(x: rect.x + 4, y: rect.y + 4, width: rect.width - 8, height: rect.height - 8)
    }

    private func window(of application: String, on screen: PrivateScreen) throws -> UInt32 {
        var window: UInt32?
        try wait("the window of \(application)", seconds: 60) {
            // Zenity 3 is called Zenity, and Zenity 4 zenity.
            window = try X11Inventory(display: screen.name).windows
                .first { $0.application.lowercased() == application }?.id
            return window != nil
        }
        return try #require(window)
    }
}
