// Rings round clicks in the frames of a real X server.
import CoreTesting
import KineMedia
import KinePlatform
import ScreenTesting
import Testing

@testable import KineCapture
@testable import KineX11

@Suite(.serialized, .tags(.real)) struct X11ClickTests {
    private static let ground: UInt32 = 0x20_4060
    private static let size = PixelSize(width: 320, height: 240)

    private func fixture() throws -> (screen: PrivateScreen, painter: Painter) {
        let screen = try PrivateScreen(size: Self.size)
        let painter = try Painter(display: screen.name)
        _ = painter.window(PixelRect(size: Self.size), colour: Self.ground)
        painter.moveMouse(x: 100, y: 80)
        return (screen, painter)
    }

    /// The frame of the ground with these rings, as the images have them.
    private func frame(
        _ rings: [(button: PointerButton, x: Int, y: Int)], size: PixelSize = size, scale: Double = 1
    ) -> [UInt32] {
        var pixels = [UInt32](repeating: Self.ground, count: size.area)
        pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            for ring in rings {
                let image = ClickRing.image(ring.button, step: 0, scale: scale)
                image.draw(
                    at: (ring.x - image.size.width / 2, ring.y - image.size.height / 2), over: base,
                    stride: size.width * 4, area: PixelRect(size: size))
            }
        }
        return pixels.map { $0 & 0xff_ffff }
    }

    /// The region of a ring round that place which has faded by `step`.
    private func region(_ x: Int, _ y: Int, step: Int = 0) -> DamageRegion {
        let size = ClickRing.image(.left, step: step, scale: 1).size
        return DamageRegion.tiles([PixelRect(origin: (x - size.width / 2, y - size.height / 2), size: size)])
    }

    private func isInside(_ damage: DamageRegion, _ bounds: DamageRegion) -> Bool {
        var rest = damage
        rest.subtract(bounds)
        return rest.isEmpty
    }

    @Test(arguments: [(1, PointerButton.left), (2, .middle), (3, .right)])
    func `a ring is there while the button is held, and gone without a trace after it has faded`(
        number: Int, button: PointerButton
    ) throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, clicks: true)
        try watcher.settle()
        let before = watcher.pixels
        painter.setButton(number, isPressed: true)
        let pressed = try watcher.follow { $0.pixels == frame([(button, 100, 80)]) }
        #expect(pressed == region(100, 80))
        try watcher.settle()
        #expect(try watcher.wait(until: MonotonicClock.now() + 100_000_000) == .deadline, "a held ring stands still")

        painter.setButton(number, isPressed: false)
        let faded = try watcher.follow { $0.pixels == before }
        #expect(isInside(faded, region(100, 80, step: ClickStateMachine.steps - 1)))
        try watcher.settle()
        #expect(watcher.deadline == nil)
        #expect(try watcher.wait(until: MonotonicClock.now() + 100_000_000) == .deadline)
    }

    @Test(arguments: [false, true])
    func `a ring goes with the pointer while the button is held, also where the pointer is not shown`(
        cursor: Bool
    ) throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, cursor: cursor, clicks: true)
        try watcher.settle()
        painter.setButton(1, isPressed: true)
        let amber = ClickRing.colour(of: .left)
        func ringIsRound(_ x: Int, _ y: Int) -> Bool {
            // Nine tenths of amber, on the line left of the middle.
            let pixel = watcher.colour(x - 18, y)
            return [16, 8, 0].allSatisfy { shift in
                let (a, b) = (Int(pixel >> shift & 255), Int(amber >> shift & 255))
                return abs(a - (b * 9 + Int(Self.ground >> shift & 255)) / 10) <= 2
            }
        }
        try watcher.follow { _ in ringIsRound(100, 80) }
        try watcher.settle()
        painter.moveMouse(x: 200, y: 150)
        let damage = try watcher.follow { _ in ringIsRound(200, 150) }
        #expect(watcher.colour(82, 80) == Self.ground)
        var both = region(100, 80)
        both.formUnion(region(200, 150))
        #expect(damage == both)
        if !cursor { #expect(watcher.pixels == frame([(.left, 200, 150)])) }
        // After the release it stays behind.
        painter.setButton(1, isPressed: false)
        _ = try watcher.wait(until: MonotonicClock.now() + 10_000_000_000)
        try watcher.look()
        painter.moveMouse(x: 30, y: 30)
        if !cursor { try watcher.follow { $0.isAll(Self.ground, in: PixelRect(size: Self.size)) } }
    }

    @Test func `the wheel has no ring, and without a click motion is no change`() throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, clicks: true)
        try watcher.settle()
        for button in 4...7 {
            painter.setButton(button, isPressed: true)
            painter.setButton(button, isPressed: false)
        }
        painter.moveMouse(x: 30, y: 30)
        #expect(try watcher.wait(until: MonotonicClock.now() + 200_000_000) == .deadline)
    }

    @Test func `swapped buttons have the colours of what they mean`() throws {
        let (screen, painter) = try fixture()
        let watcher = try Watcher(.screen(monitor: nil), on: screen.name, clicks: true)
        painter.setButton(1, isPressed: true)
        try watcher.follow { $0.pixels == frame([(.left, 100, 80)]) }
        painter.setButton(1, isPressed: false)
        try watcher.follow { $0.isAll(Self.ground, in: PixelRect(size: Self.size)) }
        painter.setButtonMapping([3, 2, 1] + (4...10))
        painter.setButton(1, isPressed: true)
        try watcher.follow { $0.pixels == frame([(.right, 100, 80)]) }
    }

    @Test func `in a region a ring is where it is on the screen, cut at the edge, and as large as the pointer`() throws
    {
        let (screen, painter) = try fixture()
        let region = PixelRect(x: 90, y: 40, width: 101, height: 81)
        let watcher = try Watcher(.region(region), on: screen.name, cursorScale: 2, clicks: true)
        painter.setButton(3, isPressed: true)
        try watcher.follow { $0.pixels == frame([(.right, 10, 40)], size: region.size, scale: 2) }
    }

    @Test func `in a window's frame a ring is in the window's coordinates`() throws {
        let (screen, painter) = try fixture()
        let place = PixelRect(x: 60, y: 60, width: 120, height: 90)
        let window = painter.window(place, colour: Self.ground, border: 3)
        let watcher = try Watcher(.window(.id(window)), on: screen.name, clicks: true)
        painter.setButton(1, isPressed: true)
        // The content begins inside the border.
        try watcher.follow { $0.pixels == frame([(.left, 37, 17)], size: place.size) }
    }

    @Test func `the pointer's place is wanted while a button is held, and once after its release`() {
        var clicks = X11Clicks()
        clicks.receive(InputEvent(.pressed(.left), at: 1))
        clicks.placed()
        #expect(clicks.needsPosition)
        clicks.receive(InputEvent(.released(.left), at: 2))
        #expect(clicks.needsPosition)
        clicks.placed()
        #expect(!clicks.needsPosition)
        #expect(clicks.take().map(\.action) == [.pressed(.left), .released(.left)] && clicks.take().isEmpty)
    }
}
