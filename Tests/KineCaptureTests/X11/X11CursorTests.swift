// The mouse pointer in the frame.
import CoreTesting
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11CursorTests {
    private static let ground: UInt32 = 0x20_4060
    private static let ink: UInt32 = 0xff_8000
    private static let cursorSize = PixelSize(width: 12, height: 10)
    private static let hotSpot = (x: 3, y: 4)

    /// A screen whose pointer is a rectangle of one colour, and stands at 100, 80 or where the server put it.
    private func fixture(isMoved: Bool = true) throws -> (screen: PrivateScreen, painter: Painter, window: UInt32) {
        let size = PixelSize(width: 320, height: 240)
        let screen = try PrivateScreen(size: size)
        let painter = try Painter(display: screen.name)
        let window = painter.window(PixelRect(size: size), colour: Self.ground)
        painter.setCursor(window, size: Self.cursorSize, hotSpot: Self.hotSpot, colour: Self.ink)
        if isMoved { painter.moveMouse(x: 100, y: 80) }
        return (screen, painter, window)
    }

    /// The place of the pointer's image when it points at `x`, `y`.
    private func image(_ x: Int, _ y: Int) -> PixelRect {
        PixelRect(origin: (x - Self.hotSpot.x, y - Self.hotSpot.y), size: Self.cursorSize)
    }

    /// Whether the frame is the ground with the pointer's image at `rect` and nowhere else.
    private func shows(_ watcher: Watcher, _ rect: PixelRect) -> Bool {
        watcher.pixels.indices.allSatisfy { index in
            let (x, y) = (index % watcher.size.width, index / watcher.size.width)
            let isInside = x >= rect.x && x < rect.maxX && y >= rect.y && y < rect.maxY
            return watcher.pixels[index] == (isInside ? Self.ink : Self.ground)
        }
    }

    @Test func `the pointer is drawn with its hot-spot, and leaves its old place when it moves`() throws {
        let (screen, painter, _) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: true)
        #expect(shows(watcher, image(100, 80)))
        try watcher.settle()
        painter.moveMouse(x: 200, y: 150)
        let damage = try watcher.follow { shows($0, image(200, 150)) }
        #expect(damage == DamageRegion.tiles([image(100, 80), image(200, 150)]))
    }

    @Test func `on a private screen the pointer is drawn once it has moved, and from then on`() throws {
        let (screen, painter, _) = try fixture(isMoved: false)
        let source = try X11ScreenSource(
            target: .screen(monitor: nil), reportsPointer: true, isPrivate: true, display: screen.name)
        let watcher = try Watcher(source)
        #expect(watcher.isAll(Self.ground, in: PixelRect(size: watcher.size)))
        for (x, y) in [(100, 80), (160, 120), (20, 20)] {
            painter.moveMouse(x: x, y: y)
            try watcher.follow { shows($0, image(x, y)) }
        }
    }

    @Test func `a pointer half outside is cut at the edge`() throws {
        let (screen, painter, _) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: true)
        for (x, y) in [(0, 0), (319, 239), (0, 239), (319, 0)] {
            painter.moveMouse(x: x, y: y)
            let visible = image(x, y).intersection(PixelRect(size: watcher.size))
            try watcher.follow { shows($0, visible) }
        }
    }

    @Test func `without the cursor its motion is no change`() throws {
        let (screen, painter, _) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name)
        try watcher.settle()
        painter.moveMouse(x: 30, y: 30)
        #expect(
            try watcher.wait(until: MonotonicClock.now() + 200_000_000) == .deadline)
        #expect(watcher.isAll(Self.ground, in: PixelRect(size: watcher.size)))
    }

    @Test(arguments: [false, true])
    func `a pointer that a program moves on a still screen is found, at once or after a pause`(isPrivate: Bool) throws {
        let (screen, painter, _) = try fixture()
        let watcher = try Watcher(
            X11ScreenSource(
                target: .screen(monitor: nil), reportsPointer: true, isPrivate: isPrivate, display: screen.name))
        for (x, y) in [(60, 200), (90, 30)] {
            painter.warpPointer(x: x, y: y)
            try watcher.follow { shows($0, image(x, y)) }
            painter.warpPointer(x: y, y: x)
            try watcher.follow { shows($0, image(y, x)) }
            // A server that says when it is not in use is not asked any more.
            try wait("no more checks") { try isAtRest(watcher) }
        }
    }

    /// Whether the source waits for nothing but events.
    private func isAtRest(_ watcher: Watcher) throws -> Bool {
        if try watcher.wait(until: MonotonicClock.now()) == .changed { try watcher.look() }
        return watcher.deadline == nil
    }

    @Test
    func `a pointer that nobody moves is asked for at most four times a second, and not at all on an unused screen`() {
        func count(_ checks: PointerChecks, idleTime: (Int64) -> Int64?) -> Int {
            var (checks, count) = (checks, 0)
            for now in stride(from: 0, to: Int64(1_000_000_000), by: 1_000_000) where checks.isDue(at: now) {
                count += 1
                checks.checked(hasMoved: false, idleTime: idleTime(now), at: now)
            }
            return count
        }
        let checks = PointerChecks(interval: 250_000_000)
        #expect(count(checks) { _ in nil } == 4)
        #expect(count(checks) { _ in 0 } == 4)
        #expect(count(checks) { $0 } == 2)
        #expect(count(checks) { _ in 60_000_000_000 } == 1)
        #expect(count(PointerChecks(interval: 100_000_000)) { _ in nil } == 10)
    }

    @Test func `a pointer that a program moves is followed from frame to frame, and a while longer`() {
        var checks = PointerChecks(interval: 250_000_000)
        checks.checked(hasMoved: true, idleTime: 0, at: 0)
        #expect(checks.deadline == 16_000_000)
        checks.checked(hasMoved: false, idleTime: 490_000_000, at: 490_000_000)
        #expect(checks.deadline == 506_000_000)
        checks.checked(hasMoved: false, idleTime: 506_000_000, at: 506_000_000)
        #expect(checks.deadline == nil)
        checks.noteActivity()
        #expect(checks.isDue(at: 506_000_001))
    }

    @Test func `a pointer that changes its image where it stands is drawn anew`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: true)
        try watcher.settle()
        painter.setCursor(window, size: PixelSize(width: 4, height: 20), hotSpot: (1, 1), colour: Self.ink)
        try watcher.follow { shows($0, PixelRect(x: 99, y: 79, width: 4, height: 20)) }
    }

    @Test func `paint under the pointer leaves the pointer on top`() throws {
        let (screen, painter, window) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: true)
        painter.fill(window, PixelRect(x: 90, y: 70, width: 40, height: 40), 0x00_00aa)
        try watcher.follow { $0.colour(125, 100) == 0x00_00aa }
        #expect(watcher.isAll(Self.ink, in: image(100, 80)))
        #expect(watcher.colour(96, 80) == 0x00_00aa)
    }

    @Test func `in a region the pointer is where it is on the screen`() throws {
        let (screen, painter, _) = try fixture()
        let region = PixelRect(x: 50, y: 40, width: 101, height: 81)
        let watcher = try Watcher(.region(region), on: screen.name, cursor: true)
        #expect(shows(watcher, image(50, 40)))
        painter.moveMouse(x: 300, y: 200)
        try watcher.follow { $0.isAll(Self.ground, in: PixelRect(size: region.size)) }
    }

    @Test(arguments: [2, 3.5])
    func `an enlarged pointer keeps its hot-spot, and leaves its old place when it moves or becomes another`(
        scale: Double
    ) throws {
        let (screen, painter, window) = try fixture()
        func image(_ x: Int, _ y: Int, _ size: PixelSize, _ hotSpot: (x: Int, y: Int)) -> PixelRect {
            func scaled(_ side: Int) -> Int { Int((Double(side) * scale).rounded()) }
            return PixelRect(
                x: x - scaled(hotSpot.x), y: y - scaled(hotSpot.y), width: scaled(size.width),
                height: scaled(size.height))
        }
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: true, cursorScale: scale)
        let first = image(100, 80, Self.cursorSize, Self.hotSpot)
        #expect(shows(watcher, first))
        try watcher.settle()
        painter.moveMouse(x: 200, y: 150)
        let second = image(200, 150, Self.cursorSize, Self.hotSpot)
        #expect(try watcher.follow { shows($0, second) } == DamageRegion.tiles([first, second]))
        let size = PixelSize(width: 4, height: 20)
        painter.setCursor(window, size: size, hotSpot: (1, 1), colour: Self.ink)
        try watcher.follow { shows($0, image(200, 150, size, (1, 1))) }
    }

    @Test func `over a window that moves away under it, the pointer moves in the window's frame`() throws {
        let (screen, painter, cover) = try fixture()
        painter.destroy(cover)
        let window = painter.window(PixelRect(x: 60, y: 60, width: 120, height: 90), colour: Self.ground)
        painter.setCursor(window, size: Self.cursorSize, hotSpot: Self.hotSpot, colour: Self.ink)
        painter.moveMouse(x: 100, y: 100)
        let watcher = try Watcher(.window(.id(window)), on: screen.name, cursor: true)
        try watcher.follow { shows($0, image(40, 40)) }
        painter.move(window, x: 80, y: 70)
        try watcher.follow { shows($0, image(20, 30)) }
    }
}
