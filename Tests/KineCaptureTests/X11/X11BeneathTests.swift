// What is seen in the place of hidden windows when what lies beneath them is drawn: the hidden window in no frame.
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11BeneathTests {
    private static let size = PixelSize(width: 400, height: 300)
    private static let ground: UInt32 = 0x20_4060
    private static let (green, red): (UInt32, UInt32) = (0x40_c040, 0xc0_2020)
    private static let secret: UInt32 = 0xff_00ff
    private static let shade: UInt32 = 0x28_2828
    private static let place = PixelRect(x: 50, y: 40, width: 120, height: 90)

    /// A screen, and a hidden window above everything else. Another program has all other windows.
    private final class Fixture {
        let screen: PrivateScreen
        let painter: Painter
        let other: Painter
        let secret: UInt32

        init(hasGround: Bool = true) throws {
            screen = try PrivateScreen(size: X11BeneathTests.size)
            painter = try Painter(display: screen.name)
            other = try Painter(display: screen.name)
            if hasGround { _ = other.window(PixelRect(size: size), colour: X11BeneathTests.ground) }
            secret = painter.window(place, colour: X11BeneathTests.secret, isShown: false)
            painter.setApplication(secret, "Vault")
            painter.setTitle(secret, "Passwords")
            painter.map(secret)
        }

        func watcher() throws -> Watcher {
            try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.titled("passwords")], how: .beneath)
        }

        /// A window below the hidden one.
        func below(_ rect: PixelRect, _ colour: UInt32) -> UInt32 {
            let window = other.window(rect, colour: colour)
            painter.raise(secret)
            return window
        }
    }

    /// A frame of these rectangles on the ground, the first the lowest.
    private func picture(_ layers: (rect: PixelRect, colour: UInt32)...) -> [UInt32] {
        var pixels = [UInt32](repeating: Self.ground, count: Self.size.area)
        for (rect, colour) in layers {
            let inside = rect.intersection(PixelRect(size: Self.size))
            for y in inside.y..<inside.maxY {
                for x in inside.x..<inside.maxX { pixels[y * Self.size.width + x] = colour }
            }
        }
        return pixels
    }

    /// Follows until `isDone`. The hidden window must be in no frame until then.
    private func follow(
        _ watcher: Watcher, sourceLocation: SourceLocation = #_sourceLocation, until isDone: (Watcher) throws -> Bool
    ) throws {
        try watcher.follow(without: Self.secret, sourceLocation: sourceLocation, until: isDone)
    }

    /// Follows from when the hidden window leaves its place until no place is drawn any more that it has left.
    private func followLeaving(
        _ watcher: Watcher, sourceLocation: SourceLocation = #_sourceLocation, _ leave: () -> Void
    ) throws {
        leave()
        try #require(try watcher.wait(until: Watcher.timeout) == .changed, sourceLocation: sourceLocation)
        try watcher.look()
        try follow(watcher, sourceLocation: sourceLocation) { $0.source.deadline == nil }
    }

    @Test func `a frame shows one instant, beneath and beside`() throws {
        let fixture = try Fixture()
        let all = PixelRect(size: Self.size)
        let (window, display) = (fixture.below(all, Self.green), fixture.screen.name)
        let watcher = try fixture.watcher()
        let painting = DedicatedThread(name: "painter") {
            guard let painter = try? Painter(display: display) else { return }
            for number in 0..<4000 { painter.fill(window, all, number % 2 == 0 ? Self.red : Self.green) }
        }
        defer { painting.join() }
        try follow(watcher) { Set($0.pixels).count == 1 }
        for frame in 0..<200 {
            try watcher.look(atAll: true)
            #expect(Set(watcher.pixels).count == 1, "frame \(frame)")
        }
    }

    @Test func `the windows below and above are seen, in their order and shape`() throws {
        let fixture = try Fixture()
        let low = fixture.below(PixelRect(x: 30, y: 30, width: 100, height: 80), Self.green)
        let high = fixture.other.window(PixelRect(x: 100, y: 60, width: 100, height: 40), colour: Self.red)
        fixture.other.setShape(high, [PixelRect(x: 0, y: 0, width: 50, height: 40)])
        let watcher = try fixture.watcher()
        let left = PixelRect(x: 100, y: 60, width: 50, height: 40)
        let lowRect = PixelRect(x: 30, y: 30, width: 100, height: 80)
        try follow(watcher) { $0.pixels == picture((lowRect, Self.green), (left, Self.red)) }
        // What is painted there is seen.
        let part = PixelRect(x: 60, y: 50, width: 10, height: 10)
        fixture.other.fill(low, part.offset(x: -30, y: -30), 0xff_ffff)
        try follow(watcher) { $0.isAll(0xff_ffff, in: part) }
        fixture.other.setShape(high, [PixelRect(x: 50, y: 0, width: 50, height: 40)])
        let right = left.offset(x: 50, y: 0)
        try follow(watcher) {
            $0.pixels == picture((lowRect, Self.green), (part, 0xff_ffff), (right, Self.red))
        }
    }

    @Test func `windows below and above are followed while they and the hidden one move, grow, come and go`() throws {
        let fixture = try Fixture()
        let (other, painter, secret) = (fixture.other, fixture.painter, fixture.secret)
        var rect = PixelRect(x: 60, y: 50, width: 60, height: 40)
        let low = fixture.below(rect, Self.green)
        let watcher = try fixture.watcher()
        try follow(watcher) { $0.pixels == picture((rect, Self.green)) }
        rect = rect.offset(x: 70, y: 50)
        other.move(low, x: rect.x, y: rect.y)
        try follow(watcher) { $0.pixels == picture((rect, Self.green)) }
        rect = PixelRect(x: 130, y: 100, width: 90, height: 100)
        other.resize(low, to: rect.size)
        try follow(watcher) { $0.pixels == picture((rect, Self.green)) }
        let highRect = PixelRect(x: 40, y: 90, width: 60, height: 60)
        let high = other.window(highRect, colour: Self.red)
        try follow(watcher) { $0.pixels == picture((rect, Self.green), (highRect, Self.red)) }
        other.raise(low)
        try follow(watcher) { $0.pixels == picture((highRect, Self.red), (rect, Self.green)) }
        painter.raise(secret)
        painter.move(secret, x: 90, y: 110)
        painter.resize(secret, to: PixelSize(width: 200, height: 150))
        try follow(watcher) { $0.pixels == picture((highRect, Self.red), (rect, Self.green)) }
        other.unmap(low)
        try follow(watcher) { $0.pixels == picture((highRect, Self.red)) }
        other.map(low)
        other.destroy(high)
        try follow(watcher) { $0.pixels == picture((rect, Self.green)) }
        try followLeaving(watcher) { painter.unmap(secret) }
        painter.map(secret)
        other.destroy(low)
        try follow(watcher) { $0.pixels == picture() }
        try followLeaving(watcher) { painter.destroy(secret) }
        #expect(watcher.pixels == picture())
    }

    @Test func `a window that has painted nothing is covered, and never shows what was at its place`() throws {
        let fixture = try Fixture()
        let watcher = try fixture.watcher()
        // Above the hidden window, whose pixels the server leaves there; then below it.
        for isAbove in [true, false] {
            let rect = PixelRect(x: 100, y: 70, width: 120, height: 90)
            let window = fixture.other.window(rect, colour: 0, isShown: false)
            fixture.other.setBackgroundNone(window)
            fixture.other.map(window)
            if !isAbove { fixture.painter.raise(fixture.secret) }
            let common = rect.intersection(Self.place)
            try follow(watcher) { $0.isAll(Self.shade, in: common) }
            // Its new pixmap is filled with what is there, as its first was.
            fixture.other.resize(window, to: PixelSize(width: 130, height: 80))
            fixture.other.resize(window, to: PixelSize(width: 120, height: 90))
            fixture.other.move(window, x: 90, y: 80)
            try follow(watcher) { $0.isAll(Self.shade, in: PixelRect(x: 92, y: 82, width: 66, height: 46)) }
            fixture.other.fill(window, PixelRect(x: 0, y: 0, width: 120, height: 90), Self.green)
            let moved = PixelRect(x: 90, y: 80, width: 120, height: 90)
            try follow(watcher) { $0.pixels == picture((moved, Self.green)) }
            fixture.other.destroy(window)
            try follow(watcher) { $0.pixels == picture() }
        }
    }

    @Test func `where a hidden window was, a program that does not paint shows nothing of it, however long`() throws {
        let fixture = try Fixture()
        let rect = PixelRect(x: 40, y: 30, width: 200, height: 150)
        let window = fixture.other.window(rect, colour: 0, isShown: false)
        fixture.other.setBackgroundNone(window)
        fixture.other.map(window)
        fixture.other.fill(window, PixelRect(size: rect.size), Self.green)
        fixture.painter.raise(fixture.secret)
        let watcher = try fixture.watcher()
        for x in stride(from: 50, to: 250, by: 10) { fixture.painter.move(fixture.secret, x: x, y: x / 2) }
        try follow(watcher) { $0.colour(239, 179) == Self.green }
        try followLeaving(watcher) { fixture.painter.destroy(fixture.secret) }
        #expect(watcher.isAll(Self.shade, in: Self.place), "its place when the take began")
        #expect(watcher.colour(41, 31) == Self.green)
        fixture.other.fill(window, PixelRect(size: rect.size), Self.green)
        try follow(watcher) { $0.pixels == picture((rect, Self.green)) }
    }

    @Test func `where no window is, the screen's background is seen`() throws {
        let fixture = try Fixture(hasGround: false)
        fixture.other.setBackground(fixture.other.root, Self.ground)
        let watcher = try fixture.watcher()
        try follow(watcher) { $0.pixels == picture() }
        fixture.other.nameWallpaper(Self.green)
        try follow(watcher) { $0.pixels == picture((Self.place, Self.green)) }
        // What a compositing manager paints without a wallpaper is its own affair.
        let composited = try Fixture(hasGround: false)
        func isKnown() throws -> Bool { try X11Inventory(display: composited.screen.name).canShowBeneath }
        #expect(try isKnown())
        try composited.other.beginCompositing()
        #expect(try !isKnown())
        composited.other.fill(composited.other.root, PixelRect(size: Self.size), Self.ground)
        let other = try composited.watcher()
        try follow(other) { $0.pixels == picture((Self.place, Self.shade)) }
        composited.other.nameWallpaper(Self.green)
        #expect(try isKnown())
    }

    @Test func `beneath a compositing manager, windows are seen as they are, until it has painted the place`() throws {
        let fixture = try Fixture()
        let rect = PixelRect(x: 60, y: 50, width: 60, height: 40)
        let low = fixture.below(rect, Self.green)
        let manager = try Painter(display: fixture.screen.name)
        try manager.beginCompositing()
        manager.fill(manager.root, PixelRect(size: Self.size), Self.ground)
        manager.fill(manager.root, Self.place, Self.secret)
        let watcher = try fixture.watcher()
        try follow(watcher) { $0.pixels == picture((rect, Self.green)) }
        let clear = try fixture.other.translucentWindow(rect, colour: 0x80_80_0000)
        fixture.other.map(clear)
        fixture.painter.raise(fixture.secret)
        try follow(watcher) { [0xa0_6020, 0x9f_601f].contains($0.colour(60, 50)) }
        fixture.other.destroy(clear)
        fixture.other.fill(low, PixelRect(size: rect.size), Self.red)
        try follow(watcher) { $0.pixels == picture((rect, Self.red)) }
        fixture.painter.destroy(fixture.secret)
        try watcher.settle()
        #expect(watcher.source.deadline == nil, "no time ends that")
        try follow(watcher) { $0.pixels == picture((rect, Self.red)) }
        manager.fill(manager.root, Self.place, 0x11_2233)
        try follow(watcher) { $0.pixels == picture((Self.place, 0x11_2233)) }
    }

    @Test func `without a compositing manager a window with alpha is drawn as the server draws it`() throws {
        let fixture = try Fixture()
        let clear = try fixture.other.translucentWindow(
            PixelRect(x: 60, y: 50, width: 60, height: 40), colour: 0x80_80_0000)
        fixture.other.map(clear)
        fixture.painter.raise(fixture.secret)
        let watcher = try fixture.watcher()
        let rect = PixelRect(x: 60, y: 50, width: 60, height: 40)
        try follow(watcher) { $0.pixels == picture((rect, 0x80_0000)) }
    }

    @Test func `without Composite a hidden window is covered, and the source says so`() throws {
        let screen = try PrivateScreen(size: Self.size, options: ["-extension", "Composite"])
        let painter = try Painter(display: screen.name)
        let secret = painter.window(Self.place, colour: Self.secret)
        for (how, isSaid) in [(TakeConfiguration.ExcludeHow.beneath, true), (.cover, false)] {
            let watcher = try Watcher(.screen(monitor: nil), on: screen.name, excluding: [.id(secret)], how: how)
            #expect(watcher.isAll(Self.shade, in: Self.place))
            let source = try #require(watcher.source as? X11ScreenSource)
            #expect((source.shortcoming?.contains("COMPOSITE") ?? false) == isSaid)
        }
    }

    @Test(arguments: [24, 30]) func `a region of a screen of any depth is drawn at its place`(depth: Int) throws {
        let screen = try PrivateScreen(size: Self.size, depth: depth)
        let (painter, other) = try (Painter(display: screen.name), Painter(display: screen.name))
        // In 30 bits, each channel has two more.
        func colour(_ bgra: UInt32) -> UInt32 {
            guard depth == 30 else { return bgra }
            return [16, 8, 0].reduce(UInt32(0)) { $0 << 10 | (bgra >> $1 & 0xff) << 2 }
        }
        _ = other.window(PixelRect(size: Self.size), colour: colour(Self.green))
        let secret = painter.window(Self.place, colour: colour(Self.secret), border: 3)
        let watcher = try Watcher(
            .region(PixelRect(x: 60, y: 30, width: 300, height: 200)), on: screen.name, excluding: [.id(secret)],
            how: .beneath)
        try follow(watcher) { $0.isAll(Self.green, in: PixelRect(size: $0.size)) }
    }

    @Test func `a program that stands still, or goes on, is seen below a window that is dragged over it`() throws {
        let fixture = try Fixture()
        var options = ChildProcess.Options()
        options.parentDeathSignal = SIGKILL
        options.descriptors = [nil, nil, nil]
        let terminal = try ChildProcess(
            executable: try Tool.path(of: "xterm"),
            arguments: ["-geometry", "40x10+30+20", "-bg", "#40c040", "-e", "yes"],
            environment: ProcessEnvironment.merging(ProcessEnvironment.current, ["DISPLAY=\(fixture.screen.name)"]),
            options: options)
        defer { _ = terminal.end(signal: SIGKILL, deadline: 0) }
        let watcher = try fixture.watcher()
        try follow(watcher) { $0.pixels.contains(Self.green) }
        fixture.painter.raise(fixture.secret)
        for signal in [SIGSTOP, SIGCONT] {
            terminal.signal(signal)
            for step in 0..<20 {
                fixture.painter.move(fixture.secret, x: 10 + 8 * step, y: 20 + 5 * step)
                try watcher.look()
                try follow(watcher) { _ in true }
            }
        }
        try followLeaving(watcher) { fixture.painter.destroy(fixture.secret) }
        #expect(watcher.pixels.contains(Self.green))
    }
}
