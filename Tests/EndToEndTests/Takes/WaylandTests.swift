// A session on Wayland: its screen is refused in words, and what can be recorded there is recorded.
import Glibc
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@Suite(.serialized) struct WaylandTests {
    private static let sentence = "This session runs on Wayland, whose screen Kinecast cannot record yet; log in to"
    private static let place = PixelRect(x: 20, y: 30, width: 160, height: 120)

    @Test func `the session's screen is refused, and a window of an X11 program is recorded`() throws {
        let desktop = try WaylandDesktop(size: PixelSize(width: 640, height: 480))
        let painter = try Painter(display: desktop.display)
        let window = painter.window(Self.place, colour: 0x20_4060)
        try TestPlace.with { place in
            func record(_ source: [String], _ variables: [String]) throws -> RunningKinecast.Ended {
                try place.run(
                    ["record", "a.mp4", "--overwrite", "--audio", "none", "--duration", "0.5"] + source, variables)
            }
            for source in [[], ["--monitor", "XWAYLAND0"], ["--region", "64x48+0+0"]] {
                let refused = try record(source, desktop.environment)
                #expect(
                    refused.status == ExitStatus.unavailable && refused.errors.contains(Self.sentence), "\(refused)")
                #expect(access(place.path("a.mp4"), F_OK) != 0)
            }
            let recorded = try record(["--window", "\(window)"], desktop.environment)
            #expect(recorded.status == 0, "\(recorded)")
            let frame = try ColourFrame.last(in: place.path("a.mp4"))
            #expect(frame.size == Self.place.size)
            #expect(frame.distance(from: 0x20_4060, in: PixelRect(size: frame.size)) < 6)

            // Started by hand on another desktop, Xwayland is an X server like any other.
            let other = try record([], ["DISPLAY=\(desktop.display)"])
            #expect(other.status == 0, "\(other)")
        }
    }

    @Test func `sources and doctor say so too, and list the windows`() throws {
        let desktop = try WaylandDesktop(size: PixelSize(width: 640, height: 480))
        let painter = try Painter(display: desktop.display)
        let window = painter.window(Self.place, colour: 0x20_4060)
        try TestPlace.with { place in
            let listed = try place.run(["sources"], desktop.environment)
            #expect(listed.status == 0 && listed.errors.contains(Self.sentence), "\(listed)")
            #expect(listed.output.contains("--window 0x\(String(window, radix: 16))"))
            #expect(!listed.output.contains("--monitor"))
            let json = try place.run(["sources", "--json"], desktop.environment).output
            #expect(json.contains(Self.sentence) && json.contains("\"monitors\":[]"), "\(json)")
            let examined = try place.run(["doctor"], desktop.environment).output
            #expect(examined.contains("✗ display") && examined.contains(Self.sentence), "\(examined)")
        }
    }

    @Test func `without an X server the sentence is the same`() throws {
        try TestPlace.with { place in
            let refused = try place.run(["record", "a.mp4", "--audio", "none"], ["WAYLAND_DISPLAY=wayland-0"])
            #expect(refused.status == ExitStatus.unavailable && refused.errors.contains(Self.sentence), "\(refused)")
        }
    }

    @Test func `a command on a private screen does not find the session's compositor`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                [
                    "record", "a.mp4", "--virtual", "320x240", "--", "sh", "-c",
                    "echo \"[$WAYLAND_DISPLAY] $XDG_SESSION_TYPE\"",
                ], ["WAYLAND_DISPLAY=wayland-0", "XDG_SESSION_TYPE=wayland"])
            #expect(ended.status == 0 && ended.output == "[] x11\n", "\(ended)")
        }
    }
}
