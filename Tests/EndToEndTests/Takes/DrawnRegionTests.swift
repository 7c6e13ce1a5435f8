// Regions that are drawn with the mouse, on a real screen: what is recorded, what is not, and what is left when nothing is drawn.
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct DrawnRegionTests {
    private static let size = MarkedScreen.size
    private static let ground = MarkedScreen.ground
    private static let mark = MarkedScreen.mark
    private static let region = MarkedScreen.region

    /// A screen of one colour, with the mark on it.
    private struct Fixture {
        let screen: PrivateScreen
        let painter: Painter

        init() throws {
            screen = try PrivateScreen(size: size)
            painter = try Painter(display: screen.name)
            let window = painter.window(PixelRect(size: size), colour: 0)
            var pixels = [UInt32](repeating: ground, count: size.area)
            for y in region.y..<region.maxY {
                for x in region.x..<region.maxX { pixels[y * size.width + x] = mark }
            }
            // The server shows them by itself where another window was.
            painter.setFrame(pixels, size: size, of: window)
            painter.moveMouse(x: 500, y: 400)
        }

        /// Whether the screen is shown dark. Then the mouse is waited for.
        var isDark: Bool { painter.pixel(x: 2, y: 2) == MarkedScreen.dark }

        func waitForOverlay() throws { try wait("the dark screen") { isDark } }

        func expectNothingLeft() throws {
            try wait("the screen as it was") { painter.pixel(x: 2, y: 2) == ground }
            try wait("the mouse") { painter.grabMouse() }
            painter.releaseMouse()
        }

        func drag(_ rect: PixelRect) {
            painter.moveMouse(x: rect.maxX - 1, y: rect.maxY - 1)
            painter.setButton(1, isPressed: true)
            painter.moveMouse(x: rect.x + 90, y: rect.y + 90)
            painter.moveMouse(x: rect.x, y: rect.y)
            painter.setButton(1, isPressed: false)
        }

        func record(in place: TestPlace, _ arguments: String...) throws -> RunningKinecast {
            try place.start(
                ["record", "a.mp4", "--audio", "none", "--no-cursor", "--json"] + arguments,
                ["DISPLAY=\(screen.name)"])
        }
    }

    @Test func `the region that is drawn is recorded, to the pixel, and the dark screen is in no frame`() throws {
        try TestPlace.with { place in
            let fixture = try Fixture()
            let take = try fixture.record(in: place, "--region", "draw")
            try fixture.waitForOverlay()
            // The rectangle is bright while it is drawn.
            fixture.painter.moveMouse(x: 20, y: 300)
            fixture.painter.setButton(1, isPressed: true)
            fixture.painter.moveMouse(x: 90, y: 400)
            try wait("the bright rectangle") { fixture.painter.pixel(x: 60, y: 350) == Self.ground }
            #expect(fixture.isDark)
            // Too small to be recorded: another is drawn.
            fixture.painter.moveMouse(x: 22, y: 302)
            fixture.painter.setButton(1, isPressed: false)
            #expect(fixture.isDark)
            fixture.drag(Self.region)
            try take.recorded(0.5)
            try fixture.expectNothingLeft()
            let name = "Area \(Self.region.width)×\(Self.region.height) of the screen"
            #expect(try place.run("status").output.contains(name))
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
            for frame in try ColourFrame.all(in: place.path("a.mp4")) {
                #expect(frame.size == Self.region.size)
                #expect(frame.distance(from: Self.mark, in: PixelRect(size: frame.size)) <= 8)
            }
        }
    }

    @Test(arguments: [false, true])
    func `Escape, or the right button, ends the command, and there is no file`(isButton: Bool) throws {
        try TestPlace.with { place in
            let fixture = try Fixture()
            let take = try fixture.record(in: place, "--region", "draw")
            try fixture.waitForOverlay()
            if isButton { fixture.painter.setButton(3, isPressed: true) } else { fixture.painter.press(.escape) }
            let ended = try take.wait()
            if isButton { fixture.painter.setButton(3, isPressed: false) }
            #expect(ended.status == ExitStatus.noPermission, "\(ended)")
            #expect((ended.output + ended.errors).contains("Drawing the region was cancelled"), "\(ended)")
            #expect(ended.output.contains(#""code":"cancelled""#), "\(ended)")
            #expect(access(place.path("a.mp4"), F_OK) != 0)
            try fixture.expectNothingLeft()
        }
    }

    @Test func `where another program has the mouse, a sentence says so`() throws {
        try TestPlace.with { place in
            let fixture = try Fixture()
            try #require(fixture.painter.grabMouse())
            let ended = try fixture.record(in: place, "--region", "draw").wait()
            #expect(ended.status == ExitStatus.unavailable, "\(ended)")
            #expect((ended.output + ended.errors).contains("another program has the mouse"), "\(ended)")
            fixture.painter.releaseMouse()
            try fixture.expectNothingLeft()
        }
    }

    @Test func `nothing is left of a drawing whose engine is killed, or that is stopped`() throws {
        try TestPlace.with { place in
            let fixture = try Fixture()
            let take = try fixture.record(in: place, "--region", "draw")
            try fixture.waitForOverlay()
            kill(try place.registry().find(nil).pid, SIGKILL)
            #expect(try take.wait().status != 0)
            try fixture.expectNothingLeft()

            let stopped = try fixture.record(in: place, "--region", "draw", "--overwrite")
            try fixture.waitForOverlay()
            stopped.signal(SIGINT)
            #expect(try stopped.wait().status != 0)
            try fixture.expectNothingLeft()
        }
    }

    @Test func `a take that runs shows a region that is drawn, and nothing of the drawing`() throws {
        try TestPlace.with { place in
            let fixture = try Fixture()
            let take = try fixture.record(in: place, "--monitor", "all", "--fps", "60")
            try take.recorded(0.3)
            func switchSource() throws -> RunningKinecast {
                let running = try place.start(["switch", "--region", "draw", "--json"])
                try fixture.waitForOverlay()
                return running
            }
            let cancelled = try switchSource()
            fixture.painter.press(.escape)
            let ended = try cancelled.wait()
            #expect(ended.status != 0 && (ended.output + ended.errors).contains("was cancelled"), "\(ended)")
            try fixture.expectNothingLeft()
            // Nobody is there for whom a region could be drawn.
            let killed = try switchSource()
            killed.signal(SIGKILL)
            _ = try killed.wait()
            try fixture.expectNothingLeft()
            // The engine may still wait for the screen to be there again: until then it refuses another one.
            var other: RunningKinecast.Ended
            repeat {
                other = try place.run("switch", "--monitor", "all", "--json")
            } while other.status != 0 && (other.output + other.errors).contains("Another source is being opened")
            #expect(other.status == 0, "\(other)")
            let drawn = try switchSource()
            fixture.drag(Self.region)
            #expect(try drawn.wait().status == 0)
            try fixture.expectNothingLeft()
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
            try MarkedScreen.expectSwitchToRegion(in: place.path("a.mp4"))
        }
    }
}
