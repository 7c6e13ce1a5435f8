// One application's windows, its menus and its tips: wherever they lie, whatever covers them, and nothing else.
import CoreTesting
import Glibc
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11ApplicationTests {
    private static let size = PixelSize(width: 400, height: 300)
    private static let ground: UInt32 = 0x20_4060
    private static let colour: UInt32 = 0x80_c040
    private static let secret: UInt32 = 0xff_00ff
    private static let place = PixelRect(x: 50, y: 40, width: 120, height: 90)
    private static let target = X11ScreenSource.Target.application("editor", monitor: nil)

    /// A screen with two programs: the application, and another one whose window fills the screen.
    private final class Fixture {
        let screen: PrivateScreen
        let application: Painter
        let other: Painter
        let ground: UInt32

        init() throws {
            screen = try PrivateScreen(size: size)
            application = try Painter(display: screen.name)
            other = try Painter(display: screen.name)
            ground = other.window(PixelRect(size: size), colour: X11ApplicationTests.ground)
        }

        func window(
            _ rect: PixelRect = place, colour: UInt32 = colour, border: Int = 0, title: String = "Notes"
        ) -> UInt32 {
            let window = application.window(rect, colour: colour, border: border, isShown: false)
            application.setApplication(window, "Editor")
            application.setTitle(window, title)
            application.map(window)
            return window
        }

        /// Covers all of the screen.
        func cover() -> UInt32 { other.window(PixelRect(size: size), colour: secret) }

        func watcher(excluding: [X11WindowRule] = [], monitor: String? = nil) throws -> Watcher {
            try Watcher(.application("editor", monitor: monitor), on: screen.name, excluding: excluding)
        }
    }

    /// Whether the frame has this colour in the given places and black elsewhere.
    private func shows(_ watcher: Watcher, _ colour: UInt32 = colour, _ places: PixelRect...) -> Bool {
        (0..<watcher.size.height).allSatisfy { y in
            (0..<watcher.size.width).allSatisfy { x in
                let isInside = places.contains { !$0.intersection(PixelRect(x: x, y: y, width: 1, height: 1)).isEmpty }
                return watcher.colour(x, y) == (isInside ? colour : 0)
            }
        }
    }

    @Test func `all of its windows are seen at their places, and nothing else`() throws {
        let fixture = try Fixture()
        _ = fixture.window()
        let second = PixelRect(x: 250, y: 200, width: 60, height: 50)
        _ = fixture.window(second)
        let watcher = try fixture.watcher()
        #expect(watcher.size == Self.size)
        #expect(shows(watcher, Self.colour, Self.place, second))
    }

    @Test func `what covers a window is not seen in it, neither at first nor later`() throws {
        let fixture = try Fixture()
        let window = fixture.window()
        let half = fixture.other.window(PixelRect(x: 0, y: 0, width: 110, height: 300), colour: Self.secret)
        let watcher = try fixture.watcher()
        #expect(!watcher.pixels.contains(Self.secret))
        // The server has the covered part painted when the window gets a pixmap.
        try watcher.follow { shows($0, Self.colour, Self.place) }
        let all = fixture.cover()
        try watcher.settle()
        #expect(shows(watcher, Self.colour, Self.place))
        // What is drawn below the cover.
        let part = PixelRect(x: 10, y: 10, width: 20, height: 20)
        fixture.application.fill(window, part, 0xff_ffff)
        let damage = try watcher.follow { $0.isAll(0xff_ffff, in: part.offset(x: 50, y: 40)) }
        #expect(damage.tileCount <= 9)
        fixture.other.destroy(half)
        fixture.other.destroy(all)
        try watcher.settle()
        #expect(!watcher.pixels.contains(Self.secret) && !watcher.pixels.contains(Self.ground))
    }

    @Test func `a program that draws elsewhere wakes nobody`() throws {
        let fixture = try Fixture()
        _ = fixture.window()
        let watcher = try fixture.watcher()
        try watcher.settle()
        fixture.other.fill(fixture.ground, PixelRect(size: Self.size), 0x12_3456)
        fixture.other.raise(fixture.ground)
        try watcher.settle()
        let reads = watcher.reads
        fixture.other.fill(fixture.ground, PixelRect(size: Self.size), 0x65_4321)
        try watcher.settle()
        #expect(watcher.reads == reads)
        #expect(shows(watcher, Self.colour, Self.place))
    }

    @Test func `windows that come, move, grow, go and come back are followed`() throws {
        let fixture = try Fixture()
        let first = fixture.window()
        let watcher = try fixture.watcher()
        let cover = fixture.cover()
        let second = fixture.window(PixelRect(x: 300, y: 10, width: 40, height: 30), border: 3)
        fixture.other.raise(cover)
        try watcher.follow {
            $0.isAll(Self.colour, in: PixelRect(x: 303, y: 13, width: 40, height: 30))
                && $0.isAll(Self.colour, in: Self.place)
        }
        fixture.application.move(first, x: -20, y: 220)
        let moved = PixelRect(x: 0, y: 220, width: 100, height: 80)
        try watcher.follow { $0.isAll(Self.colour, in: moved) && $0.colour(60, 50) == 0 }
        fixture.application.resize(second, to: PixelSize(width: 80, height: 70))
        try watcher.follow { $0.isAll(Self.colour, in: PixelRect(x: 303, y: 13, width: 80, height: 70)) }
        fixture.application.unmap(first)
        try watcher.follow { $0.isAll(0, in: moved) }
        fixture.application.map(first)
        try watcher.follow { $0.isAll(Self.colour, in: moved) }
        // The last one goes: black, and the take goes on.
        fixture.application.destroy(first)
        fixture.application.destroy(second)
        try watcher.follow { shows($0) }
        _ = fixture.window()
        try watcher.follow { shows($0, Self.colour, Self.place) }
        #expect(!watcher.pixels.contains(Self.secret))
    }

    @Test func `windows cover one another as on the screen`() throws {
        let fixture = try Fixture()
        let low = fixture.window()
        let over = Self.place.offset(x: 40, y: 30)
        let high = fixture.window(over, colour: 0xc0_2020)
        let watcher = try fixture.watcher()
        try watcher.follow { $0.isAll(0xc0_2020, in: over) && $0.colour(50, 40) == Self.colour }
        fixture.application.raise(low)
        try watcher.follow { $0.isAll(Self.colour, in: Self.place) && $0.colour(209, 159) == 0xc0_2020 }
        fixture.application.raise(high)
        try watcher.follow { $0.isAll(0xc0_2020, in: over) && $0.colour(50, 40) == Self.colour }
        fixture.application.destroy(high)
        try watcher.follow { shows($0, Self.colour, Self.place) }
    }

    @Test func `menus and tips without a name are the application's, and another program's are not`() throws {
        let fixture = try Fixture()
        _ = fixture.window()
        let watcher = try fixture.watcher()
        let menu = PixelRect(x: 60, y: 130, width: 80, height: 60)
        let foreign = fixture.other.window(PixelRect(x: 0, y: 0, width: 100, height: 100), colour: Self.secret)
        let id = fixture.application.window(menu, colour: Self.colour)
        try watcher.follow { shows($0, Self.colour, Self.place, menu) }
        fixture.application.destroy(id)
        fixture.other.destroy(foreign)
        try watcher.follow { shows($0, Self.colour, Self.place) }
    }

    @Test func `an excluded window of the application is not seen, also when it becomes one`() throws {
        let fixture = try Fixture()
        let window = fixture.window()
        let place = PixelRect(x: 200, y: 100, width: 60, height: 60)
        let dialog = fixture.window(place, colour: Self.secret, title: "Passwords")
        let watcher = try fixture.watcher(excluding: [.titled("password")])
        try watcher.settle()
        #expect(shows(watcher, Self.colour, Self.place))
        fixture.application.setTitle(dialog, "Recipes")
        try watcher.follow { $0.isAll(Self.secret, in: place) }
        fixture.application.setTitle(window, "Password store")
        try watcher.follow { $0.isAll(0, in: Self.place) }
        #expect(watcher.isAll(Self.secret, in: place))
    }

    @Test func `a window with holes or clear pixels shows what of the application lies below`() throws {
        let fixture = try Fixture()
        _ = fixture.window()
        let above = PixelRect(x: 60, y: 50, width: 100, height: 40)
        let shaped = fixture.window(above, colour: 0xc0_2020)
        fixture.application.setShape(shaped, [PixelRect(x: 0, y: 0, width: 50, height: 40)])
        let watcher = try fixture.watcher()
        let (left, right) = (
            PixelRect(x: 60, y: 50, width: 50, height: 40), PixelRect(x: 110, y: 50, width: 50, height: 40)
        )
        try watcher.follow { $0.isAll(0xc0_2020, in: left) && $0.isAll(Self.colour, in: right) }
        fixture.application.setShape(shaped, [PixelRect(x: 50, y: 0, width: 50, height: 40)])
        try watcher.follow { $0.isAll(0xc0_2020, in: right) && $0.isAll(Self.colour, in: left) }
        fixture.application.destroy(shaped)
        // Premultiplied: half of full red.
        let clear = try fixture.application.translucentWindow(above, colour: 0x80_80_0000)
        fixture.application.setApplication(clear, "Editor")
        fixture.application.map(clear)
        try watcher.follow { $0.colour(60, 50) == 0xbf_5f1f || $0.colour(60, 50) == 0xc0_6020 }
    }

    @Test func `a window that paints no ground of its own shows nothing of what lay there`() throws {
        let fixture = try Fixture()
        _ = fixture.window()
        let watcher = try fixture.watcher()
        let cover = fixture.cover()
        let place = PixelRect(x: 200, y: 100, width: 100, height: 100)
        let window = fixture.application.window(place, colour: 0, isShown: false)
        fixture.application.setBackgroundNone(window)
        fixture.application.setApplication(window, "Editor")
        fixture.application.map(window)
        fixture.application.fill(window, PixelRect(x: 0, y: 0, width: 50, height: 100), Self.colour)
        try watcher.follow { $0.isAll(Self.colour, in: PixelRect(x: 200, y: 100, width: 50, height: 100)) }
        fixture.application.resize(window, to: PixelSize(width: 120, height: 120))
        fixture.other.raise(cover)
        fixture.application.fill(window, PixelRect(x: 0, y: 0, width: 120, height: 120), Self.colour)
        try watcher.follow { $0.isAll(Self.colour, in: PixelRect(x: 200, y: 100, width: 120, height: 120)) }
    }

    @Test func `a monitor alone can be the frame`() throws {
        let fixture = try Fixture()
        try fixture.screen.setMonitor("right", PixelRect(x: 100, y: 50, width: 200, height: 150))
        _ = fixture.window()
        let watcher = try fixture.watcher(monitor: "right")
        #expect(watcher.size == PixelSize(width: 200, height: 150))
        #expect(shows(watcher, Self.colour, PixelRect(x: 0, y: 0, width: 70, height: 80)))
        try fixture.screen.deleteMonitor("right")
        try fixture.screen.setMonitor("right", PixelRect(x: 40, y: 30, width: 100, height: 100))
        try watcher.follow { $0.size == PixelSize(width: 100, height: 100) }
        #expect(shows(watcher, Self.colour, PixelRect(x: 10, y: 10, width: 90, height: 90)))
    }

    @Test func `an application without a window is an error that names those that have one`() throws {
        let fixture = try Fixture()
        _ = fixture.window()
        #expect(throws: VideoSourceError.noWindowOfApplication("edit", existing: ["Editor"])) {
            try Watcher(.application("edit", monitor: nil), on: fixture.screen.name)
        }
        #expect(throws: VideoSourceError.noWindowOfApplication("editor", existing: ["Editor"])) {
            try fixture.watcher(excluding: [.application("EDITOR")])
        }
    }

    @Test
    func `windows that come, go and move at any time leave the right picture, and no other program is in any frame`()
        throws
    {
        let fixture = try Fixture()
        _ = fixture.window()
        let watcher = try fixture.watcher()
        let (isDone, isCompared, name) = (Monitor(false), Monitor(false), fixture.screen.name)
        // Two other programs, which do not wait for the frames.
        let thread = DedicatedThread(name: "windows") {
            guard let application = try? Painter(display: name), let other = try? Painter(display: name) else {
                return isDone.signal { $0 = true }
            }
            var generator = SeededGenerator(seed: 5)
            func anywhere() -> PixelRect {
                PixelRect(
                    x: .random(in: -50...350, using: &generator), y: .random(in: -50...250, using: &generator),
                    width: .random(in: 10...150, using: &generator), height: .random(in: 10...150, using: &generator))
            }
            var windows: [UInt32] = []
            var others: [UInt32] = []
            func open() {
                let rect = anywhere()
                let window = application.window(
                    rect, colour: .random(in: 0...0x7f, using: &generator) << 8, isShown: false)
                application.setApplication(window, "Editor")
                application.map(window)
                windows.append(window)
            }
            open()
            for _ in 0..<500 {
                let window = windows[.random(in: 0..<windows.count, using: &generator)]
                let rect = anywhere()
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: open()
                case 1 where windows.count > 1:
                    windows.removeAll { $0 == window }
                    application.destroy(window)
                case 2: application.unmap(window)
                case 3: application.map(window)
                case 4: application.resize(window, to: rect.size)
                case 5: others.append(other.window(rect, colour: Self.secret))
                case 6: if let window = others.popLast() { other.destroy(window) }
                case 7: application.raise(window)
                case 8: if let window = others.last { other.raise(window) }
                default:
                    for step in 0..<20 { application.move(window, x: rect.x + step * 5, y: rect.y + step * 3) }
                }
                usleep(2000)
            }
            others.forEach(other.destroy)
            isDone.signal { $0 = true }
            // Windows go with the program that has made them.
            _ = isCompared.wait(until: nil) { $0 ? true : nil }
        }
        var frames = 0
        while !isDone.withLock({ $0 }) {
            guard try watcher.wait(until: MonotonicClock.now() + 10_000_000) == .changed else { continue }
            try watcher.look()
            frames += 1
            let isSeen = watcher.pixels.contains(Self.secret) || watcher.pixels.contains(Self.ground)
            guard !isSeen else {
                Issue.record("another program is seen in frame \(frames)")
                break
            }
        }
        // The screen shows the same windows, on the other program's ground.
        let screen = try Watcher(.screen(monitor: nil), on: name)
        let expected = screen.pixels.map { $0 == Self.ground ? 0 : $0 }
        try watcher.follow { $0.pixels == expected }
        isCompared.signal { $0 = true }
        thread.join()
        #expect(frames > 0)
    }
}
